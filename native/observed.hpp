// Some entries of a product of factors, and the products of a sparse residual with both factors: what a descent over the
// factors of a matrix does in each evaluation. Entries are by row: those of row i stand from starts[i] to starts[i + 1].
#pragma once

#include <algorithm>
#include <cstdint>

#include "algebra.hpp"
#include "level.hpp"

namespace greedyhull {

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
