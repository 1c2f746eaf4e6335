// Swaps of weight between two atoms of an l1 ball, for a quadratic whose matrix is at hand.
#pragma once

#include <algorithm>
#include <cmath>

#include "arrays.hpp"

namespace greedyhull {

// At most `steps` exact swaps for w'Qw/2 - b'w over sum |w_j|/scale_j <= r; `w` and its gradient `g` are changed. Returns the
// gap <g, w> + r max_j scale_j |g_j|, and stops where it is `tol` at most.
inline double l1_swaps(Matrix<const double> Q, Span<const double> scale, Span<double> g, Span<double> w, double r, double tol,
                       Index steps) {
    const Index d = w.size;
    double rest = r, gap = 0.0;  // what is not used of the budget lies at the origin
    for (Index j = 0; j < d; j++) rest -= std::fabs(w[j]) / scale[j];
    for (Index k = 0; k < steps; k++) {
        Index best = 0, near = -1, worst = -1;
        double least = -1.0, close = 0.0, most = 0.0;
        for (Index j = 0; j < d; j++) {
            double score = g[j] * scale[j];
            if (std::fabs(score) > least) best = j, least = std::fabs(score);
            if (w[j] != 0.0) {
                if (w[j] < 0.0) score = -score;
                if (worst < 0 || score > most) worst = j, most = score;
                if (near < 0 || -score > close) near = j, close = -score;
            }
        }
        if (rest > 1e-15 * r && (worst < 0 || most < 0.0)) worst = -1, most = 0.0;
        if (k % 8 == 0 || r * (least + most) <= tol) {  // the gap is r(least + most) at most
            gap = r * least;
            for (Index j = 0; j < d; j++) gap += g[j] * w[j];
            if (gap <= tol) return gap;
        }
        double up;
        if (near >= 0 && close + most >= 0.5 * (least + most)) {  // an active atom that is nearly as good: few stay active
            best = near, least = close;
            up = w[best] > 0.0 ? scale[best] : -scale[best];
        } else {
            up = g[best] > 0.0 ? -scale[best] : scale[best];
        }
        double down = 0.0, room = rest, bend = up * up * Q(best, best);
        if (worst >= 0) {
            down = w[worst] > 0.0 ? scale[worst] : -scale[worst];
            room = std::fabs(w[worst]) / scale[worst];
            bend += down * down * Q(worst, worst) - 2.0 * up * down * Q(best, worst);
        }
        const double step = bend * room > least + most ? (least + most) / bend : room;
        rest += std::fabs(w[best]) / scale[best];
        if (worst >= 0 && worst != best) {
            rest += std::fabs(w[worst]) / scale[worst];
            w[worst] = step < room ? w[worst] - step * down : 0.0;
            rest -= std::fabs(w[worst]) / scale[worst];
            w[best] += step * up;
        } else {
            w[best] += step * (up - down);
        }
        rest -= std::fabs(w[best]) / scale[best];
        const double* joins = Q.row(best);
        const double* leaves = Q.row(std::max<Index>(worst, 0));
        for (Index j = 0; j < d; j++) g[j] += step * (up * joins[j] - down * leaves[j]);
    }
    return gap;
}

}  // namespace greedyhull
