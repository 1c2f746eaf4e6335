// Data as the corrective rounds see them: X by columns, dense in any order or compressed, float32 or float64.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "blas.hpp"
#include "sparse_columns.hpp"

namespace greedyhull {

// A dense matrix; one of its two strides is one.
template <class T>
struct Dense {
    static constexpr bool sparse = false;
    const T* X;
    Index n, d, row_stride, column_stride;
    bool by_column() const { return row_stride == 1; }

    // g <- X'r.
    void adjoint(const double* r, double* g) const {
        if constexpr (sizeof(T) == 8) {
            if (by_column())
                blas::gemv('T', n, d, 1.0, X, column_stride, r, 1, 0.0, g, 1);
            else
                blas::gemv('N', d, n, 1.0, X, row_stride, r, 1, 0.0, g, 1);
        } else if (by_column()) {
            for (Index j = 0; j < d; j++) g[j] = dot(X + j * column_stride, r, n);
        } else {
            std::fill(g, g + d, 0.0);
            for (Index i = 0; i < n; i++) add_row(r[i], X + i * row_stride, g, d);
        }
    }

    // out <- scale X_j.
    void column(Index j, double scale, double* out) const {
        const T* x = X + j * column_stride;
        for (Index i = 0; i < n; i++) out[i] = scale * static_cast<double>(x[i * row_stride]);
    }

   private:
    static double dot(const T* x, const double* r, Index n) {  // in lanes: a single sum would wait for itself
        double lanes[8] = {};
        Index i = 0;
        for (; i + 8 <= n; i += 8)
            for (Index k = 0; k < 8; k++) lanes[k] += static_cast<double>(x[i + k]) * r[i + k];
        for (; i < n; i++) lanes[0] += static_cast<double>(x[i]) * r[i];
        return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
    }
    static void add_row(double c, const T* x, double* g, Index d) {
        for (Index j = 0; j < d; j++) g[j] += c * static_cast<double>(x[j]);
    }
};

// A matrix compressed by columns.
template <class T, class I>
struct ByColumn {
    static constexpr bool sparse = true;
    Compressed<T, I> X;
    Index n, d;

    void adjoint(const double* r, double* g) const {
        for (Index j = 0; j < d; j++) {
            double even = 0.0, odd = 0.0;
            Index t = X.starts[j];
            const Index end = X.starts[j + 1];
            for (; t + 2 <= end; t += 2) {
                even += static_cast<double>(X.entries[t]) * r[static_cast<Index>(X.places[t])];
                odd += static_cast<double>(X.entries[t + 1]) * r[static_cast<Index>(X.places[t + 1])];
            }
            if (t < end) even += static_cast<double>(X.entries[t]) * r[static_cast<Index>(X.places[t])];
            g[j] = even + odd;
        }
    }
};

}  // namespace greedyhull
