// The columns that a corrective round works on, copied so that they lie together: Z = X[:, columns] diag(scales).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "designs.hpp"
#include "equal_rows.hpp"
#include "scratch.hpp"

namespace greedyhull {

// The Hessian Z' diag(c) Z has contiguous rows of length m and both of its triangles. In tiles, which stay in the cache.
template <class T>
void mirror(Index m, T* H) {
    constexpr Index tile = 32;
    for (Index s = 0; s < m; s += tile)
        for (Index t = 0; t <= s; t += tile)
            for (Index a = s; a < std::min(s + tile, m); a++)
                for (Index b = t; b < std::min(t + tile, a); b++) H[b * m + a] = H[a * m + b];
}

// Makes room for m columns around the Hessian of the first `kept`, within the memory it has; what is new is zero.
inline void widen(Numbers& H, Index kept, Index m) {
    if (kept == 0) return H.assign(static_cast<std::size_t>(m * m), 0.0);
    H.resize(static_cast<std::size_t>(m * m));
    double* at = H.data();
    std::fill(at + std::max(kept * m, kept * kept), at + m * m, 0.0);
    for (Index a = kept - 1; a >= 0; a--) {  // from the last row on: none is written over before it has moved
        std::memmove(at + a * m, at + a * kept, static_cast<std::size_t>(kept) * sizeof(double));
        std::fill(at + a * m + kept, at + (a + 1) * m, 0.0);
    }
}

constexpr Index WIDE = 8;        // Hessians that are summed by themselves, then added
constexpr Index IN_PLACE = 4096;  // rows: contiguous columns as long as this are not copied

// Dense copies, of any data that can write a column. Long columns of a matrix of doubles are read where they lie: fresh memory
// for a copy would cost more than several passes.
template <class D>
class WorkingColumns {
   public:
    static constexpr Index most = std::numeric_limits<Index>::max();
    Index m = 0;

    void build(const D& X, const std::vector<Index>& columns, const double* scales, Index kept) {
        n_ = X.n, m = static_cast<Index>(columns.size());
        columns_.resize(columns.size()), scales_.assign(columns.size(), 1.0);
        if constexpr (std::is_same_v<D, Dense<double>>) {
            in_place_ = X.by_column() && n_ >= IN_PLACE;
            if (in_place_) {
                for (std::size_t a = 0; a < columns.size(); a++) columns_[a] = X.X + columns[a] * X.column_stride, scales_[a] = scales[a];
                return;
            }
        }
        Z_.resize(static_cast<std::size_t>(n_ * m));
        copy(X, columns, scales, kept);
        for (Index a = 0; a < m; a++) columns_[static_cast<std::size_t>(a)] = Z_.data() + a * n_;
    }

    void product(const double* u, double* z) const {
        threads::ranges(n_, 64, n_ * m, [&](Index from, Index to) {
            if (in_place_) return add_columns(from, to, u, z);
            algebra::combine(Z_.data() + from, n_, to - from, m, u, z + from);
        });
    }

    void adjoint(const double* r, double* g) const {
        threads::ranges(m, 4, n_ * m, [&](Index from, Index to) {
            if (in_place_) return dots(from, to, r, g);
            algebra::dots(Z_.data() + from * n_, n_, n_, to - from, r, g + from);
        });
    }

    // H <- Z' diag(c) Z from column `from` on; `rows` are those that count, all of them where it is null.
    void hessian(const double* c, const std::vector<Index>* rows, Index from, Numbers& H) {
        widen(H, from, m);
        const Index count = rows ? static_cast<Index>(rows->size()) : n_;
        threads::sums(count, count * m, m * m, H.data(), [&](Index first, Index last, double* out) {
            std::vector<double> B(static_cast<std::size_t>(block * m)), scratch(static_cast<std::size_t>(m)), copied;
            for (Index s = first; s < last; s += block) {
                const Index b = std::min(block, last - s);
                if (from == 0) {
                    gather(rows, s, b, 0, [&](Index i) { return std::sqrt(c[i]); }, B.data());
                    algebra::add_square(m, b, B.data(), out, scratch.data());
                } else {  // rows of H beyond `from`, all of their columns
                    gather(rows, s, b, from, [&](Index i) { return c[i]; }, B.data());
                    const double* plain = Z_.data() + s;
                    if (in_place_) copied.resize(B.size()), gather(rows, s, b, 0, [](Index) { return 1.0; }, copied.data()), plain = copied.data();
                    algebra::add_product(m, m - from, b, plain, in_place_ ? b : n_, B.data(), b, out + from * m, scratch.data());
                }
            }
        }, WIDE);
        mirror(m, H.data());
    }

    // H <- H + Z' diag(change) Z on some rows.
    void correct(const double* change, const std::vector<Index>& rows, Numbers& H) {
        const Index count = static_cast<Index>(rows.size());
        for (auto* v : {&scaled_, &plain_}) v->resize(static_cast<std::size_t>(block * m));
        scratch_.resize(static_cast<std::size_t>(m));
        for (Index s = 0; s < count; s += block) {
            const Index b = std::min(block, count - s);
            gather(&rows, s, b, 0, [&](Index i) { return change[i]; }, scaled_.data());
            gather(&rows, s, b, 0, [](Index) { return 1.0; }, plain_.data());
            algebra::add_product(m, m, b, plain_.data(), b, scaled_.data(), b, H.data(), scratch_.data());
        }
    }

   private:
    static constexpr Index block = 512;   // rows at a time: no second copy of Z
    static constexpr Index close = 2048;  // rows whose sums stay in the cache
    Index n_ = 0;
    Numbers Z_, scaled_, plain_, scratch_;
    bool in_place_ = false;
    std::vector<const double*> columns_;  // where each of them lies, and
    std::vector<double> scales_;          // what is left to multiply it by

    // z <- Z u on some rows, a few at a time, which stay in the cache.
    void add_columns(Index from, Index to, const double* u, double* z) const {
        std::vector<double> by(scales_);
        for (std::size_t a = 0; a < by.size(); a++) by[a] *= u[a];
        for (Index s = from; s < to; s += close) {
            const Index some = std::min(close, to - s);
            std::fill(z + s, z + s + some, 0.0);
            std::size_t a = 0;
            for (; a + 4 <= by.size(); a += 4)
                algebra::add_four(columns_[a] + s, columns_[a + 1] + s, columns_[a + 2] + s, columns_[a + 3] + s, by.data() + a, some, z + s);
            for (; a < by.size(); a++) algebra::add_one(columns_[a] + s, by[a], some, z + s);
        }
    }

    // g <- Z'r for some columns, by blocks of rows.
    void dots(Index from, Index to, const double* r, double* g) const {
        std::fill(g + from, g + to, 0.0);
        for (Index s = 0; s < n_; s += close)
            for (Index a = from; a < to; a++) {
                double part;
                algebra::dots(columns_[static_cast<std::size_t>(a)] + s, n_, std::min(close, n_ - s), 1, r + s, &part);
                g[a] += part;
            }
        for (Index a = from; a < to; a++) g[a] *= scales_[static_cast<std::size_t>(a)];
    }

    void copy(const D& X, const std::vector<Index>& columns, const double* scales, Index kept) {
        if constexpr (std::is_same_v<D, Dense<double>> || std::is_same_v<D, Dense<float>>)
            threads::ranges(n_, block, n_ * (m - kept), [&](Index from, Index to) {
                for (Index s = from; s < to; s += block)  // a few rows of all columns: rows that are contiguous are read once
                    for (Index a = kept; a < m; a++)
                        X.part_of_column(columns[static_cast<std::size_t>(a)], scales[a], s, std::min(s + block, to), Z_.data() + a * n_);
            });
        else
            for (Index a = kept; a < m; a++) X.column(columns[static_cast<std::size_t>(a)], scales[a], Z_.data() + a * n_);
    }

    template <class F>
    void gather(const std::vector<Index>* rows, Index s, Index b, Index from, F factor, double* out) const {
        double by[block];
        for (Index i = 0; i < b; i++) by[i] = factor(rows ? (*rows)[static_cast<std::size_t>(s + i)] : s + i);
        for (Index a = from; a < m; a++) {
            const double *z = columns_[static_cast<std::size_t>(a)], scale = scales_[static_cast<std::size_t>(a)];
            double* to = out + (a - from) * b;
            if (rows)
                for (Index i = 0; i < b; i++) to[i] = by[i] * (scale * z[(*rows)[static_cast<std::size_t>(s + i)]]);
            else
                for (Index i = 0; i < b; i++) to[i] = by[i] * (scale * z[s + i]);
        }
    }
};

// Rows of the working columns with numbers of 16 bits: a pass reads half of what the matrix itself would cost.
template <class T, class I>
class WorkingColumns<ByColumn<T, I>> {
   public:
    static constexpr Index most = 65535;
    Index m = 0;

    void build(const ByColumn<T, I>& A, const std::vector<Index>& columns, const double* scales, Index) {
        const auto& X = A.X;
        n_ = A.n, m = static_cast<Index>(columns.size());
        starts_.assign(static_cast<std::size_t>(n_ + 1), 0);
        for (const Index j : columns)
            for (Index t = X.starts[j]; t < X.starts[j + 1]; t++) starts_[static_cast<std::size_t>(X.places[t]) + 1]++;
        for (Index i = 0; i < n_; i++) starts_[static_cast<std::size_t>(i + 1)] += starts_[static_cast<std::size_t>(i)];
        const std::size_t total = static_cast<std::size_t>(starts_[static_cast<std::size_t>(n_)]);
        number_.resize(total), value_.resize(total);
        for (Index a = 0; a < m; a++) {
            const Index j = columns[static_cast<std::size_t>(a)];
            for (Index t = X.starts[j]; t < X.starts[j + 1]; t++) {
                const std::size_t at = static_cast<std::size_t>(starts_[static_cast<std::size_t>(X.places[t])]++);
                number_[at] = static_cast<std::uint16_t>(a), value_[at] = scales[a] * static_cast<double>(X.entries[t]);
            }
        }
        for (Index i = n_; i > 0; i--) starts_[static_cast<std::size_t>(i)] = starts_[static_cast<std::size_t>(i - 1)];
        starts_[0] = 0;
        equal_.find(n_, starts_.data(), number_.data(), value_.data());
    }

    void product(const double* u, double* z) {
        if (!equal_.found)
            return threads::ranges(n_, 64, starts_[static_cast<std::size_t>(n_)], [&](Index from, Index to) {
                for (Index i = from; i < to; i++) z[i] = dot(i, u);
            });
        kinds_.resize(equal_.first.size());
        for (std::size_t k = 0; k < kinds_.size(); k++) kinds_[k] = dot(equal_.first[k], u);
        for (Index i = 0; i < n_; i++) z[i] = kinds_[equal_.kind[static_cast<std::size_t>(i)]];
    }

    void adjoint(const double* r, double* g) {
        std::fill(g, g + m, 0.0);
        if (!equal_.found)
            return threads::sums(n_, starts_[static_cast<std::size_t>(n_)], m, g, [&](Index from, Index to, double* out) {
                for (Index i = from; i < to; i++) add_row(i, r[i], out);
            });
        const Numbers& total = equal_.sums(r, nullptr, n_);
        for (std::size_t k = 0; k < total.size(); k++) add_row(equal_.first[k], total[k], g);
    }

    void hessian(const double* c, const std::vector<Index>* rows, Index from, Numbers& H) {
        widen(H, from, m);
        add(c, rows, from, H);
    }

    void correct(const double* change, const std::vector<Index>& rows, Numbers& H) { add(change, &rows, 0, H); }

   private:
    Index n_ = 0;
    Scratch<Index> starts_;
    Scratch<std::uint16_t> number_;
    Numbers value_;

    EqualRows equal_;
    Numbers kinds_;

    double dot(Index i, const double* u) const {
        double total = 0.0;
        for (Index t = starts_[static_cast<std::size_t>(i)]; t < starts_[static_cast<std::size_t>(i + 1)]; t++)
            total += value_[static_cast<std::size_t>(t)] * u[number_[static_cast<std::size_t>(t)]];
        return total;
    }

    void add_row(Index i, double by, double* g) const {  // g <- g + by Z_i
        if (by == 0.0) return;
        for (Index t = starts_[static_cast<std::size_t>(i)]; t < starts_[static_cast<std::size_t>(i + 1)]; t++)
            g[number_[static_cast<std::size_t>(t)]] += value_[static_cast<std::size_t>(t)] * by;
    }

    // The lower triangle, from row `from` on.
    void add(const double* c, const std::vector<Index>* rows, Index from, Numbers& H) {
        if (equal_.found) {
            const Numbers& total = equal_.sums(c, rows, n_);
            for (std::size_t k = 0; k < total.size(); k++) add_square(equal_.first[k], total[k], from, H.data());
        } else {
            const Index count = rows ? static_cast<Index>(rows->size()) : n_, all = starts_[static_cast<std::size_t>(n_)];
            const Index entries = WIDE * m * m <= all ? all / n_ * count : 0;  // or else sums of Hessians cost more
            threads::sums(count, entries, m * m, H.data(), [&](Index first, Index last, double* out) {
                for (Index q = first; q < last; q++) {
                    const Index i = rows ? (*rows)[static_cast<std::size_t>(q)] : q;
                    add_square(i, c[i], from, out);
                }
            }, WIDE);
        }
        mirror(m, H.data());
    }

    // H <- H + by Z_i Z_i'; numbers ascend along each row.
    void add_square(Index i, double by, Index from, double* H) const {
        if (by == 0.0) return;
        const std::uint16_t* number = number_.data();
        const double* value = value_.data();
        const Index begin = starts_[static_cast<std::size_t>(i)];
        for (Index t = starts_[static_cast<std::size_t>(i + 1)] - 1; t >= begin && number[t] >= from; t--) {
            const double x = by * value[t];
            double* row = H + static_cast<Index>(number[t]) * m;
            for (Index s = begin; s <= t; s++) row[number[s]] += x * value[s];
        }
    }
};

}  // namespace greedyhull
