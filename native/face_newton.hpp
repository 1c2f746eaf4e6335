// A Newton step on a face of the simplex for a small quadratic, with blocking; the Cholesky factorisation is written out, for
// few atoms a call of LAPACK costs more than the work.
#pragma once

#include <cmath>
#include <vector>

#include "arrays.hpp"

namespace greedyhull {

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
