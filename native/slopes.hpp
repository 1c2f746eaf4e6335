// The losses that stochastic steps know, by the numbers that solvers/parts/engines.py gives them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace greedyhull {

enum Loss { SQUARED, LOGISTIC, SQUARED_HINGE, HUBER, POISSON, HINGE, KINKED };

// The derivative of the loss in z; `shape` holds the numbers that the loss depends on.
inline double slope(int loss, const double* shape, double z, double y) {
    switch (loss) {
        case SQUARED: return z - y;
        case LOGISTIC: {
            const double m = y * z, e = std::exp(-std::fabs(m));
            return -y * ((m >= 0.0 ? e : 1.0) / (1.0 + e));
        }
        case SQUARED_HINGE: return -y * std::max(1.0 - y * z, 0.0);
        case HUBER: return std::min(std::max(z - y, -shape[0]), shape[0]);
        case POISSON: return z <= shape[0] ? std::exp(z) - y : std::numeric_limits<double>::infinity();
        case HINGE: return z > y ? std::max(-y, 0.0) : z < y ? std::min(-y, 0.0) : 0.0;
        default: return z - y > shape[2] ? shape[1] : z - y < -shape[2] ? shape[0] : 0.0;  // linear between kinks
    }
}

}  // namespace greedyhull
