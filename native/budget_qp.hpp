// Small quadratics over a budget: the heart of a corrective round, in signed coordinates. An l1 ball needs no +/- atoms and no
// atom for what is left of the budget.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "active_sets.hpp"
#include "algebra.hpp"
#include "scratch.hpp"
#include "swap_scan.hpp"

namespace greedyhull {

constexpr Index FEW = 96;            // weights
constexpr Index BURST_OF_MANY = 8;   // swaps for each of more than a few weights, before the next face is solved for

// sum |u_i| <= 1, or with `positive` u >= 0 too; with `whole` the sum is one.
struct Budget {
    bool positive, whole;
};

// min <c, u - u0> + (u - u0)'H(u - u0)/2 over a budget. Swaps of weight between two coordinates find the face, Newton steps
// solve on it; the two alternate until the pairwise gap is at most `tol`. `u` and its gradient `g` are changed.
class BudgetQP {
   public:
    std::vector<double> u, g;

    // The least <g, .> over the set less the score of where we are is minus the Frank-Wolfe gap.
    static double best(const Budget& b, const double* g, Index m) {
        double least = b.whole ? INFINITY : 0.0;
        if (b.positive)
            for (Index i = 0; i < m; i++) least = std::min(least, g[i]);
        else
            for (Index i = 0; i < m; i++) least = std::min(least, -std::fabs(g[i]));
        return least;
    }

    void solve(Budget set, Index size, const double* hessian, double tol, Index rounds = 60) {
        budget = set, m = size, H = hessian, c = g, u0 = u;
        const bool many = m > FEW;
        const Index burst = many ? BURST_OF_MANY * m : 2 * m + 8;  // a swap is one pass over m, a face of many a factorisation
        bool polished = many;  // of many the last digits cost too much
        for (Index k = 0; k < rounds; k++) {
            if (swaps(burst, tol) < burst) {
                if (polished) break;
                polished = true;
            }
            if (k == 0 && many && budget.whole && budget.positive && sets.settle(m, H, 0.5 * tol, u, g)) continue;
            face(many ? 3 : 4);
        }
        normalise(u);
    }

   private:
    Budget budget{};
    Index m = 0;
    const double* H = nullptr;
    std::vector<double> c, u0, step, move, stopped, cut, by_stopped, by_cut;
    Numbers M, kept;
    std::vector<Index> A;
    SwapScan scan;
    ActiveSets sets;

    double left() const {
        double used = 0.0;
        for (double x : u) used += std::fabs(x);
        return budget.whole || 1.0 - used < 1e-13 ? 0.0 : 1.0 - used;
    }

    void normalise(std::vector<double>& x) const {  // rounding must not leave the set
        double used = 0.0;
        for (double v : x) used += std::fabs(v);
        if (used > 0.0 && (used > 1.0 - 1e-13 || budget.whole))  // what is left of the budget may be rounding as well
            for (double& v : x) v /= used;
    }

    // At most `steps` exact swaps; fewer where the pairwise gap is `tol` at most.
    Index swaps(Index steps, double tol) {
        double slack = left();
        double *G = g.data(), *x = u.data();
        scan.begin(m, budget.positive, x, G);
        for (Index k = 0; k < steps; k++) {
            const bool joining = budget.whole || scan.top > 0.0, leaving = scan.own > (slack > 0.0 ? 0.0 : -INFINITY);
            const Index to = joining ? scan.to : -1, from = leaving ? scan.from : -1;
            const double least = joining ? -scan.top : 0.0, most = leaving ? scan.own : slack > 0.0 ? 0.0 : -INFINITY;
            const double promise = most - least;
            if (!(promise > tol)) return k;
            const double up = to < 0 ? 0.0 : (budget.positive || G[to] <= 0.0 ? 1.0 : -1.0);
            const double down = from < 0 ? 0.0 : (x[from] > 0.0 ? 1.0 : -1.0);
            const double room = from < 0 ? slack : std::fabs(x[from]);
            const double *joins = to < 0 ? nullptr : H + to * m, *leaves = from < 0 ? nullptr : H + from * m;
            double bend = 0.0;
            if (joins) bend += joins[to];
            if (leaves) bend += leaves[from];
            if (joins && leaves) bend -= 2.0 * up * down * joins[from];
            const bool whole_way = !(bend * room > promise);
            const double t = whole_way ? room : promise / bend;
            double before = 0.0, after = 0.0;
            if (to == from) {
                before = std::fabs(x[to]);
                x[to] += t * (up - down);
                after = std::fabs(x[to]);
            } else {
                if (from >= 0) before += room, x[from] = whole_way ? 0.0 : x[from] - t * down, after += std::fabs(x[from]);
                if (to >= 0) before += std::fabs(x[to]), x[to] += t * up, after += std::fabs(x[to]);
            }
            if (!budget.whole) slack = from < 0 && whole_way ? 0.0 : std::max(slack + before - after, 0.0);
            if (to >= 0) scan.weigh(to, x[to]);
            if (from >= 0) scan.weigh(from, x[from]);
            scan.pass(t * up, joins, t * down, leaves, G);
        }
        return steps;
    }

    // Newton steps on the face of u. Where signs would flip, the better of "all that flip become zero" and "stop at the first".
    void face(int tries) {
        bool loose = false;  // the budget is used up, but not wanted
        for (int k = 0; k < tries; k++) {
            A.clear();
            for (Index i = 0; i < m; i++)
                if (u[static_cast<std::size_t>(i)] != 0.0) A.push_back(i);
            if (A.empty()) return;
            const double slack = left();
            const bool tight = slack == 0.0 && !loose;
            if (!(tight ? newton_within() : newton_free(slack))) return;
            double length = 1.0;
            for (std::size_t a = 0; a < A.size(); a++) {
                const double x = u[at(a)], y = x + move[a];
                if (x * y <= 0.0 && x != y) length = std::min(length, x / (x - y));
            }
            if (length >= 1.0) {
                for (std::size_t a = 0; a < A.size(); a++) u[at(a)] += move[a];
                afresh();
                if (!tight || budget.whole) return;
                const double x = u[at(0)], price = x > 0.0 ? -g[at(0)] : g[at(0)];
                if (!(price < 0.0)) return;
                loose = true;
                continue;
            }
            stopped = cut = u;
            for (std::size_t a = 0; a < A.size(); a++) {
                const double x = u[at(a)], y = x + move[a], z = x + length * move[a];
                cut[at(a)] = x * y <= 0.0 ? 0.0 : y;
                stopped[at(a)] = x * z <= 0.0 || std::fabs(z) <= 1e-15 * std::fabs(x) ? 0.0 : z;
            }
            normalise(cut), normalise(stopped);
            const bool all = change(cut, by_cut) <= change(stopped, by_stopped);
            u.swap(all ? cut : stopped);
            const std::vector<double>& by = all ? by_cut : by_stopped;
            for (Index i = 0; i < m; i++) g[static_cast<std::size_t>(i)] += by[static_cast<std::size_t>(i)];
            loose = false;
        }
    }

    std::size_t at(std::size_t a) const { return static_cast<std::size_t>(A[a]); }
    double sign(std::size_t a) const { return u[at(a)] > 0.0 ? 1.0 : -1.0; }

    // The step on the face where the budget stays used up: relative to the coordinate that has most, so that what all of them
    // have in common does not drown the rest.
    bool newton_within() {
        const std::size_t k = A.size();
        move.assign(k, 0.0);
        if (k == 1) return true;
        std::size_t p = 0;
        for (std::size_t a = 1; a < k; a++)
            if (std::fabs(u[at(a)]) > std::fabs(u[at(p)])) p = a;
        const double* Hp = H + A[p] * m;
        const double sp = sign(p), gp = sp * g[at(p)], Hpp = Hp[A[p]];
        M.resize((k - 1) * (k - 1)), step.resize(k - 1);
        double trace = 0.0;
        std::size_t row = 0;
        for (std::size_t a = 0; a < k; a++) {
            if (a == p) continue;
            const double* Ha = H + A[a] * m;
            const double sa = sign(a), shared = Hpp - sa * sp * Hp[A[a]];
            std::size_t column = 0;
            double* out = M.data() + row * (k - 1);
            for (std::size_t b = 0; b < k && column <= row; b++) {
                if (b == p) continue;
                const double sb = sign(b);
                out[column++] = sa * sb * Ha[A[b]] - sb * sp * Hp[A[b]] + shared;
            }
            trace += out[row];
            step[row++] = gp - sa * g[at(a)];
        }
        if (!factorise(static_cast<Index>(k - 1), trace, 1)) return false;
        row = 0;
        double rest = 0.0;
        for (std::size_t a = 0; a < k; a++)
            if (a != p) move[a] = sign(a) * step[row], rest += step[row++];
        move[p] = -sp * rest;
        return true;
    }

    // The step where some of the budget is left; where it would use more than that, the multiplier in closed form.
    bool newton_free(double slack) {
        const std::size_t k = A.size();
        M.resize(k * k), step.resize(2 * k), move.resize(k);
        double trace = 0.0, wants = 0.0, gives = 0.0;
        for (std::size_t a = 0; a < k; a++) {
            const double* Ha = H + A[a] * m;
            for (std::size_t b = 0; b <= a; b++) M[a * k + b] = Ha[A[b]];
            trace += Ha[A[a]];
            step[a] = -g[at(a)], step[k + a] = sign(a);
        }
        if (!factorise(static_cast<Index>(k), trace, 2)) return false;
        for (std::size_t a = 0; a < k; a++) wants += sign(a) * step[a], gives += sign(a) * step[k + a];
        const double price = wants > slack && gives > 0.0 ? (wants - slack) / gives : 0.0;
        for (std::size_t a = 0; a < k; a++) move[a] = step[a] - price * step[k + a];
        return true;
    }

    // M x = step for a few right-hand sides, by Cholesky; a ridge that is as small as rounding allows.
    bool factorise(Index k, double trace, Index sides) {
        kept = M;
        for (double ridge = 1e-13; ridge < 1e-6; ridge *= 1e3) {
            for (Index a = 0; a < k; a++) M[static_cast<std::size_t>(a * k + a)] += ridge * trace + 1e-300;
            if (algebra::cholesky(k, M.data())) {
                for (Index side = 0; side < sides; side++) algebra::cholesky_solve(k, M.data(), step.data() + side * k);
                for (Index a = 0; a < k * sides; a++)
                    if (!std::isfinite(step[static_cast<std::size_t>(a)])) return false;
                return true;
            }
            M = kept;
        }
        return false;
    }

    // What the quadratic changes by from u to x, and what the gradient changes by.
    double change(const std::vector<double>& x, std::vector<double>& by) {
        by.assign(static_cast<std::size_t>(m), 0.0);
        double linear = 0.0, square = 0.0;
        for (Index j : A) {
            const double dx = x[static_cast<std::size_t>(j)] - u[static_cast<std::size_t>(j)];
            if (dx == 0.0) continue;
            const double* row = H + j * m;
            algebra::add_one(row, dx, m, by.data());
            linear += dx * g[static_cast<std::size_t>(j)];
        }
        for (Index j : A)
            square += (x[static_cast<std::size_t>(j)] - u[static_cast<std::size_t>(j)]) * by[static_cast<std::size_t>(j)];
        return linear + 0.5 * square;
    }

    void afresh() {  // so that rounding does not gather
        g = c;
        for (Index j = 0; j < m; j++) {
            const double dx = u[static_cast<std::size_t>(j)] - u0[static_cast<std::size_t>(j)];
            if (dx == 0.0) continue;
            algebra::add_one(H + j * m, dx, m, g.data());
        }
    }
};

}  // namespace greedyhull
