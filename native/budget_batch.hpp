// Many small quadratics over one budget that share their Hessian: one loop over the problems, each begun near its neighbour.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "budget_qp.hpp"

namespace greedyhull {

constexpr Index WHOLE = 96;     // coordinates that are solved for all at once
constexpr Index JOIN = 20;      // of more, so many join in a round at least
constexpr double INNER = 0.01;  // the part of the gap to which a round is solved
constexpr double KEPT = 0.5;    // the share of the answer before that must be left to begin from

// u'Hu/2 - c'u over a budget, for one problem after another. Of many coordinates only those with weight and the most promising
// others are solved for in a round; the gradient of all follows.
class BudgetBatch {
   public:
    BudgetBatch(Budget set, Matrix<const double> hessian) : budget(set), H(hessian), m(hessian.rows) {}

    // The start: the better of `near`, without the coordinate `out`, and the best single atom. `g` comes as the gradient -c at
    // the origin, and leaves as the one at `u`.
    void begin(const double* near, double* u, double* g, Index out) {
        auto [best, at, scale] = atom(g, out);
        double used = 0.0, all = 0.0;
        for (Index i = 0; i < m; i++) all += std::fabs(near[i]), used += i == out ? 0.0 : std::fabs(near[i]);
        std::fill(u, u + m, 0.0);
        if (used > 0.0 && used >= KEPT * all) {
            const double by = budget.whole ? 1.0 / used : 1.0;
            linear.assign(g, g + m);
            double value = 0.0;
            for (Index i = 0; i < m; i++) {
                if (i == out || near[i] == 0.0) continue;
                u[i] = near[i] * by;
                algebra::add_one(H.row(i), u[i], m, g);
            }
            for (Index i = 0; i < m; i++) value += 0.5 * (g[i] + linear[static_cast<std::size_t>(i)]) * u[i];
            if (value <= best) return;
            std::fill(u, u + m, 0.0);
            std::copy(linear.begin(), linear.end(), g);
        }
        if (at < 0) return;  // the origin is the best
        u[at] = scale;
        algebra::add_one(H.row(at), scale, m, g);
    }

    // Rounds until the Frank-Wolfe gap is `tol` at most; returns how many were made. `u` and its gradient `g` are changed.
    Index solve(double* u, double* g, double tol, Index out, Index rounds) {
        for (Index k = 0; k < rounds; k++) {
            const double gap = look(u, g, out);
            if (!(gap > tol)) return k;
            choose(u, out);
            const std::size_t size = A.size();
            square.resize(size * size), qp.u.resize(size), qp.g.resize(size);
            for (std::size_t a = 0; a < size; a++) {
                const double* row = H.row(A[a]);
                for (std::size_t b = 0; b < size; b++) square[a * size + b] = row[A[b]];
                qp.u[a] = u[A[a]], qp.g[a] = g[A[a]];
            }
            qp.solve(budget, static_cast<Index>(size), square.data(), std::max(0.5 * tol, INNER * gap));
            bool moved = false;
            for (std::size_t a = 0; a < size; a++) {
                const double by = qp.u[a] - u[A[a]];
                if (by == 0.0) continue;
                moved = true;
                u[A[a]] = qp.u[a];
                algebra::add_one(H.row(A[a]), by, m, g);
            }
            if (!moved) return k;  // rounding allows no more
        }
        return rounds;
    }

   private:
    struct Atom {
        double value;
        Index at;
        double scale;
    };

    Budget budget;
    Matrix<const double> H;
    Index m;
    BudgetQP qp;
    std::vector<double> linear, square;
    std::vector<Index> A;
    std::vector<std::pair<double, Index>> scores;
    double here = 0.0;

    // The best point on one coordinate: a whole atom, or, where the sum may be less, as much of it as lowers the value most.
    Atom atom(const double* g, Index out) const {
        Atom best{budget.whole ? INFINITY : 0.0, -1, 0.0};
        for (Index i = 0; i < m; i++) {
            if (i == out) continue;
            const double c = budget.positive ? -g[i] : std::fabs(g[i]), bend = H(i, i);
            const double t = budget.whole || !(bend > c) ? 1.0 : std::max(c / bend, 0.0), value = t * (0.5 * bend * t - c);
            if (value < best.value) best = {value, i, budget.positive || g[i] <= 0.0 ? t : -t};
        }
        return best;
    }

    // The Frank-Wolfe gap; the scores of all coordinates are kept for `choose`.
    double look(const double* u, const double* g, Index out) {
        double least = budget.whole ? INFINITY : 0.0;
        here = 0.0;
        scores.clear();
        for (Index i = 0; i < m; i++) {
            here += g[i] * u[i];
            if (i == out) continue;
            const double score = budget.positive ? g[i] : -std::fabs(g[i]);
            least = std::min(least, score);
            if (u[i] == 0.0) scores.emplace_back(score, i);
        }
        return here - least;
    }

    // Coordinates to solve for: all of few; else those with weight and, of the others that promise something, the best.
    void choose(const double* u, Index out) {
        A.clear();
        for (Index i = 0; i < m; i++)
            if (i != out && (m <= WHOLE || u[i] != 0.0)) A.push_back(i);
        if (m <= WHOLE) return;
        const std::size_t joining = std::min(scores.size(), static_cast<std::size_t>(JOIN) + A.size() / 2);
        std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(joining), scores.end());
        for (std::size_t a = 0; a < joining; a++)
            if (scores[a].first < here) A.push_back(scores[a].second);
    }
};

// Every row of U and G is a problem. With `afresh` a row of G is -c, and `near` is where the first problem begins, unless it
// is zero; else G is the gradient at U. `without` names a coordinate that stays zero, or none (-1). `made` gets the number of
// rounds. Numbers that are not finite leave a problem as it is.
inline void budget_batch(Matrix<const double> H, Budget set, Matrix<double> U, Matrix<double> G, Span<const double> tol,
                         Span<const Index> without, Span<double> near, bool afresh, Index rounds, Span<Index> made) {
    BudgetBatch batch(set, H);
    for (Index i = 0; i < U.rows; i++) {
        if (afresh) batch.begin(near.data, U.row(i), G.row(i), without[i]);
        made[i] = batch.solve(U.row(i), G.row(i), tol[i], without[i], rounds);
        if (afresh) std::copy(U.row(i), U.row(i) + U.columns, near.data);
    }
}

}  // namespace greedyhull
