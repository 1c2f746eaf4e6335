// What is asked of arrays before and after a solve, in one pass each: NumPy needs a pass and a temporary array for each question,
// and microseconds for each call, of which a small solve has few.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "arrays.hpp"

namespace greedyhull {

inline double sum_abs(Span<const double> x) {
    double sum = 0.0;
    for (Index i = 0; i < x.size; i++) sum += std::fabs(x[i]);
    return sum;
}

// The least entry and the sum of all; the sum is NaN where an entry is.
inline std::pair<double, double> least_and_sum(Span<const double> x) {
    double least = std::numeric_limits<double>::infinity(), sum = 0.0;
    for (Index i = 0; i < x.size; i++) least = x[i] < least ? x[i] : least, sum += x[i];
    return {least, sum};
}

inline bool all_finite(Span<const double> x) {
    bool finite = true;
    for (Index i = 0; i < x.size; i++) finite &= std::fabs(x[i]) <= std::numeric_limits<double>::max();
    return finite;
}

struct SquareFacts {
    bool symmetric, dominant;  // Q = Q', entry by entry; no diagonal entry is below the sum of |others| in its row and rounding
    double widest;             // the largest sum of |entries| in a row
};

inline SquareFacts square_facts(Matrix<const double> Q) {
    const Index d = Q.rows;
    const double slack = 1.0 + static_cast<double>(d) * std::numeric_limits<double>::epsilon();
    SquareFacts facts{true, true, 0.0};
    for (Index i = 0; i < d; i++) {
        const double* row = Q.data + i * d;
        for (Index j = 0; j < i; j++) facts.symmetric &= row[j] == Q.data[j * d + i];
        const double sum = sum_abs({row, d}), rest = sum - std::fabs(row[i]);
        facts.dominant &= row[i] >= slack * rest;
        if (!(sum <= facts.widest)) facts.widest = sum;
    }
    return facts;
}

}  // namespace greedyhull
