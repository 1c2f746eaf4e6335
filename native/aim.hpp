// How far loops go that run several rounds in one call.
#pragma once

#include <algorithm>
#include <cmath>

#include "arrays.hpp"

namespace greedyhull {

struct Aim {  // where to end: after so many rounds, or with a gap of max(absolute, relative max(|value|, floor)) less `rounding`
    Index rounds;
    double absolute, relative, floor, rounding;
    double gap(double value) const { return std::max(absolute, relative * std::max(std::fabs(value), floor)) - rounding; }
};

}  // namespace greedyhull
