// Data by column: dense, sparse, or combined into given points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "algebra.hpp"
#include "buffer_pool.hpp"
#include "rows.hpp"
#include "threads.hpp"

namespace greedyhull {

// The points of a hull, one in each row: dense, or compressed by row.
struct Points {
    const double* rows = nullptr;  // dense, contiguous; null where only entries are stored
    const Index* starts = nullptr;
    const std::int32_t* short_places = nullptr;  // one of the two, as SciPy has them
    const Index* long_places = nullptr;
    const double* entries = nullptr;
    Index count = 0, across = 0;

    bool given() const { return count > 0; }
    bool sparse() const { return rows == nullptr; }

    // f(place, entry) for what is stored of point j.
    template <class F>
    void each(Index j, F f) const {
        if (rows) {
            const double* row = rows + j * across;
            for (Index k = 0; k < across; k++) f(k, row[k]);
        } else if (short_places) {
            for (Index t = starts[j]; t < starts[j + 1]; t++) f(static_cast<Index>(short_places[t]), entries[t]);
        } else {
            for (Index t = starts[j]; t < starts[j + 1]; t++) f(long_places[t], entries[t]);
        }
    }

    double dot(Index j, const double* g) const {
        double total = 0.0;
        if (rows)
            algebra::dots(rows + j * across, across, across, 1, g, &total);
        else
            each(j, [&](Index k, double x) { total += x * g[k]; });
        return total;
    }

    // scores_j <- <point j, g>.
    void scores(const double* g, double* scores) const {
        if (rows) return algebra::dots(rows, across, across, count, g, scores);
        for (Index j = 0; j < count; j++) scores[j] = dot(j, g);
    }

    // out <- X times point j.
    template <class D>
    void image(const D& X, Index j, double* out) const {
        if (rows) return X.product(rows + j * across, out);
        std::fill(out, out + X.n, 0.0);
        each(j, [&](Index k, double x) { X.add_column(k, x, out); });
    }
};

// A dense matrix; one of its two strides is one.
template <class T>
struct Dense {
    static constexpr bool sparse = false;
    const T* X;
    Index n, d, row_stride, column_stride;
    bool by_column() const { return row_stride == 1; }

    // g <- X'r.
    void adjoint(const double* r, double* g) const {
        if (by_column())
            return threads::ranges(d, 4, n * d, [&](Index from, Index to) {
                algebra::dots(X + from * column_stride, column_stride, n, to - from, r, g + from);
            });
        std::fill(g, g + d, 0.0);
        if (d > CLOSE)
            return threads::ranges(d, CLOSE, n * d, [&](Index from, Index to) { add_rows(0, n, from, to, r, g); });
        threads::sums(n, n * d, d, g, [&](Index from, Index to, double* out) { add_rows(from, to, 0, d, r, out); });
    }

    // z <- Xw.
    void product(const double* w, double* z) const {
        threads::ranges(n, 64, n * d, [&](Index from, Index to) {
            if (by_column()) return algebra::combine(X + from, column_stride, to - from, d, w, z + from);
            algebra::dots(X + from * row_stride, row_stride, d, to - from, w, z + from);
        });
    }

    // Some of the rows, copied.
    struct Part {
        Scratch<T> X;  // not touched before it is written, by the thread that writes it
        Index n;
        Dense<T> design(Index d) const { return {X.data(), n, d, 1, n}; }
    };
    Part on(const std::vector<Index>& rows) const {
        const Index count = static_cast<Index>(rows.size()), block = 512;
        Part part{Scratch<T>(static_cast<std::size_t>(count * d)), count};
        threads::ranges(count, block, count * d, [&](Index from, Index to) {
            for (Index s = from; s < to; s += block)
                for (Index j = 0; j < d; j++)
                    for (Index i = s; i < std::min(s + block, to); i++)
                        part.X[static_cast<std::size_t>(j * count + i)] =
                            X[rows[static_cast<std::size_t>(i)] * row_stride + j * column_stride];
        });
        return part;
    }

    // out <- scale X_j.
    void column(Index j, double scale, double* out) const { part_of_column(j, scale, 0, n, out); }
    void part_of_column(Index j, double scale, Index from, Index to, double* out) const {
        const T* x = X + j * column_stride;
        for (Index i = from; i < to; i++) out[i] = scale * static_cast<double>(x[i * row_stride]);
    }

    // out <- out + by X_j.
    void add_column(Index j, double by, double* out) const {
        const T* x = X + j * column_stride;
        if (by_column()) return algebra::add_one(x, by, n, out);
        for (Index i = 0; i < n; i++) out[i] += by * static_cast<double>(x[i * row_stride]);
    }

   private:
    static constexpr Index CLOSE = 2048;  // sums at a time: so many stay in the cache that they are added to in

    // g_j <- g_j + sum_i r_i X_ij for some rows and columns; rows are contiguous.
    void add_rows(Index from, Index to, Index first, Index last, const double* r, double* g) const {
        for (Index j = first; j < last; j += CLOSE) {
            const Index some = std::min(CLOSE, last - j);
            const T* x = X + from * row_stride + j;
            Index i = from;
            for (; i + 4 <= to; i += 4, x += 4 * row_stride)
                algebra::add_four(x, x + row_stride, x + 2 * row_stride, x + 3 * row_stride, r + i, some, g + j);
            for (; i < to; i++, x += row_stride) algebra::add_one(x, r[i], some, g + j);
        }
    }
};

// A matrix compressed by columns.
template <class T, class I>
struct ByColumn {
    static constexpr bool sparse = true;
    Compressed<T, I> X;
    Index n, d;

    void add_column(Index j, double by, double* out) const {
        for (Index t = X.starts[j]; t < X.starts[j + 1]; t++)
            out[static_cast<Index>(X.places[t])] += by * static_cast<double>(X.entries[t]);
    }
    void column(Index j, double scale, double* out) const {
        std::fill(out, out + n, 0.0);
        add_column(j, scale, out);
    }
    void product(const double* w, double* z) const {
        std::fill(z, z + n, 0.0);
        for (Index j = 0; j < d; j++)
            if (w[j] != 0.0) add_column(j, w[j], z);
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
    // In one pass: entries are written where they may stand, one that is not wanted is written over by the next (a branch would
    // be foretold wrongly), and what several threads found is moved together.
    Part on(const std::vector<Index>& rows) const {
        constexpr I none = std::numeric_limits<I>::max();
        Scratch<I> place(static_cast<std::size_t>(n), none);
        for (std::size_t i = 0; i < rows.size(); i++) place[static_cast<std::size_t>(rows[i])] = static_cast<I>(i);
        Part part{std::vector<Index>(static_cast<std::size_t>(d + 1)), {}, {}, static_cast<Index>(rows.size())};
        std::vector<Index> begin(static_cast<std::size_t>(d));
        part.places.resize(static_cast<std::size_t>(X.starts[d] + 1)), part.entries.resize(static_cast<std::size_t>(X.starts[d] + 1));
        I* places = part.places.data();
        T* entries = part.entries.data();
        threads::ranges(d, 1, X.starts[d], [&](Index from, Index to) {
            Index at = X.starts[from];
            for (Index j = from; j < to; j++) {
                begin[static_cast<std::size_t>(j)] = at;
                for (Index t = X.starts[j]; t < X.starts[j + 1]; t++) {
                    const I i = place[static_cast<std::size_t>(X.places[t])];
                    places[at] = i, entries[at] = X.entries[t];
                    at += i != none;
                }
                part.starts[static_cast<std::size_t>(j + 1)] = at - begin[static_cast<std::size_t>(j)];
            }
        });
        for (std::size_t j = 0; j < static_cast<std::size_t>(d); j++) {
            const Index count = part.starts[j + 1], target = part.starts[j];
            if (begin[j] != target)
                std::copy(places + begin[j], places + begin[j] + count, places + target),
                    std::copy(entries + begin[j], entries + begin[j] + count, entries + target);
            part.starts[j + 1] += target;
        }
        const auto total = static_cast<std::size_t>(part.starts.back());
        part.places.resize(total), part.entries.resize(total);
        return part;
    }

    void adjoint(const double* r, double* g) const {
        threads::ranges(d, 1, X.starts[d], [&](Index from, Index to) { some_dots(from, to, r, g); });
    }

   private:
    void some_dots(Index from, Index to, const double* r, double* g) const {
        for (Index j = from; j < to; j++) {
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

// Points instead of coordinates: column j is the image of point j. With a ridge, (ridge/2)|w|^2 is part of the loss: w has
// its own rows below those of X, so that a column is (Xv, root v) with root^2 = ridge.
template <class D>
struct Mapped {
    D X;
    Points points;
    double root;
    Index n, d;  // as many columns as points
    mutable std::vector<double> gradient, total;  // X'r, and with what the ridge adds, of which the scores are made

    static Mapped of(D X, const Points& points, double root = 0.0) {
        return {X, points, root, root > 0.0 ? X.n + X.d : X.n, points.count, {}, {}};
    }
    void adjoint(const double* r, double* g) const {
        gradient.resize(static_cast<std::size_t>(X.d));
        X.adjoint(r, gradient.data());
        if (!(root > 0.0)) return points.scores(gradient.data(), g);
        total = gradient;
        algebra::add_one(r + X.n, root, X.d, total.data());
        points.scores(total.data(), g);
    }
    void column(Index j, double scale, double* out) const {
        points.image(X, j, out);
        if (root > 0.0) {
            std::fill(out + X.n, out + n, 0.0);
            points.each(j, [&](Index k, double x) { out[X.n + k] = root * x; });
        }
        if (scale != 1.0)
            for (Index i = 0; i < n; i++) out[i] *= scale;
    }

    struct Part {
        typename D::Part X;
        Points points;
        Index across;
        Mapped<D> design(Index) const { return of(X.design(across), points); }
    };
    Part on(const std::vector<Index>& rows) const { return {X.on(rows), points, X.d}; }
};
template <class D>
constexpr bool is_mapped = false;
template <class D>
constexpr bool is_mapped<Mapped<D>> = true;

}  // namespace greedyhull
