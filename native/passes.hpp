// Passes over arrays: checks before a solve, observed entries of a product of factors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"
#include "cpu_dispatch.hpp"

namespace greedyhull {

// What is asked of arrays before a solve, in one pass each: NumPy needs a pass, a temporary array and a microsecond or two for each
// question, and a small solve has few of them.
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

// Some entries of a product of factors, and the products of a sparse residual with both factors: what a descent over the
// factors of a matrix does in each evaluation. Entries are by row: those of row i stand from starts[i] to starts[i + 1].
struct Places {
    Span<const Index> starts;
    Span<const std::uint32_t> columns;
};

// For both kinds of numbers: clones cannot be made of templates.
#define GREEDYHULL_OBSERVED(T, Kind)                                                                                    \
    /* out_e <- <U_i, V_j> for the e-th entry (i, j); rows of U and V have r numbers. */                                \
    GREEDYHULL_CLONES inline void observed_entries(Places at, Index r, const T* U, const T* V, T* out) {                \
        using namespace algebra;                                                                                        \
        for (Index i = 0; i + 1 < at.starts.size; i++) {                                                                \
            const T* u = U + i * r;                                                                                     \
            for (Index e = at.starts[i]; e < at.starts[i + 1]; e++) {                                                   \
                const T* v = V + static_cast<Index>(at.columns[e]) * r;                                                 \
                Four p{}, q{};                                                                                          \
                Index k = 0;                                                                                            \
                for (; k + 2 * LANES <= r; k += 2 * LANES) {                                                            \
                    p = p + GREEDYHULL_LOAD(Kind, u + k) * GREEDYHULL_LOAD(Kind, v + k);                                \
                    q = q + GREEDYHULL_LOAD(Kind, u + k + LANES) * GREEDYHULL_LOAD(Kind, v + k + LANES);                \
                }                                                                                                       \
                for (; k + LANES <= r; k += LANES) p = p + GREEDYHULL_LOAD(Kind, u + k) * GREEDYHULL_LOAD(Kind, v + k); \
                double rest = 0.0;                                                                                      \
                for (; k < r; k++) rest += static_cast<double>(u[k]) * static_cast<double>(v[k]);                       \
                p = p + q;                                                                                              \
                out[e] = static_cast<T>(GREEDYHULL_SUM(p) + rest);                                                      \
            }                                                                                                           \
        }                                                                                                               \
    }                                                                                                                   \
    /* left <- GV and right <- G'U, where G has the entries c, in one pass over them. */                                \
    GREEDYHULL_CLONES inline void observed_products(Places at, Index r, const T* c, const T* U, const T* V,             \
                                                    T* left, T* right) {                                                \
        for (Index i = 0; i + 1 < at.starts.size; i++) {                                                                \
            const T* GREEDYHULL_RESTRICT u = U + i * r;                                                                 \
            T* GREEDYHULL_RESTRICT l = left + i * r;                                                                    \
            std::fill(l, l + r, T(0));                                                                                  \
            for (Index e = at.starts[i]; e < at.starts[i + 1]; e++) {                                                   \
                const Index j = static_cast<Index>(at.columns[e]) * r;                                                  \
                const T* GREEDYHULL_RESTRICT v = V + j;                                                                 \
                T* GREEDYHULL_RESTRICT t = right + j;                                                                   \
                const T by = c[e];                                                                                      \
                for (Index k = 0; k < r; k++) {                                                                         \
                    l[k] += by * v[k];                                                                                  \
                    t[k] += by * u[k];                                                                                  \
                }                                                                                                       \
            }                                                                                                           \
        }                                                                                                               \
    }
GREEDYHULL_OBSERVED(double, Doubles)
GREEDYHULL_OBSERVED(float, Floats)
#undef GREEDYHULL_OBSERVED

}  // namespace greedyhull
