// Quadratics over bounds and rows: guesses of the face, and an interior point method.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"

namespace greedyhull {

using Asked = std::function<bool()>;  // whether to end; empty where nobody asks

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double total;
    algebra::dots(a.data(), 0, static_cast<Index>(a.size()), 1, b.data(), &total);
    return total;
}
inline bool all_finite(const double* v, std::size_t m) {
    double total = 0.0;
    for (std::size_t i = 0; i < m; i++) total += 0.0 * v[i];
    return total == 0.0;
}

// A primal-dual interior point method with Mehrotra's corrector. polyhedral_interior.py has the same path, step by step, for
// larger problems; here a call of NumPy would cost more than its work.

// x'Hx/2 + c'x with Ex = e and low <= (x, Gx) <= high; t = (x, Gx) with multipliers zl, zh of its ends, y and v of E and G.
struct RowsProblem {
    Matrix<const double> H;
    Span<const double> c;
    Matrix<const double> G, E;
    Span<const double> e, low, high;
};

class RowsPath {
   public:
    std::vector<double> t, y, v, zl, zh;

    RowsPath(const RowsProblem& problem, Span<const double> x) : p(problem), n(p.c.size), m(p.G.rows), q(p.E.rows) {
        members.resize(at(m));
        for (Index i = 0; i < m; i++)
            for (Index j = 0; j < n; j++)
                if (p.G(i, j) != 0.0) members[at(i)].push_back(j);
        begin(x);
    }

    void follow(double tol, const Asked& asked) {
        for (Index k = 0; k < N; k++) ends += std::isfinite(p.low[k]), ends += std::isfinite(p.high[k]);
        for (int k = 0; k < MOST && ends > 0; k++) {
            const double gap = look();
            const bool there = gap <= tol && kept() && steady();
            if (there || gap <= BEYOND * tol || !(gap > 0.0) || !apart() || (asked && asked())) return;
            if (!factorise() || !move(gap / static_cast<double>(ends))) return;
            lagrange();
        }
    }

    bool finite() const { return all_finite(t.data(), t.size()) && all_finite(y.data(), y.size()); }

   private:
    static constexpr int MOST = 60;
    static constexpr double INSIDE = 0.9995, INWARD = 0.2, STEADY = 1e-9, BEYOND = 1e-6, ON = 1e-13, RIDGE = 1e-13;
    const RowsProblem p;
    const Index n, m, q;
    const Index N = n + m;
    Index ends = 0;
    double size = 0.0;
    std::vector<std::vector<Index>> members;  // of each row of G, where it is not zero
    std::vector<double> sl, sh, slope, near_e, near_g, r_e, r_g, theta, right, dt, dl, dh, to_l, to_h, dy, dv;
    std::vector<double> K, across, S;

    double row(const Matrix<const double>& A, Index i, const double* x) const {
        double total;
        algebra::dots(A.row(i), 0, n, 1, x, &total);
        return total;
    }
    double activity(Index i, const double* x) const {
        double total = 0.0;
        for (Index j : members[at(i)]) total += p.G(i, j) * x[j];
        return total;
    }

    // x and its activities, drawn well between their ends.
    void begin(Span<const double> x) {
        t.assign(x.data, x.data + n);
        for (Index i = 0; i < m; i++) t.push_back(activity(i, x.data));
        double most = 0.0;
        for (Index k = 0; k < N; k++) {
            const double width = p.high[k] - p.low[k];
            most = std::max(most, std::fabs(t[at(k)]));
            if (std::isfinite(width)) most = std::max(most, width);
        }
        if (most == 0.0) most = 1.0;
        for (Index k = 0; k < N; k++) {
            double& x_k = t[at(k)];
            const double width = p.high[k] - p.low[k];
            const double near = INWARD * (std::isfinite(width) ? width : std::max(std::fabs(x_k), most));
            x_k = std::min(std::max(x_k, p.low[k] + near), p.high[k] - near);
        }
        y.assign(at(q), 0.0), v.assign(at(m), 0.0);
        near_e.assign(at(q), 0.0), near_g.assign(at(m), 0.0);
        for (Index i = 0; i < q; i++)
            for (Index j = 0; j < n; j++) near_e[at(i)] += std::fabs(p.E(i, j)) * std::fabs(t[at(j)]);
        for (Index i = 0; i < m; i++)
            for (Index j : members[at(i)]) near_g[at(i)] += std::fabs(p.G(i, j)) * std::fabs(t[at(j)]);
        lagrange();
        for (Index j = 0; j < n; j++) size += std::fabs(slope[at(j)]);
        size = std::max(size / static_cast<double>(n), 1e-300);
        zl.resize(at(N)), zh.resize(at(N));
        for (Index k = 0; k < N; k++) {
            zl[at(k)] = std::isfinite(p.low[k]) ? std::max(slope[at(k)], 0.0) + size : 0.0;
            zh[at(k)] = std::isfinite(p.high[k]) ? std::max(-slope[at(k)], 0.0) + size : 0.0;
        }
        for (auto* a : {&sl, &sh, &theta, &right, &dt, &dl, &dh, &to_l, &to_h}) a->resize(at(N));
        r_e.resize(at(q)), r_g.resize(at(m)), dy.resize(at(q)), dv.resize(at(m));
    }

    // The gradient of the Lagrangian without the ends: that of the quadratic less E'y and G'v for x, and v for activities.
    void lagrange() {
        slope.resize(at(N));
        algebra::dots(p.H.data, n, n, n, t.data(), slope.data());
        for (Index j = 0; j < n; j++) slope[at(j)] += p.c[j];
        for (Index i = 0; i < q; i++) algebra::add_one(p.E.row(i), -y[at(i)], n, slope.data());
        for (Index i = 0; i < m; i++) {
            for (Index j : members[at(i)]) slope[at(j)] -= v[at(i)] * p.G(i, j);
            slope[at(n + i)] = v[at(i)];
        }
    }

    // Distances, and how far rows are from what they should be; the complementarity gap.
    double look() {
        double gap = 0.0;
        for (Index k = 0; k < N; k++) {
            sl[at(k)] = t[at(k)] - p.low[k], sh[at(k)] = p.high[k] - t[at(k)];
            if (std::isfinite(sl[at(k)])) gap += zl[at(k)] * sl[at(k)];
            if (std::isfinite(sh[at(k)])) gap += zh[at(k)] * sh[at(k)];
        }
        for (Index i = 0; i < q; i++) r_e[at(i)] = p.e[i] - row(p.E, i, t.data());
        for (Index i = 0; i < m; i++) r_g[at(i)] = t[at(n + i)] - activity(i, t.data());
        return gap;
    }
    bool kept() const {
        bool good = true;
        for (Index i = 0; i < q; i++) good &= std::fabs(r_e[at(i)]) <= ON * near_e[at(i)];
        for (Index i = 0; i < m; i++) good &= std::fabs(r_g[at(i)]) <= ON * near_g[at(i)];
        return good;
    }
    bool steady() const {
        double off = 0.0;
        for (Index k = 0; k < N; k++) off += std::fabs(slope[at(k)] - zl[at(k)] + zh[at(k)]);
        return off <= STEADY * size * static_cast<double>(n);
    }
    bool apart() const {
        bool good = true;
        for (Index k = 0; k < N; k++) good &= sl[at(k)] != 0.0 && sh[at(k)] != 0.0;
        return good;
    }

    // The factor of H + diag(theta) + G'diag(theta')G, what a unit of each price of E changes, and their Schur complement.
    bool factorise() {
        for (Index k = 0; k < N; k++) theta[at(k)] = zl[at(k)] / sl[at(k)] + zh[at(k)] / sh[at(k)];
        K.assign(p.H.data, p.H.data + n * n);
        for (Index i = 0; i < m; i++)
            for (Index a : members[at(i)]) {
                const double by = theta[at(n + i)] * p.G(i, a);
                for (Index b : members[at(i)]) {
                    if (b > a) break;
                    K[at(a * n + b)] += by * p.G(i, b);
                }
            }
        for (Index j = 0; j < n; j++) K[at(j * n + j)] = (K[at(j * n + j)] + theta[at(j)]) * (1.0 + RIDGE);
        if (!algebra::cholesky(n, K.data())) return false;
        across.assign(p.E.data, p.E.data + q * n), S.resize(at(q * q));
        for (Index i = 0; i < q; i++) algebra::cholesky_solve(n, K.data(), across.data() + i * n);
        for (Index i = 0; i < q; i++)
            for (Index j = 0; j < q; j++) S[at(i * q + j)] = row(p.E, i, across.data() + j * n) * (i == j ? 1.0 + RIDGE : 1.0);
        return algebra::cholesky(q, S.data());
    }

    // dt, dy and dv for the right-hand side; dt has the changes of activities, too.
    void solve() {
        for (Index j = 0; j < n; j++) dt[at(j)] = right[at(j)];
        for (Index i = 0; i < m; i++) {
            const double by = right[at(n + i)] + theta[at(n + i)] * r_g[at(i)];
            for (Index j : members[at(i)]) dt[at(j)] += by * p.G(i, j);
        }
        algebra::cholesky_solve(n, K.data(), dt.data());
        for (Index i = 0; i < q; i++) dy[at(i)] = r_e[at(i)] - row(p.E, i, dt.data());
        algebra::cholesky_solve(q, S.data(), dy.data());
        for (Index i = 0; i < q; i++) algebra::add_one(across.data() + i * n, dy[at(i)], n, dt.data());
        for (Index i = 0; i < m; i++) {
            dt[at(n + i)] = activity(i, dt.data()) - r_g[at(i)];
            dv[at(i)] = right[at(n + i)] - theta[at(n + i)] * dt[at(n + i)];
        }
    }

    // The longest step, at most about 1, that keeps all numbers at 0 or above; 0/0, of no end, is passed over.
    double reach() const {
        double pace = INSIDE;
        const auto note = [&](double change, double here) {
            const double by = -change / here;
            if (by > pace) pace = by;
        };
        for (std::size_t k = 0; k < at(N); k++)
            note(dt[k], sl[k]), note(-dt[k], sh[k]), note(dl[k], zl[k]), note(dh[k], zh[k]);
        return 1.0 / pace;
    }

    bool move(double mu) {
        for (std::size_t k = 0; k < at(N); k++) right[k] = -slope[k];  // zh - zl - (slope - zl + zh)
        solve();  // the predictor: straight to a gap of zero
        for (std::size_t k = 0; k < at(N); k++)
            dl[k] = -zl[k] - zl[k] / sl[k] * dt[k], dh[k] = zh[k] / sh[k] * dt[k] - zh[k];
        const double far = reach();
        double left = 0.0;
        for (std::size_t k = 0; k < at(N); k++) {
            if (std::isfinite(sl[k])) left += (zl[k] + far * dl[k]) * (sl[k] + far * dt[k]);
            if (std::isfinite(sh[k])) left += (zh[k] + far * dh[k]) * (sh[k] - far * dt[k]);
        }
        const double share = std::max(left, 0.0) / (static_cast<double>(ends) * mu), aim = share * share * share * mu;
        for (std::size_t k = 0; k < at(N); k++) {
            to_l[k] = (aim - dt[k] * dl[k]) / sl[k], to_h[k] = (aim + dt[k] * dh[k]) / sh[k];
            right[k] += to_l[k] - to_h[k];
        }
        solve();
        for (std::size_t k = 0; k < at(N); k++)
            dl[k] = to_l[k] - zl[k] - zl[k] / sl[k] * dt[k], dh[k] = to_h[k] - zh[k] + zh[k] / sh[k] * dt[k];
        const double length = std::min(1.0, INSIDE * reach());
        if (!(length > 1e-12) || !all_finite(dt.data(), dt.size())) return false;
        for (std::size_t k = 0; k < at(N); k++)
            t[k] += length * dt[k], zl[k] += length * dl[k], zh[k] += length * dh[k];
        for (std::size_t i = 0; i < at(q); i++) y[i] += length * dy[i];
        for (std::size_t i = 0; i < at(m); i++) v[i] += length * dv[i];
        return true;
    }
};

// Small convex quadratics over bounds and rows by guesses of their face, with one factorisation of the Hessian.
class RowsFaces {
   public:
    std::vector<double> t, prices, z;

    RowsFaces(const RowsProblem& problem, Span<const double> x)
        : p(problem), n(p.c.size), m(p.G.rows), q(p.E.rows), start(x.data, x.data + n) {}

    bool follow() {
        if (!factorise()) return false;
        begin();
        if (!reduce()) return false;
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
    std::vector<double> start, L, V, gram, whole, F, U, S, lambda, mu, delta, eta, step, base, drawn, grad, scratch;
    std::vector<Index> firsts;       // where each column of V begins
    std::vector<Index> place, held;  // the column of V of each bound, row and equation, -1 where there is none; who is in S
    std::vector<int> sides;
    Index columns = 0;

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

    // Columns L^-1 a of V for constraints a, and their inner products with all of V. Those of the equations come first, and
    // have a factor F of their own: with U = F^-1 V_E'V, what is left of the others is V'V - U'U.
    void join(const std::vector<Index>& fresh) {
        const Index many = static_cast<Index>(fresh.size()), old = columns;
        if (many == 0) return;
        V.resize(at((old + many) * n), 0.0), firsts.resize(at(old + many));
        for (Index b = 0; b < many; b++) {
            const Index k = fresh[at(b)];
            double* v = V.data() + (old + b) * n;
            if (k < n)
                std::fill(v, v + n, 0.0), v[k] = 1.0;
            else
                std::copy_n(k < N ? p.G.row(k - n) : p.E.row(k - N), n, v);
            Index& first = firsts[at(old + b)];
            for (first = 0; first + 1 < n && v[first] == 0.0;) first++;
            place[at(k)] = old + b;
        }
        forward(old, many, std::count_if(fresh.begin(), fresh.end(), [&](Index k) { return k >= n; }));
        columns = old + many;
        std::vector<double> wider(at(columns * columns));
        for (Index a = 0; a < old; a++) std::copy_n(gram.data() + a * old, old, wider.data() + a * columns);
        scratch.resize(at(std::max(columns, n)));
        for (Index a = old; a < columns; a++) {
            const Index first = firsts[at(a)];
            algebra::dots(V.data() + first, n, n - first, a + 1, V.data() + a * n + first, scratch.data());
            for (Index b = 0; b <= a; b++) wider[at(a * columns + b)] = wider[at(b * columns + a)] = scratch[at(b)];
        }
        gram.swap(wider);
    }

    // L^-1 of the columns from `old` on. The first `rows` of them may begin anywhere; the others are units, in order, and each
    // takes part from its place on.
    void forward(Index old, Index many, Index rows) {
        scratch.resize(at(std::max(old + many, n)));
        Index least = n;
        for (Index b = 0; b < many; b++) least = std::min(least, firsts[at(old + b)]);
        for (Index a = least, some = rows; a < n; a++) {
            while (some < many && firsts[at(old + some)] <= a) some++;
            algebra::dots(V.data() + old * n + least, n, a - least, some, L.data() + a * n + least, scratch.data());
            for (Index b = 0; b < some; b++) {
                double& v = V[at((old + b) * n + a)];
                v = (v - scratch[at(b)]) / L[at(a * n + a)];
            }
        }
    }

    bool reduce() {
        F.resize(at(q * q));
        for (Index a = 0; a < q; a++)
            for (Index b = 0; b <= a; b++) F[at(a * q + b)] = gram[at(a * columns + b)] * (a == b ? 1.0 + SCHUR : 1.0);
        return algebra::cholesky(q, F.data());
    }

    // U = F^-1 of what columns have to do with the equations, and U'U is taken from what they have to do with each other.
    void across(Index from) {
        U.resize(at(columns * q)), whole.resize(at(columns));
        for (Index c = from; c < columns; c++) {
            std::copy_n(gram.data() + c * columns, q, U.data() + c * q);
            algebra::solve_lower(q, F.data(), q, U.data() + c * q);
            whole[at(c)] = gram[at(c * columns + c)];
            algebra::dots(U.data() + q * q, q, q, c + 1 - q, U.data() + c * q, scratch.data());
            for (Index b = q; b <= c; b++) {
                gram[at(c * columns + b)] -= scratch[at(b - q)];
                gram[at(b * columns + c)] = gram[at(c * columns + b)];
            }
        }
    }

    // The minimiser on the face from x: t, and the multipliers of all that is held.
    bool solve(const std::vector<double>& x) {
        held.clear();
        std::vector<Index> fresh;
        for (Index k = 0; k < N; k++)
            if (sides[at(k)] != 0) {
                held.push_back(k);
                if (place[at(k)] < 0) fresh.push_back(k);
            }
        const Index many = static_cast<Index>(held.size()), old = columns;
        if (many + q > n) return false;  // more than fix a point
        std::stable_partition(fresh.begin(), fresh.end(), [&](Index k) { return k >= n; });
        join(fresh);
        across(old);
        S.resize(at(many * many));
        for (Index a = 0; a < many; a++) {
            const Index i = place[at(held[at(a)])];
            for (Index b = 0; b <= a; b++) S[at(a * many + b)] = gram[at(i * columns + place[at(held[at(b)])])];
            S[at(a * many + a)] += SCHUR * whole[at(i)];
        }
        lambda.assign(at(many), 0.0), mu.assign(at(q), 0.0);
        return algebra::cholesky(many, S.data()) && move(x);
    }

    // t = x + dx and (x + dx)G', with L'dx = L^-1(E'mu + C'lambda - grad) + V delta; mu and lambda grow by delta.
    bool move(const std::vector<double>& x) {
        const Index many = static_cast<Index>(held.size());
        if (&x != &start || base.empty()) {
            slope(x);
            if (&x == &start) base = step;
        } else {
            step = base;
        }
        eta.resize(at(q)), delta.resize(at(many));
        for (Index i = 0; i < q; i++) eta[at(i)] = p.e[i] - activity(N + i, x.data()) - against(i);
        algebra::solve_lower(q, F.data(), q, eta.data());
        for (Index a = 0; a < many; a++) {
            const Index k = held[at(a)], i = place[at(k)];
            double known;
            algebra::dots(U.data() + i * q, 0, q, 1, eta.data(), &known);
            delta[at(a)] = end(k) - activity(k, x.data()) - against(i) - known;
        }
        algebra::cholesky_solve(many, S.data(), delta.data());
        for (Index a = 0; a < many; a++) {
            const Index i = place[at(held[at(a)])];
            lambda[at(a)] += delta[at(a)];
            algebra::add_one(U.data() + i * q, -delta[at(a)], q, eta.data());
            algebra::add_one(V.data() + i * n, delta[at(a)], n, step.data());
        }
        algebra::solve_transposed(q, F.data(), q, eta.data());
        for (Index i = 0; i < q; i++) mu[at(i)] += eta[at(i)], algebra::add_one(V.data() + i * n, eta[at(i)], n, step.data());
        algebra::solve_transposed(n, L.data(), n, step.data());
        for (Index j = 0; j < n; j++) drawn[at(j)] = x[at(j)] + step[at(j)];
        for (Index k = 0; k < N; k++) t[at(k)] = activity(k, drawn.data());
        return all_finite(t.data(), t.size());
    }

    // step <- L^-1(E'mu + C'lambda - grad) at x.
    void slope(const std::vector<double>& x) {
        algebra::dots(p.H.data, n, n, n, x.data(), grad.data());
        for (Index j = 0; j < n; j++) grad[at(j)] += p.c[j];
        for (Index i = 0; i < q; i++) algebra::add_one(p.E.row(i), -mu[at(i)], n, grad.data());
        for (std::size_t a = 0; a < held.size(); a++) {
            const Index k = held[a];
            if (k < n)
                grad[at(k)] -= lambda[a];
            else
                algebra::add_one(p.G.row(k - n), -lambda[a], n, grad.data());
        }
        for (Index j = 0; j < n; j++) step[at(j)] = -grad[at(j)];
        algebra::solve_lower(n, L.data(), n, step.data());
    }

    double against(Index i) const {
        const Index first = firsts[at(i)];
        double known;
        algebra::dots(V.data() + i * n + first, 0, n - first, 1, step.data() + first, &known);
        return known;
    }

    double near(Index k) const {
        const double width = p.high[k] - p.low[k];
        return NEAR * (std::isfinite(width) ? width : 1.0 + std::fabs(t[at(k)]));
    }

    // Whether the signs of multipliers, or places beyond an end, change the guess.
    bool turn() {
        bool changed = false;
        std::fill(z.begin(), z.end(), 0.0);
        for (std::size_t a = 0; a < held.size(); a++) z[at(held[a])] = lambda[a];
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
        for (Index i = 0; i < q; i++) prices[at(i)] = mu[at(i)];
        std::fill(z.begin(), z.end(), 0.0);
        for (std::size_t a = 0; a < held.size(); a++) z[at(held[a])] = lambda[a];
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
