// The sets that stochastic steps know, by the numbers that solvers/parts/engines.py gives them: the best atom, and the move.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "rows.hpp"

namespace greedyhull {

enum Kind { L1_BALL, SIMPLEX, BOX, L2_BALL, VERTICES };

// A set and a point of it. Atoms that are coordinates have numbers (+e_1 ... +e_d, -e_1 ... -e_d, scaled): alpha[place[atom]]
// is the weight of one, and the first used[0] places are taken.
struct Point {
    int kind;
    Span<const double> low, high;
    Matrix<const double> rows;
    Span<double> x, alpha;
    Span<Index> atoms, place, used;
};

// alpha <- (1 - eta) alpha + eta at `atom`, which may be new.
inline void reweight(const Point& p, Index atom, double eta) {
    for (Index i = 0; i < p.used[0]; i++) p.alpha[i] *= 1.0 - eta;
    if (p.place[atom] < 0) {
        p.place[atom] = p.used[0];
        p.atoms[p.used[0]] = atom;
        p.alpha[p.used[0]] = 0.0;
        p.used[0] += 1;
    }
    p.alpha[p.place[atom]] += eta;
}

// x <- (1 - eta) x +- eta high_best e_best.
inline void step_to(const Point& p, Index best, bool negative, double eta) {
    for (Index j = 0; j < p.x.size; j++) p.x[j] *= 1.0 - eta;
    p.x[best] += eta * (negative ? -p.high[best] : p.high[best]);
    reweight(p, negative ? best + p.x.size : best, eta);
}

inline void to_coordinate(const Point& p, const double* g, double eta) {
    const Index d = p.x.size;
    Index best = 0;
    if (p.kind == L1_BALL) {  // +-high_j e_j, scored by low_j |g_j|
        for (Index j = 1; j < d; j++)
            if (std::fabs(g[j]) * p.low[j] > std::fabs(g[best]) * p.low[best]) best = j;
    } else {  // high_j e_j
        for (Index j = 1; j < d; j++)
            if (g[j] < g[best]) best = j;
    }
    step_to(p, best, p.kind == L1_BALL && g[best] > 0.0, eta);
}

inline void to_sphere(const Point& p, const double* g, double eta) {
    double largest = 0.0, squares = 0.0;
    for (Index j = 0; j < p.x.size; j++) largest = std::max(largest, std::fabs(g[j]));
    if (largest > 0.0)
        for (Index j = 0; j < p.x.size; j++) squares += (g[j] / largest) * (g[j] / largest);
    const double length = std::sqrt(squares);
    for (Index j = 0; j < p.x.size; j++) {
        const double u = largest > 0.0 ? g[j] / largest / length : (j == 0 ? 1.0 : 0.0);
        p.x[j] = (1.0 - eta) * p.x[j] + eta * (p.low[j] - p.high[j] * u);
    }
}

// x <- (1 - eta) x + eta d, where d is the atom with the least <g, .>.
inline void advance(const Point& p, const double* g, double eta) {
    if (p.kind == L1_BALL || p.kind == SIMPLEX) {
        to_coordinate(p, g, eta);
    } else if (p.kind == BOX) {
        for (Index j = 0; j < p.x.size; j++) p.x[j] = (1.0 - eta) * p.x[j] + eta * (g[j] > 0.0 ? p.low[j] : p.high[j]);
    } else if (p.kind == L2_BALL) {
        to_sphere(p, g, eta);
    } else {
        const DenseRows<double> given{p.rows};
        double least = std::numeric_limits<double>::infinity();
        Index best = 0;
        for (Index i = 0; i < p.rows.rows; i++) {
            const double score = given.product(i, g);
            if (score < least) best = i, least = score;
        }
        for (Index j = 0; j < p.x.size; j++) p.x[j] = (1.0 - eta) * p.x[j] + eta * p.rows(best, j);
    }
}

}  // namespace greedyhull
