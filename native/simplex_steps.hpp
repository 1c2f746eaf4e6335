// Pairwise and Newton steps over the simplex, swaps over the l1 ball, scores of columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "arrays.hpp"
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

// Pairwise steps for a small quadratic over the simplex, the inner loop of every corrective round.

// grad += step (G[best] - G[worst]).
GREEDYHULL_CLONES inline void shift_gradient(const double* best, const double* worst, double step, double* grad, Index m) {
    for (Index i = 0; i < m; i++) grad[i] += step * (best[i] - worst[i]);
}

// At most `steps` exact steps from the worst atom that has weight to the best one, until their gradients differ by `tol` at
// most, which bounds the error. Returns the number of steps taken.
inline Index pairwise_burst(Matrix<const double> G, Span<double> grad, Span<double> alpha, Index steps, double tol) {
    const Index m = alpha.size;
    for (Index done = 0; done < steps; done++) {
        Index best = 0, worst = -1;
        for (Index i = 0; i < m; i++) {
            if (grad[i] < grad[best]) best = i;
            if (alpha[i] > 0.0 && (worst < 0 || grad[i] > grad[worst])) worst = i;
        }
        if (worst < 0) return done;
        const double slope = grad[worst] - grad[best];
        if (slope <= tol) return done;
        const double bend = G(best, best) + G(worst, worst) - 2.0 * G(best, worst);
        double step = alpha[worst];
        if (bend * step > slope) {
            step = slope / bend;
            alpha[worst] -= step;
        } else {
            alpha[worst] = 0.0;
        }
        alpha[best] += step;
        shift_gradient(G.row(best), G.row(worst), step, grad.data, m);
    }
    return steps;
}

// A Newton step on a face of the simplex for a small quadratic, with blocking; the Cholesky factorisation is written out, for
// few atoms a call of LAPACK costs more than the work.

struct Face {
    std::vector<double> H, step;
    std::vector<Index> free;
};

// The reduced Hessian of the free atoms relative to the pivot, factorised in place; the step solves H s = grad[pivot] - grad.
// False where it is not positive definite even after a tiny ridge.
inline bool solve_on_face(Matrix<const double> G, Span<double> grad, Index pivot, Index n, Face& face) {
    double* H = face.H.data();
    double* step = face.step.data();
    const Index* free = face.free.data();
    double ridge = 1e-300;
    for (Index a = 0; a < n; a++) {
        const Index i = free[a];
        for (Index b = 0; b <= a; b++) H[a * n + b] = G(i, free[b]) - G(i, pivot) - G(pivot, free[b]) + G(pivot, pivot);
        ridge += 1e-13 * H[a * n + a];
        step[a] = grad[pivot] - grad[i];
    }
    for (Index a = 0; a < n; a++) {
        for (Index b = 0; b <= a; b++) {
            double total = H[a * n + b];
            for (Index t = 0; t < b; t++) total -= H[a * n + t] * H[b * n + t];
            if (b < a) {
                H[a * n + b] = total / H[b * n + b];
                step[a] -= H[a * n + b] * step[b];
            } else if (!(total + ridge > 0.0)) {
                return false;
            } else {
                H[a * n + a] = std::sqrt(total + ridge);
            }
        }
        step[a] /= H[a * n + a];
    }
    for (Index a = n - 1; a >= 0; a--) {
        step[a] /= H[a * n + a];
        for (Index t = 0; t < a; t++) step[t] -= H[a * n + t] * step[a];
    }
    return true;
}

// Minimise over the face {alpha_i = 0 where it is 0 now}; where the boundary blocks, the atom leaves and the rest is solved
// again. `alpha` and `grad` are changed.
inline bool face_newton(Matrix<const double> G, Span<double> grad, Span<double> alpha) {
    const Index m = alpha.size;
    Index pivot = 0, n = 0;
    for (Index i = 0; i < m; i++)
        if (alpha[i] > alpha[pivot]) pivot = i;
    Face face{std::vector<double>(static_cast<std::size_t>(m * m)), std::vector<double>(static_cast<std::size_t>(m)),
              std::vector<Index>(static_cast<std::size_t>(m))};
    for (Index i = 0; i < m; i++)
        if (alpha[i] > 0.0 && i != pivot) face.free[static_cast<std::size_t>(n++)] = i;
    double* step = face.step.data();
    Index* free = face.free.data();
    while (n > 0) {
        if (!solve_on_face(G, grad, pivot, n, face)) return false;
        double shift = 0.0, length = 1.0;
        for (Index a = n - 1; a >= 0; a--) {
            shift -= step[a];
            if (alpha[free[a]] + step[a] * length < 0.0) length = -alpha[free[a]] / step[a];
        }
        if (alpha[pivot] + shift * length <= 0.0) length = -alpha[pivot] / shift;
        step[n] = shift;
        free[n] = pivot;
        Index kept = 0;
        bool dropped = false;
        for (Index a = 0; a <= n; a++) {
            const Index i = free[a];
            const double before = alpha[i];
            double after = before + length * step[a];
            if (length < 1.0 && after <= 1e-15 * before) {
                after = 0.0;
                dropped = dropped || i == pivot;
            }
            alpha[i] = after;
            const double* row = G.row(i);
            for (Index j = 0; j < m; j++) grad[j] += (after - before) * row[j];
            if (after > 0.0 && i != pivot) free[kept++] = i;
        }
        if (length >= 1.0 || dropped || kept == n) return true;
        n = kept;
    }
    return true;
}

}  // namespace greedyhull
