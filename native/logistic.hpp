// Logistic loss, slope and curvature in one pass over the margins.
#pragma once

#include <cmath>

#include "arrays.hpp"

namespace greedyhull {

// sum log(1 + exp(-yz)), to a few eps; residual <- -y/(1 + exp(yz)), curvature <- exp(yz)/(1 + exp(yz))^2.
template <class Y, class T>
double logistic_pieces(Span<const Y> y, Span<const T> z, Span<T> residual, Span<T> curvature) {
    double total = 0.0, excess = 0.0;
    for (Index i = 0; i < z.size; i++) {
        const double label = static_cast<double>(y[i]), m = label * static_cast<double>(z[i]);
        const double e = std::exp(-std::fabs(m));
        const double inverse = 1.0 / (1.0 + e);
        excess += e * (1.0 + excess);  // prod(1 + e) - 1, no digit lost: one logarithm for 32 factors
        if ((i & 31) == 31) {
            total += std::log1p(excess);
            excess = 0.0;
        }
        if (m >= 0.0) {
            residual[i] = static_cast<T>(-label * e * inverse);
        } else {
            total -= m;
            residual[i] = static_cast<T>(-label * inverse);
        }
        curvature[i] = static_cast<T>(e * inverse * inverse);
    }
    return total + std::log1p(excess);
}

}  // namespace greedyhull
