// Rows and columns of dense and sparse data, and passes of a worker over the rows of a shard.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "arrays.hpp"
#include "cpu_dispatch.hpp"

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

// Passes over some rows of a compressed matrix, as a worker makes them over its shards: each entry is read once a pass, a column
// that lies outside is refused where it is met. Rows begin anywhere: starts[0] need not be 0.
// z_i <- <x_i, w>, in the order of the entries. False where a column lies beyond w.
template <class T, class I>
bool dot_rows(Compressed<T, I> X, Span<const double> w, Span<double> z) {
    const std::uint64_t d = static_cast<std::uint64_t>(w.size);
    for (Index i = 0; i < z.size; i++) {
        double total = 0.0;
        for (Index t = X.starts[i]; t < X.starts[i + 1]; t++) {
            const std::uint64_t j = X.places[t];
            if (j >= d) return false;
            total += static_cast<double>(X.entries[t]) * w.data[j];
        }
        z[i] = total;
    }
    return true;
}

// g <- g + sum_i r_i x_i. False where a column lies beyond g.
template <class T, class I>
bool add_rows(Compressed<T, I> X, Span<const double> r, Span<double> g) {
    const std::uint64_t d = static_cast<std::uint64_t>(g.size);
    for (Index i = 0; i < r.size; i++) {
        const double c = r[i];
        for (Index t = X.starts[i]; t < X.starts[i + 1]; t++) {
            const std::uint64_t j = X.places[t];
            if (j >= d) return false;
            g.data[j] += c * static_cast<double>(X.entries[t]);
        }
    }
    return true;
}

// The entries of the columns that have a number, row by row: heads, columns and values of a compressed matrix. Returns their
// count; it is negative, -1 - count, where numbers do not ascend within a row; the least Index where a column lies outside.
// First, which entries these are: `named` has a bit for each column, so that it stays in the nearest cache. The place of every
// entry is written, and the next one over it unless it counts: which ones do is as good as random, and a branch on it would be
// guessed wrong. There is room for one entry more than the rows have.
template <class T, class I>
Index pick_rows(Compressed<T, I> X, Span<const std::uint8_t> named, Span<const std::int32_t> number, Span<Index> heads,
                Span<std::uint32_t> columns, Span<double> values) {
    const std::uint64_t d = static_cast<std::uint64_t>(number.size);
    const std::uint8_t* GREEDYHULL_RESTRICT bits = named.data;
    std::uint32_t* GREEDYHULL_RESTRICT kept = columns.data;
    const Index base = X.starts[0];
    Index count = 0;
    heads[0] = 0;
    for (Index i = 0; i + 1 < heads.size; i++) {
        const Index first = X.starts[i] - base, last = X.starts[i + 1] - base;
        const I* GREEDYHULL_RESTRICT places = X.places.data + base;
        for (Index t = first; t < last; t++) {
            const std::uint64_t j = places[t];
            if (j >= d) return std::numeric_limits<Index>::min();
            kept[count] = static_cast<std::uint32_t>(t);
            count += (bits[j >> 3] >> (j & 7)) & 1;
        }
        heads[i + 1] = count;
    }
    bool ascending = true;
    for (Index i = 0, c = 0; i + 1 < heads.size; i++) {
        std::int32_t before = -1;
        for (; c < heads[i + 1]; c++) {
            const Index t = base + static_cast<Index>(kept[c]);
            const std::int32_t k = number[static_cast<Index>(X.places[t])];
            ascending &= k > before;
            before = k;
            kept[c] = static_cast<std::uint32_t>(k);
            values[c] = static_cast<double>(X.entries[t]);
        }
    }
    return ascending ? count : -1 - count;
}

// What a first pass measures of columns: of each the largest |entry|; the sums of squares and of weighted entries are added to
// what is there. They stand side by side, for columns come in no order. Returns the place of the first entry that is not finite,
// -1 where all are, -2 where a column lies outside.
template <class T, class I>
Index sparse_column_facts(Compressed<T, I> X, Span<const double> weights, Matrix<double> facts) {
    const std::uint64_t d = static_cast<std::uint64_t>(facts.rows);
    for (Index i = 0; i < weights.size; i++) {
        const double s = weights[i];
        for (Index t = X.starts[i]; t < X.starts[i + 1]; t++) {
            const std::uint64_t j = X.places[t];
            if (j >= d) return -2;
            const double x = static_cast<double>(X.entries[t]), size = std::fabs(x);
            if (!(size <= std::numeric_limits<double>::max())) return t;
            double* at = facts.data + 3 * j;
            at[0] = size > at[0] ? size : at[0];
            at[1] += x * x;
            at[2] += s * x;
        }
    }
    return -1;
}

// The same of dense rows: the number of the first row that has an entry which is not finite, or -1.
template <class T>
Index dense_column_facts(Matrix<const T> X, Span<const double> weights, Span<double> largest, Span<double> squares,
                         Span<double> mean) {
    for (Index i = 0; i < X.rows; i++) {
        const T* row = X.row(i);
        const double s = weights[i];
        bool finite = true;
        for (Index j = 0; j < X.columns; j++) {
            const double x = static_cast<double>(row[j]), size = std::fabs(x);
            finite &= size <= std::numeric_limits<double>::max();
            largest.data[j] = size > largest.data[j] ? size : largest.data[j];
            squares.data[j] += x * x;
            mean.data[j] += s * x;
        }
        if (!finite) return i;
    }
    return -1;
}

}  // namespace greedyhull
