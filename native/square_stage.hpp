// What a path of least squares over budgets tells, however it is followed.
#pragma once

#include <functional>

#include "arrays.hpp"

namespace greedyhull {

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
