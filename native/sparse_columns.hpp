// Products with a few columns of a sparse matrix, without building the submatrix.
#pragma once

#include "arrays.hpp"

namespace greedyhull {

// A compressed matrix: line k has the entries from starts[k] to starts[k + 1]. By column, but for gram_rows.
template <class T, class I>
struct Compressed {
    Span<const Index> starts;
    Span<const I> places;
    Span<const T> entries;
};

// z <- z + sum_k c_k X[:, index_k].
template <class T, class I>
void add_columns(Compressed<T, I> X, Span<const Index> index, Span<const T> c, Span<T> z) {
    for (Index k = 0; k < index.size; k++)
        for (Index t = X.starts[index[k]]; t < X.starts[index[k] + 1]; t++)
            z[static_cast<Index>(X.places[t])] += c[k] * X.entries[t];
}

// out_k <- <X[:, index_k], r>.
template <class T, class I>
void dot_columns(Compressed<T, I> X, Span<const Index> index, Span<const T> r, Span<double> out) {
    for (Index k = 0; k < index.size; k++) {
        double total = 0.0;
        for (Index t = X.starts[index[k]]; t < X.starts[index[k] + 1]; t++)
            total += static_cast<double>(X.entries[t]) * static_cast<double>(r[static_cast<Index>(X.places[t])]);
        out[k] = total;
    }
}

// By row: G[number[j], number[l]] <- sum_i weights_i X_ij X_il for number[j] >= number[l] >= 0; columns numbered -1 are passed
// over, rows of weight zero cost nothing. `found` and `value` are scratch.
template <class T, class I>
void gram_rows(Compressed<T, I> X, Span<const double> weights, Span<const Index> number, Span<Index> found, Span<double> value,
               Matrix<double> G) {
    for (Index i = 0; i + 1 < X.starts.size; i++) {
        const double c = weights[i];
        if (c == 0.0) continue;
        Index count = 0;
        for (Index t = X.starts[i]; t < X.starts[i + 1]; t++) {
            const Index a = number[static_cast<Index>(X.places[t])];
            if (a < 0) continue;
            const double x = static_cast<double>(X.entries[t]);
            found[count] = a;
            value[count++] = x;
            double* row = G.row(a);
            for (Index s = 0; s < count; s++) row[found[s]] += c * x * value[s];
        }
    }
}

// G[a, b] <- sum_i weights_i X[i, index_a] X[i, index_b] for a >= b: for few columns of a large matrix. `work` has a zero for
// every row, and is left so.
template <class T, class I>
void gram_columns(Compressed<T, I> X, Span<const double> weights, Span<const Index> index, Span<double> work, Matrix<double> G) {
    for (Index b = 0; b < index.size; b++) {
        const Index j = index[b];
        for (Index t = X.starts[j]; t < X.starts[j + 1]; t++) {
            const Index i = static_cast<Index>(X.places[t]);
            work[i] = weights[i] * static_cast<double>(X.entries[t]);
        }
        for (Index a = b; a < index.size; a++) {
            double total = 0.0;
            for (Index t = X.starts[index[a]]; t < X.starts[index[a] + 1]; t++)
                total += static_cast<double>(X.entries[t]) * work[static_cast<Index>(X.places[t])];
            G(a, b) = total;
        }
        for (Index t = X.starts[j]; t < X.starts[j + 1]; t++) work[static_cast<Index>(X.places[t])] = 0.0;
    }
}

}  // namespace greedyhull
