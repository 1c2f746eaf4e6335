// The small quadratic problem over a budget, and the scores of its columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "algebra.hpp"
#include "buffer_pool.hpp"
#include "cpu_dispatch.hpp"

namespace greedyhull {

// Scores of all columns, and the best of them.

GREEDYHULL_CLONES inline void score_all(const double* g, Span<const double> scales, double* scores, Index d) {
    const double scale = scales[0];
    if (scales.size == 1)
        for (Index j = 0; j < d; j++) scores[j] = scale * g[j];
    else
        for (Index j = 0; j < d; j++) scores[j] = scales[j] * g[j];
}

// max |s_j| and max -s_j; four at a time, for a maximum waits for itself as a sum does.
GREEDYHULL_CLONES inline double most_either(const double* s, Index d) {
    double most[4] = {};
    Index j = 0;
    for (; j + 4 <= d; j += 4)
        for (Index k = 0; k < 4; k++) most[k] = std::fabs(s[j + k]) > most[k] ? std::fabs(s[j + k]) : most[k];
    for (; j < d; j++) most[0] = std::fabs(s[j]) > most[0] ? std::fabs(s[j]) : most[0];
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}
GREEDYHULL_CLONES inline double most_falling(const double* s, Index d) {
    double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    Index j = 0;
    for (; j + 4 <= d; j += 4)
        for (Index k = 0; k < 4; k++) least[k] = s[j + k] < least[k] ? s[j + k] : least[k];
    for (; j < d; j++) least[0] = s[j] < least[0] ? s[j] : least[0];
    return -std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

// The two coordinates of the next swap in a budget: where a unit of weight is worth most, and where it is worth least. A swap
// is one pass over the gradient, so the search for the next one rides on the update of the last.

#if defined(__GNUC__)
#define GREEDYHULL_LARGER(a, b) ((a) > (b) ? (a) : (b))
#else
inline algebra::Four larger(algebra::Four a, const algebra::Four& b) {
    for (Index k = 0; k < algebra::LANES; k++) a.x[k] = a.x[k] > b.x[k] ? a.x[k] : b.x[k];
    return a;
}
#define GREEDYHULL_LARGER(a, b) larger(a, b)
#endif

constexpr Index SWAP_BLOCK = 64;  // entries that share a maximum; the entry itself is then looked for in one block

// G <- G + a p - b q, and the maxima of each block: tops of max(-G, both G), owns of side G + bar. A coordinate without weight
// has side 0 and bar minus infinity. Lengths are multiples of four; what is not there is padded.
GREEDYHULL_CLONES inline void swap_pass(Index m, double a, const double* p, double b, const double* q, double* G, double both,
                                        const double* side, const double* bar, double* tops, double* owns) {
    using namespace algebra;
    const double none = -INFINITY;
    const double lowest[LANES] = {none, none, none, none};
    for (Index from = 0, k = 0; from < m; from += SWAP_BLOCK, k++) {
        const Index to = std::min(from + SWAP_BLOCK, m);
        Four top = GREEDYHULL_LOAD(Doubles, lowest), own = top;
        Index i = from;
        for (; i + LANES <= to; i += LANES) {
            Four g = GREEDYHULL_LOAD(Doubles, G + i);
            g = g + (a * GREEDYHULL_LOAD(Doubles, p + i) + (-b) * GREEDYHULL_LOAD(Doubles, q + i));
            GREEDYHULL_STORE(G + i, g);
            const Four down = -1.0 * g, up = both * g;
            const Four reach = GREEDYHULL_LARGER(down, up);
            top = GREEDYHULL_LARGER(reach, top);
            const Four mine = GREEDYHULL_LOAD(Doubles, side + i) * g + GREEDYHULL_LOAD(Doubles, bar + i);
            own = GREEDYHULL_LARGER(mine, own);
        }
        tops[k] = std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
        owns[k] = std::max(std::max(own[0], own[1]), std::max(own[2], own[3]));
        for (; i < to; i++) {
            const double g = G[i] += a * p[i] - b * q[i];
            const double reach = -g > both * g ? -g : both * g, mine = side[i] * g + bar[i];
            tops[k] = reach > tops[k] ? reach : tops[k], owns[k] = mine > owns[k] ? mine : owns[k];
        }
    }
}

// Keeps signs of the weights and the maxima between swaps.
class SwapScan {
   public:
    double top = 0.0, own = 0.0;  // the largest of -score, and of the scores of those with weight
    Index to = -1, from = -1;     // their coordinates, the first of several; -1 where there is none

    void begin(Index m, bool positive, const double* x, double* G) {
        m_ = m, both_ = positive ? -1.0 : 1.0;
        const auto size = static_cast<std::size_t>(m), blocks = static_cast<std::size_t>((m + SWAP_BLOCK - 1) / SWAP_BLOCK);
        side_.resize(size), bar_.resize(size), zero_.assign(size, 0.0), tops_.resize(blocks), owns_.resize(blocks);
        for (Index i = 0; i < m; i++) weigh(i, x[i]);
        pass(0.0, nullptr, 0.0, nullptr, G);
    }

    void weigh(Index i, double x) {  // the weight of i is now x
        const auto at = static_cast<std::size_t>(i);
        side_[at] = x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
        bar_[at] = x == 0.0 ? -INFINITY : 0.0;
    }

    // G <- G + a p - b q, p or q null for zero, and where the next swap leads.
    void pass(double a, const double* p, double b, const double* q, double* G) {
        swap_pass(m_, a, p ? p : zero_.data(), b, q ? q : zero_.data(), G, both_, side_.data(), bar_.data(), tops_.data(), owns_.data());
        const Index t = first(tops_, top), f = first(owns_, own);
        to = from = -1;
        if (t >= 0)
            for (Index i = t; i < m_ && to < 0; i++)
                if ((-G[i] > both_ * G[i] ? -G[i] : both_ * G[i]) == top) to = i;
        if (f >= 0)
            for (Index i = f; i < m_ && from < 0; i++)
                if (side_[static_cast<std::size_t>(i)] * G[i] + bar_[static_cast<std::size_t>(i)] == own) from = i;
    }

   private:
    Index m_ = 0;
    double both_ = 1.0;
    std::vector<double> side_, bar_, zero_, tops_, owns_;

    // Where the block with the largest maximum begins.
    static Index first(const std::vector<double>& maxima, double& most) {
        Index found = -1;
        most = -INFINITY;
        for (std::size_t k = 0; k < maxima.size(); k++)
            if (maxima[k] > most) most = maxima[k], found = static_cast<Index>(k) * SWAP_BLOCK;
        return found;
    }
};

// Quadratics over the simplex in many weights, badly conditioned: guess which weights are positive, minimise with the others
// at zero and no other constraint, and let signs and prices correct the guess. Swaps would take thousands of steps there. Often
// five to ten guesses end it; nothing promises that, and who asks has other ways.

constexpr int MOST_SETS = 12;  // guesses, each a factorisation
constexpr int MOST_RISES = 2;  // how often a guess may be corrected in more places than the one before

class ActiveSets {
   public:
    // Moves u to the minimum over the simplex, and its gradient g along, if the guesses settle: weights that stay zero promise
    // less than `tol` then. Else both stay as they are.
    bool settle(Index size, const double* hessian, double tol, std::vector<double>& u, std::vector<double>& g) {
        m = size, H = hessian, base = g;
        double here = 0.0;
        for (Index i = 0; i < m; i++) here += u[at(i)] * g[at(i)];
        positive.resize(at(m));
        for (Index i = 0; i < m; i++) positive[at(i)] = u[at(i)] > 0.0 || g[at(i)] < here;
        for (Index i = 0; i < m; i++)
            if (u[at(i)] != 0.0) algebra::add_one(H + i * m, -u[at(i)], m, base.data());  // the gradient at zero
        pivot = std::max_element(u.begin(), u.end()) - u.begin();
        Index last = m;
        for (int k = 0, rises = 0; k < MOST_SETS && rises <= MOST_RISES; k++) {
            if (!minimise()) return false;
            const Index wrong = corrected(tol);
            if (wrong == 0) return take(u, g);
            rises += wrong > last, last = wrong;
            pivot = std::max_element(x.begin(), x.end()) - x.begin();
        }
        return false;
    }

   private:
    Index m = 0, pivot = 0;
    const double* H = nullptr;
    std::vector<double> base, x, G, step;
    std::vector<char> positive;
    std::vector<Index> free;
    Numbers M, kept;

    // x, the minimum where all but the guessed weights are zero and the sum is one, and the gradient G there. Weights are told
    // from the pivot's, so that what all of them have in common does not drown the rest.
    bool minimise() {
        free.clear();
        for (Index i = 0; i < m; i++)
            if (positive[at(i)] && i != pivot) free.push_back(i);
        const Index k = static_cast<Index>(free.size());
        const double *Hp = H + pivot * m, Hpp = Hp[pivot];
        M.resize(at(k * k)), step.resize(at(k));
        double trace = 0.0;
        for (Index a = 0; a < k; a++) {
            const double *Ha = H + free[at(a)] * m, shared = Hpp - Hp[free[at(a)]];
            double* row = M.data() + a * k;
            for (Index b = 0; b <= a; b++) row[b] = Ha[free[at(b)]] - Hp[free[at(b)]] + shared;
            trace += row[a];
        }
        if (!factorised(k, trace)) return false;
        x.assign(at(m), 0.0), x[at(pivot)] = 1.0;
        G = base;
        algebra::add_one(Hp, 1.0, m, G.data());
        for (int again = 0; again < 2; again++) {  // the second time for what the ridge of the factor has cost
            for (Index a = 0; a < k; a++) step[at(a)] = G[at(pivot)] - G[at(free[at(a)])];
            algebra::cholesky_solve(k, M.data(), step.data());
            double moved = 0.0;
            for (Index a = 0; a < k; a++) {
                if (!std::isfinite(step[at(a)])) return false;
                x[at(free[at(a)])] += step[at(a)], moved += step[at(a)];
                algebra::add_one(H + free[at(a)] * m, step[at(a)], m, G.data());
            }
            x[at(pivot)] -= moved;
            algebra::add_one(Hp, -moved, m, G.data());
        }
        return true;
    }

    bool factorised(Index k, double trace) {
        kept = M;
        for (double ridge = 1e-13; ridge < 1e-6; ridge *= 1e3) {
            for (Index a = 0; a < k; a++) M[at(a * k + a)] += ridge * trace + 1e-300;
            if (algebra::cholesky(k, M.data())) return true;
            M = kept;
        }
        return false;
    }

    // How many of the guesses were wrong: weights that are negative, and others that promise more than `tol`.
    Index corrected(double tol) {
        Index wrong = 0;
        const double price = G[at(pivot)];
        for (Index i = 0; i < m; i++) {
            const bool now = positive[at(i)] || i == pivot ? x[at(i)] > 0.0 : G[at(i)] < price - tol;
            wrong += now != (positive[at(i)] || i == pivot), positive[at(i)] = now;
        }
        return wrong;
    }

    bool take(std::vector<double>& u, std::vector<double>& g) {
        double change = 0.0;
        for (Index i = 0; i < m; i++) change += 0.5 * (x[at(i)] - u[at(i)]) * (g[at(i)] + G[at(i)]);
        if (!(change <= 0.0)) return false;
        u.swap(x), g.swap(G);
        return true;
    }
};

// Small quadratics over a budget: the heart of a corrective round, in signed coordinates. An l1 ball needs no +/- atoms and no
// atom for what is left of the budget.

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
