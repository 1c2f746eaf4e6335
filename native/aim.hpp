// How far loops go that run several rounds in one call.
#pragma once

#include <algorithm>
#include <cmath>

#include "arrays.hpp"

namespace greedyhull {

// Where to end: after so many rounds, or with a gap of max(absolute, relative max(|value|, floor)). `rounding` is what a gap may be
// off by where the driver has looked; who steers by the aim leaves it out.
struct Aim {
    Index rounds;
    double absolute, relative, floor, rounding;
    double lower = -INFINITY;  // what f is known to be nowhere below: the gap is no more than what the value is above it
    double gap(double value) const { return std::max(absolute, relative * std::max(std::fabs(value), floor)); }
};

}  // namespace greedyhull
