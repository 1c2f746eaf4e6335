// Scores of all columns, and the best of them.
#pragma once

#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "level.hpp"

namespace greedyhull {

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

}  // namespace greedyhull
