// What a path of least squares over budgets tells, however it is followed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "arrays.hpp"

namespace greedyhull {

// y less its mean by the weights p, if that is wanted; zero where no more than rounding is left of it, which no column can fit.
inline std::vector<double> targets(Span<const double> y, Span<const double> p, bool centre) {
    std::vector<double> t(y.data, y.data + y.size);
    double largest = 0.0, left = 0.0;
    for (Index pass = 0; centre && pass < 2; pass++) {  // the second takes away what rounding left of the mean
        double mean = 0.0;
        for (Index i = 0; i < y.size; i++) mean += p[i] * t[static_cast<std::size_t>(i)];
        for (double& x : t) x -= mean;
    }
    for (Index i = 0; i < y.size; i++)
        if (p[i] > 0.0) largest = std::max(largest, std::fabs(y[i])), left = std::max(left, std::fabs(t[static_cast<std::size_t>(i)]));
    if (centre && left <= 4.0 * std::numeric_limits<double>::epsilon() * largest) std::fill(t.begin(), t.end(), 0.0);
    return t;
}

struct SquareStage {
    double value, gap;  // the value at a point, and how far it may be above the least one
    double price;       // what one more unit of radius is worth
    double norm;        // what is used of the radius
    double lost;        // what has been gained since zero, and the gap: a number that the gap may be compared with
};

class SquareTrail {
   public:
    virtual ~SquareTrail() = default;
    virtual Index size() const = 0;    // columns
    virtual double f0() const = 0;     // the value at zero
    virtual double first() const = 0;  // the price there
    // The point for radius r, to a gap of `tol` times the larger of f and what has been gained since zero, or what can be had.
    // With `lazy` the point stays where it is if that is good enough.
    virtual SquareStage to(double r, double tol, bool lazy, const std::function<bool()>& asked) = 0;
    // Its coordinates that are not zero, in units of the budget.
    virtual void each(const std::function<void(Index, double)>& take) const = 0;
};

}  // namespace greedyhull
