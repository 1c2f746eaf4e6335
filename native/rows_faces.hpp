// Small convex quadratics over bounds and rows by guesses of their face, with one factorisation of the Hessian.
// kernels/rows_faces.py has the formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"
#include "rows_interior.hpp"

namespace greedyhull {

class RowsFaces {
   public:
    std::vector<double> t, prices, z;

    RowsFaces(const RowsProblem& problem, Span<const double> x)
        : p(problem), n(p.c.size), m(p.G.rows), q(p.E.rows), start(x.data, x.data + n) {}

    bool follow() {
        if (!factorise()) return false;
        begin();
        for (int k = 0; k < ROUNDS; k++) {
            if (!solve(start)) return false;
            if (!turn()) return refine();
        }
        return false;
    }

   private:
    static constexpr int ROUNDS = 20, REFINED = 3;
    static constexpr double RIDGE = 1e-10, NEAR = 1e-12, SCHUR = 1e-14, SETTLED = 1e-14, OFF = 1e-11;
    const RowsProblem p;
    const Index n, m, q;
    const Index N = n + m;
    std::vector<double> start, L, V, gram, S, lambda, delta, step, drawn, grad, scratch;
    std::vector<Index> place, held;  // the column of V of each bound, row and equation, -1 where there is none; who is in S
    std::vector<int> sides;
    Index columns = 0;

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    double end(Index k) const { return sides[at(k)] < 0 ? p.low[k] : p.high[k]; }

    // Constraint k is coordinate k, row k - n of G, or row k - N of E.
    double activity(Index k, const double* x) const {
        if (k < n) return x[k];
        double total;
        algebra::dots(k < N ? p.G.row(k - n) : p.E.row(k - N), 0, n, 1, x, &total);
        return total;
    }

    bool factorise() {
        L.assign(p.H.data, p.H.data + n * n);
        double most = 0.0;
        for (Index j = 0; j < n; j++) most = std::max(most, p.H(j, j));
        for (Index j = 0; j < n; j++) L[at(j * n + j)] += RIDGE * (p.H(j, j) + RIDGE * most);
        return most > 0.0 && algebra::cholesky(n, L.data());
    }

    // The ends that the start is at; none where that is a corner.
    void begin() {
        sides.assign(at(N), 0);
        Index free = 0;
        for (Index k = 0; k < N; k++) {
            const double here = activity(k, start.data());
            sides[at(k)] = here <= p.low[k] ? -1 : here >= p.high[k] ? 1 : 0;
            free += k < n && sides[at(k)] == 0;
        }
        if (free <= q) std::fill(sides.begin(), sides.end(), 0);
        place.assign(at(N + q), -1), t.resize(at(N)), z.assign(at(N), 0.0), prices.assign(at(q + m), 0.0);
        step.resize(at(n)), drawn.resize(at(n)), grad.resize(at(n));
        std::vector<Index> all(at(q));
        for (Index i = 0; i < q; i++) all[at(i)] = N + i;
        join(all);
    }

    // Columns L^-1 a of V for constraints a, and their inner products with all of V.
    void join(const std::vector<Index>& fresh) {
        const Index many = static_cast<Index>(fresh.size()), old = columns;
        if (many == 0) return;
        Index first = n;
        V.resize(at((old + many) * n), 0.0);
        for (Index b = 0; b < many; b++) {
            const Index k = fresh[at(b)];
            double* v = V.data() + (old + b) * n;
            if (k < n)
                std::fill(v, v + n, 0.0), v[k] = 1.0;
            else
                std::copy_n(k < N ? p.G.row(k - n) : p.E.row(k - N), n, v);
            for (Index j = 0; j < first; j++)
                if (v[j] != 0.0) first = j;
            place[at(k)] = old + b;
        }
        scratch.resize(at(std::max(old + many, n)));
        for (Index a = first; a < n; a++) {
            algebra::dots(V.data() + old * n + first, n, a - first, many, L.data() + a * n + first, scratch.data());
            for (Index b = 0; b < many; b++) {
                double& v = V[at((old + b) * n + a)];
                v = (v - scratch[at(b)]) / L[at(a * n + a)];
            }
        }
        columns = old + many;
        std::vector<double> wider(at(columns * columns));
        for (Index a = 0; a < old; a++) std::copy_n(gram.data() + a * old, old, wider.data() + a * columns);
        for (Index a = old; a < columns; a++) {
            algebra::dots(V.data(), n, n, columns, V.data() + a * n, scratch.data());
            for (Index b = 0; b < columns; b++) wider[at(a * columns + b)] = wider[at(b * columns + a)] = scratch[at(b)];
        }
        gram.swap(wider);
    }

    // The minimiser on the face from x: t, and the multipliers of all that is held.
    bool solve(const std::vector<double>& x) {
        held.clear();
        std::vector<Index> fresh;
        for (Index i = 0; i < q; i++) held.push_back(N + i);
        for (Index k = 0; k < N; k++)
            if (sides[at(k)] != 0) {
                held.push_back(k);
                if (place[at(k)] < 0) fresh.push_back(k);
            }
        const Index many = static_cast<Index>(held.size());
        if (many > n) return false;  // more than fix a point
        join(fresh);
        S.resize(at(many * many));
        for (Index a = 0; a < many; a++) {
            const double* row = gram.data() + place[at(held[at(a)])] * columns;
            for (Index b = 0; b <= a; b++) S[at(a * many + b)] = row[place[at(held[at(b)])]];
            S[at(a * many + a)] *= 1.0 + SCHUR;
        }
        lambda.assign(at(many), 0.0);
        return algebra::cholesky(many, S.data()) && move(x);
    }

    // t = x + dx and (x + dx)G', with L'dx = L^-1(C'lambda - grad) + V delta; lambda <- lambda + delta.
    bool move(const std::vector<double>& x) {
        const Index many = static_cast<Index>(held.size());
        algebra::dots(p.H.data, n, n, n, x.data(), grad.data());
        for (Index j = 0; j < n; j++) grad[at(j)] += p.c[j];
        for (Index a = 0; a < many; a++) {
            const Index k = held[at(a)];
            if (lambda[at(a)] == 0.0) continue;
            if (k < n)
                grad[at(k)] -= lambda[at(a)];
            else
                algebra::add_one(k < N ? p.G.row(k - n) : p.E.row(k - N), -lambda[at(a)], n, grad.data());
        }
        for (Index a = 0; a < n; a++) {
            double known;
            algebra::dots(L.data() + a * n, 0, a, 1, step.data(), &known);
            step[at(a)] = (-grad[at(a)] - known) / L[at(a * n + a)];
        }
        delta.resize(at(many));
        for (Index a = 0; a < many; a++) {
            const Index k = held[at(a)];
            double known;
            algebra::dots(V.data() + place[at(k)] * n, 0, n, 1, step.data(), &known);
            delta[at(a)] = (k < N ? end(k) : p.e[k - N]) - activity(k, x.data()) - known;
        }
        algebra::cholesky_solve(many, S.data(), delta.data());
        for (Index a = 0; a < many; a++) lambda[at(a)] += delta[at(a)];
        for (Index a = 0; a < many; a++) algebra::add_one(V.data() + place[at(held[at(a)])] * n, delta[at(a)], n, step.data());
        for (Index a = n - 1; a >= 0; a--) {
            step[at(a)] /= L[at(a * n + a)];
            algebra::add_one(L.data() + a * n, -step[at(a)], a, step.data());
        }
        for (Index j = 0; j < n; j++) drawn[at(j)] = x[at(j)] + step[at(j)];
        for (Index k = 0; k < N; k++) t[at(k)] = activity(k, drawn.data());
        return std::all_of(t.begin(), t.end(), [](double x_k) { return std::isfinite(x_k); });
    }

    double near(Index k) const {
        const double width = p.high[k] - p.low[k];
        return NEAR * (std::isfinite(width) ? width : 1.0 + std::fabs(t[at(k)]));
    }

    // Whether the signs of multipliers, or places beyond an end, change the guess.
    bool turn() {
        bool changed = false;
        std::fill(z.begin(), z.end(), 0.0);
        for (std::size_t a = at(q); a < held.size(); a++) z[at(held[a])] = lambda[a];
        for (Index k = 0; k < N; k++) {
            int& side = sides[at(k)];
            int now = side;
            if (side == 0)
                now = t[at(k)] < p.low[k] - near(k) ? -1 : t[at(k)] > p.high[k] + near(k) ? 1 : 0;
            else if (p.low[k] < p.high[k] && side * z[at(k)] > 0.0)
                now = 0;
            changed |= now != side;
            side = now;
        }
        return changed;
    }

    // The same face from the point that was found: what the ridge has left goes. Whether all is kept up to rounding.
    bool refine() {
        for (int k = 0; k < REFINED; k++) {
            const std::vector<double> x(t.begin(), t.begin() + n);
            if (!move(x)) return false;
            double change = 0.0, size = 0.0;
            for (Index j = 0; j < n; j++) change += std::fabs(step[at(j)]), size += std::fabs(t[at(j)]);
            if (change <= SETTLED * size) break;
        }
        for (Index i = 0; i < q; i++) prices[at(i)] = lambda[at(i)];
        std::fill(z.begin(), z.end(), 0.0);
        for (std::size_t a = at(q); a < held.size(); a++) z[at(held[a])] = lambda[a];
        for (Index i = 0; i < m; i++) prices[at(q + i)] = z[at(n + i)];
        bool kept = true;
        for (Index k = 0; k < N; k++) {
            double& here = t[at(k)];
            kept &= here >= p.low[k] - near(k) && here <= p.high[k] + near(k);
            here = sides[at(k)] != 0 ? end(k) : std::min(std::max(here, p.low[k]), p.high[k]);
        }
        for (Index i = 0; i < q; i++) {
            double size = std::fabs(p.e[i]);
            for (Index j = 0; j < n; j++) size += std::fabs(p.E(i, j) * t[at(j)]);
            kept &= std::fabs(activity(N + i, t.data()) - p.e[i]) <= OFF * size;
        }
        return kept;
    }
};

}  // namespace greedyhull
