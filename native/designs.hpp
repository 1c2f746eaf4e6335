// Data as the corrective rounds see them: X by columns, dense in any order or compressed, float32 or float64.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "algebra.hpp"
#include "scratch.hpp"
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
        if (by_column()) return algebra::dots(X, column_stride, n, d, r, g);
        std::fill(g, g + d, 0.0);
        for (Index from = 0; from < d; from += 2048) {  // so that what is added to stays close
            const Index some = std::min<Index>(2048, d - from);
            const T* x = X + from;
            Index i = 0;
            for (; i + 4 <= n; i += 4, x += 4 * row_stride)
                algebra::add_four(x, x + row_stride, x + 2 * row_stride, x + 3 * row_stride, r + i, some, g + from);
            for (; i < n; i++, x += row_stride) algebra::add_one(x, r[i], some, g + from);
        }
    }

    // z <- Xw.
    void product(const double* w, double* z) const {
        if (by_column()) return algebra::combine(X, column_stride, n, d, w, z);
        algebra::dots(X, row_stride, d, n, w, z);
    }

    // Some of the rows, copied.
    struct Part {
        Scratch<T> X;
        Dense<T> design(Index d) const {
            const Index n = static_cast<Index>(X.size()) / d;
            return {X.data(), n, d, 1, n};
        }
    };
    Part on(const std::vector<Index>& rows) const {
        Part part{Scratch<T>(rows.size() * static_cast<std::size_t>(d))};
        for (Index j = 0; j < d; j++)
            for (std::size_t i = 0; i < rows.size(); i++)
                part.X[static_cast<std::size_t>(j) * rows.size() + i] = X[rows[i] * row_stride + j * column_stride];
        return part;
    }

    // out <- scale X_j.
    void column(Index j, double scale, double* out) const {
        const T* x = X + j * column_stride;
        for (Index i = 0; i < n; i++) out[i] = scale * static_cast<double>(x[i * row_stride]);
    }
};

// A matrix compressed by columns.
template <class T, class I>
struct ByColumn {
    static constexpr bool sparse = true;
    Compressed<T, I> X;
    Index n, d;

    void product(const double* w, double* z) const {
        std::fill(z, z + n, 0.0);
        for (Index j = 0; j < d; j++)
            if (w[j] != 0.0)
                for (Index t = X.starts[j]; t < X.starts[j + 1]; t++)
                    z[static_cast<Index>(X.places[t])] += w[j] * static_cast<double>(X.entries[t]);
    }

    struct Part {
        std::vector<Index> starts;
        Scratch<I> places;
        Scratch<T> entries;
        Index n;
        ByColumn<T, I> design(Index d) const {
            const Index count = static_cast<Index>(places.size());
            return {{{starts.data(), d + 1}, {places.data(), count}, {entries.data(), count}}, n, d};
        }
    };
    Part on(const std::vector<Index>& rows) const {
        Scratch<Index> place(static_cast<std::size_t>(n), -1);
        for (std::size_t i = 0; i < rows.size(); i++) place[static_cast<std::size_t>(rows[i])] = static_cast<Index>(i);
        Part part{{0}, {}, {}, static_cast<Index>(rows.size())};
        for (Index j = 0; j < d; j++) {
            for (Index t = X.starts[j]; t < X.starts[j + 1]; t++) {
                const Index i = place[static_cast<std::size_t>(X.places[t])];
                if (i >= 0) part.places.push_back(static_cast<I>(i)), part.entries.push_back(X.entries[t]);
            }
            part.starts.push_back(static_cast<Index>(part.places.size()));
        }
        return part;
    }

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

// Points instead of coordinates: column j is the image of point j, a contiguous row of `points`.
template <class D>
struct Mapped {
    static constexpr bool sparse = false;
    D X;
    const double* points;
    Index n, d;  // as many columns as points
    mutable std::vector<double> gradient;  // X'r, of which the scores of the points are made

    void adjoint(const double* r, double* g) const {
        gradient.resize(static_cast<std::size_t>(X.d));
        X.adjoint(r, gradient.data());
        algebra::dots(points, X.d, X.d, d, gradient.data(), g);
    }
    void column(Index j, double scale, double* out) const {
        X.product(points + j * X.d, out);
        if (scale != 1.0)
            for (Index i = 0; i < n; i++) out[i] *= scale;
    }

    struct Part {
        typename D::Part X;
        const double* points;
        Index across;
        Mapped<D> design(Index d) const {
            const D some = X.design(across);
            return {some, points, some.n, d, {}};
        }
    };
    Part on(const std::vector<Index>& rows) const { return {X.on(rows), points, X.d}; }
};

}  // namespace greedyhull
