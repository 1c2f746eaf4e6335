// Passes over some rows of a compressed matrix, as a worker makes them over its shards: each entry is read once a pass, a column
// that lies outside is refused where it is met. Rows begin anywhere: starts[0] need not be 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "arrays.hpp"
#include "level.hpp"
#include "sparse_columns.hpp"

namespace greedyhull {

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
