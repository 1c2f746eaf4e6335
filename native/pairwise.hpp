// Pairwise steps for a small quadratic over the simplex, the inner loop of every corrective round.
#pragma once

#include "arrays.hpp"
#include "level.hpp"

namespace greedyhull {

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

}  // namespace greedyhull
