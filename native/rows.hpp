// Rows of the data, dense or compressed: products with a point, and gradients spread over coordinates.
#pragma once

#include "arrays.hpp"
#include "sparse_columns.hpp"

namespace greedyhull {

template <class T>
struct DenseRows {
    Matrix<const T> X;
    // Four sums at a time, in a fixed order, so that the bits do not depend on the processor.
    double product(Index i, const double* x) const {
        const T* a = X.row(i);
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        Index j = 0;
        for (; j + 4 <= X.columns; j += 4) {
            s0 += static_cast<double>(a[j]) * x[j];
            s1 += static_cast<double>(a[j + 1]) * x[j + 1];
            s2 += static_cast<double>(a[j + 2]) * x[j + 2];
            s3 += static_cast<double>(a[j + 3]) * x[j + 3];
        }
        for (; j < X.columns; j++) s0 += static_cast<double>(a[j]) * x[j];
        return (s0 + s1) + (s2 + s3);
    }
    void spread(Index i, double r, double* g) const {
        const T* a = X.row(i);
        for (Index j = 0; j < X.columns; j++) g[j] += r * static_cast<double>(a[j]);
    }
    void spread_squares(Index i, double r, double* g) const {
        const T* a = X.row(i);
        for (Index j = 0; j < X.columns; j++) g[j] += r * (static_cast<double>(a[j]) * static_cast<double>(a[j]));
    }
};

template <class T, class I>
struct SparseRows {
    Compressed<T, I> X;
    double product(Index i, const double* x) const {
        double s0 = 0.0, s1 = 0.0;
        Index q = X.starts[i];
        const Index end = X.starts[i + 1];
        for (; q + 2 <= end; q += 2) {
            s0 += static_cast<double>(X.entries[q]) * x[X.places[q]];
            s1 += static_cast<double>(X.entries[q + 1]) * x[X.places[q + 1]];
        }
        if (q < end) s0 += static_cast<double>(X.entries[q]) * x[X.places[q]];
        return s0 + s1;
    }
    void spread(Index i, double r, double* g) const {
        for (Index q = X.starts[i]; q < X.starts[i + 1]; q++) g[X.places[q]] += r * static_cast<double>(X.entries[q]);
    }
    void spread_squares(Index i, double r, double* g) const {
        for (Index q = X.starts[i]; q < X.starts[i + 1]; q++) {
            const double entry = static_cast<double>(X.entries[q]);
            g[X.places[q]] += r * (entry * entry);
        }
    }
};

}  // namespace greedyhull
