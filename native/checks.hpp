// What is asked of arrays before a solve, in one pass each: NumPy needs a pass, a temporary array and a microsecond or two for each
// question, and a small solve has few of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"

namespace greedyhull {

inline bool all_finite(Span<const double> x) {
    bool finite = true;
    for (Index i = 0; i < x.size; i++) finite &= std::fabs(x[i]) <= std::numeric_limits<double>::max();
    return finite;
}

struct SquareFacts {
    bool symmetric, dominant;  // Q = Q', entry by entry; no diagonal entry is below the sum of |others| in its row and rounding
    double widest;             // the largest sum of |entries| in a row
};

// In tiles: a column that is read beside a row would miss the cache at every entry.
inline bool is_symmetric(Matrix<const double> Q) {
    constexpr Index TILE = 32;
    const Index d = Q.rows;
    bool same = true;
    for (Index i = 0; i < d && same; i += TILE)
        for (Index j = 0; j <= i; j += TILE)
            for (Index a = i; a < std::min(i + TILE, d); a++)
                for (Index b = j; b < std::min(j + TILE, a); b++) same &= Q.data[a * d + b] == Q.data[b * d + a];
    return same;
}

// Whether the symmetric Q + shift I has a Cholesky factor, for Q so small that a call of LAPACK would take longer.
inline bool is_definite(Matrix<const double> Q, double shift) {
    const Index d = Q.rows;
    std::vector<double> L(Q.data, Q.data + d * d);
    for (Index i = 0; i < d; i++) L[static_cast<std::size_t>(i * d + i)] += shift;
    return algebra::cholesky(d, L.data());
}

inline SquareFacts square_facts(Matrix<const double> Q) {
    const Index d = Q.rows;
    const double slack = 1.0 + static_cast<double>(d) * std::numeric_limits<double>::epsilon();
    SquareFacts facts{is_symmetric(Q), true, 0.0};
    for (Index i = 0; i < d; i++) {
        const double* row = Q.data + i * d;
        double sum = 0.0;
        for (Index j = 0; j < d; j++) sum += std::fabs(row[j]);
        const double rest = sum - std::fabs(row[i]);
        facts.dominant &= row[i] >= slack * rest;
        if (!(sum <= facts.widest)) facts.widest = sum;
    }
    return facts;
}

}  // namespace greedyhull
