// Exact steps along a line h on [0, 1], as objectives/line.py takes them.
#pragma once

#include <cmath>

namespace greedyhull {

// Of a parabola with this slope at zero and this bend.
inline double parabola_step(double slope, double bend) {
    if (!(slope < 0.0)) return 0.0;
    return bend > -slope ? -slope / bend : 1.0;
}

// Of a convex h by Newton on h' = 0, kept in a bracket by bisection; NaN where the derivative at one is not finite or one is NaN.
// derivatives(eta) gives h' and h''.
template <class Derivatives>
double line_search(const Derivatives& derivatives, double slope) {
    if (!(slope < 0.0)) return 0.0;
    const double end = derivatives(1.0).first;
    if (!std::isfinite(end)) return NAN;
    if (end <= 0.0) return 1.0;
    double low = 0.0, high = 1.0, low_slope = slope, high_slope = end, step = slope / (slope - end), width = 1.0;
    if (!(step > 0.0 && step < 1.0)) step = 0.5;
    int side = 0;
    for (int i = 0; i < 100; i++) {
        const auto [first, second] = derivatives(step);
        if (std::isnan(first)) return NAN;
        if (first < 0.0) {
            low = step, low_slope = first;
            if (side < 0) high_slope *= 0.5;
        } else {
            high = step, high_slope = first;
            if (side > 0) low_slope *= 0.5;
        }
        side = first < 0.0 ? -1 : 1;
        if (std::fabs(first) <= 1e-13 * std::fabs(slope) || high - low <= 4e-16 * high) break;
        double trial;
        if (second > 0.0) {
            trial = step - first / second;
        } else {  // a secant, its older end discounted; every other time the bracket must have halved
            const double turn = high_slope - low_slope;
            trial = turn > 0.0 ? low - low_slope * (high - low) / turn : 0.5 * (low + high);
            if (i % 2 == 1) {
                if (high - low > 0.5 * width) trial = 0.5 * (low + high);
                width = high - low;
            }
        }
        if (!(low < trial && trial < high)) trial = 0.5 * (low + high);
        if (std::fabs(trial - step) <= 1e-15 * step) break;
        step = trial;
    }
    return step;
}

}  // namespace greedyhull
