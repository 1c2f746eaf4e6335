// The columns that a round works on, copied or in place, with equal rows merged, and their Hessian.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "arrays.hpp"
#include "buffer_pool.hpp"
#include "designs.hpp"

namespace greedyhull {

// Rows that are equal on the working columns, found by hashing and compared entry by entry. Of one-hot data few kinds of rows
// are left on a few columns: products and Hessians are then made once for each kind.

constexpr Index MERGE_FROM = 1000;  // rows: fewer are not worth the search
constexpr Index A_KIND_EACH = 20;   // rows that a kind must stand for, in the mean; where it does not, the search ends early

class EqualRows {
   public:
    bool found = false;         // whether there are few kinds
    Scratch<std::uint32_t> kind;  // of each row
    std::vector<Index> first;   // the first row of each kind

    // Row i has the entries from starts[i] to starts[i + 1].
    void find(Index n, const Index* starts, const std::uint16_t* number, const double* value) {
        first.clear(), found = false;
        if (n < MERGE_FROM || n > std::numeric_limits<std::uint32_t>::max()) return;
        const std::size_t most = static_cast<std::size_t>(n / A_KIND_EACH);
        std::size_t size = 64;
        while (size < 2 * most) size *= 2;
        table_.assign(size, NONE), kind.resize(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; i++) {
            const Index begin = starts[i], length = starts[i + 1] - begin;
            std::size_t at = hash(length, number + begin, value + begin) & (size - 1);
            while (table_[at] != NONE && !same(first[table_[at]], begin, length, starts, number, value)) at = (at + 1) & (size - 1);
            if (table_[at] == NONE) {
                if (first.size() == most) return;
                table_[at] = static_cast<std::uint32_t>(first.size()), first.push_back(i);
            }
            kind[static_cast<std::size_t>(i)] = table_[at];
        }
        found = true;
    }

    // What the rows of each kind have together: all of them, or those that are named.
    const Numbers& sums(const double* c, const std::vector<Index>* rows, Index n) {
        total_.assign(first.size(), 0.0);
        const Index count = rows ? static_cast<Index>(rows->size()) : n;
        for (Index q = 0; q < count; q++) {
            const Index i = rows ? (*rows)[static_cast<std::size_t>(q)] : q;
            total_[kind[static_cast<std::size_t>(i)]] += c[i];
        }
        return total_;
    }

   private:
    static constexpr std::uint32_t NONE = std::numeric_limits<std::uint32_t>::max();
    Scratch<std::uint32_t> table_;
    Numbers total_;

    static std::size_t hash(Index length, const std::uint16_t* number, const double* value) {
        std::uint64_t h = 0x9E3779B97F4A7C15u;
        for (Index t = 0; t < length; t++) {
            std::uint64_t bits;
            std::memcpy(&bits, value + t, sizeof bits);
            h = (h ^ (bits + (bits >> 32) + number[t] * 0xD1B54A32D192ED03u)) * 0x9E3779B97F4A7C15u;
            h ^= h >> 29;
        }
        return static_cast<std::size_t>(h >> 7);
    }

    static bool same(Index other, Index begin, Index length, const Index* starts, const std::uint16_t* number, const double* value) {
        const Index there = starts[other];
        return starts[other + 1] - there == length && std::equal(number + begin, number + begin + length, number + there) &&
               std::equal(value + begin, value + begin + length, value + there);
    }
};

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

// The order of a square matrix, and H <- H[kept, kept] of one of order `old`.
inline std::size_t order(const Numbers& H) {
    std::size_t m = 0;
    while ((m + 1) * (m + 1) <= H.size()) m++;
    return m;
}
inline void shrink(Numbers& H, std::size_t old, const std::vector<Index>& kept) {
    const std::size_t m = kept.size();
    Numbers less(m * m);
    for (std::size_t a = 0; a < m; a++)
        for (std::size_t b = 0; b < m; b++) less[a * m + b] = H[at(kept[a]) * old + at(kept[b])];
    H.swap(less);
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

// Columns of a dense matrix that are worked on where they lie: a Hessian gathers a few hundred rows at a time, and the matrix has
// no second copy. It has the interface of WorkingColumns.
template <class T>
class GatheredColumns {
   public:
    void build(const Dense<T>& X, const std::vector<Index>& columns, const double*, Index) {
        X_ = X, columns_ = columns, m_ = static_cast<Index>(columns.size()), all_ = m_ == X.d;
        for (Index a = 0; a < m_; a++) all_ = all_ && columns[static_cast<std::size_t>(a)] == a;
    }

    void adjoint(const double* r, double* g) const {
        if (all_) return X_.adjoint(r, g);
        if (X_.by_column()) {
            for (Index a = 0; a < m_; a++) algebra::dots(X_.X + column(a) * X_.column_stride, X_.n, X_.n, 1, r, g + a);
            return;
        }
        whole_.resize(static_cast<std::size_t>(X_.d));
        X_.adjoint(r, whole_.data());
        for (Index a = 0; a < m_; a++) g[a] = whole_[static_cast<std::size_t>(column(a))];
    }

    // H <- Z' diag(c) Z from column `from` on; `rows` are those that count, all of them where it is null.
    void hessian(const double* c, const std::vector<Index>* rows, Index from, Numbers& H) {
        widen(H, from, m_);
        const Index count = rows ? static_cast<Index>(rows->size()) : X_.n;
        const bool blas = algebra::use_blas(m_, std::min(block, count) * m_ * m_);
        if (from == 0 && blas && !rows && straight(c, H)) return mirror(m_, H.data());
        const auto root = [&](Index i) { return std::sqrt(c[i]); };
        const auto plain = [](Index) { return 1.0; };
        scratch_.resize(static_cast<std::size_t>(m_));
        for (Index s = 0; s < count; s += block) {
            const Index b = std::min(block, count - s);
            if (from == 0 && blas && !X_.by_column()) {
                gather_rows(rows, s, b, root);
                blas::syrk('U', 'N', m_, b, 1.0, scaled_.data(), m_, 1.0, H.data(), m_);
            } else if (from == 0) {
                gather(rows, s, b, 0, root, scaled_);
                algebra::add_square(m_, b, scaled_.data(), H.data(), scratch_.data());
            } else {
                gather(rows, s, b, from, [&](Index i) { return c[i]; }, scaled_);
                gather(rows, s, b, 0, plain, plain_);
                algebra::add_product(m_, m_ - from, b, plain_.data(), b, scaled_.data(), b, H.data() + from * m_, scratch_.data());
            }
        }
        mirror(m_, H.data());
    }

    // H <- H + Z' diag(change) Z on some rows.
    void correct(const double* change, const std::vector<Index>& rows, Numbers& H) {
        const Index count = static_cast<Index>(rows.size());
        scratch_.resize(static_cast<std::size_t>(m_));
        for (Index s = 0; s < count; s += block) {
            const Index b = std::min(block, count - s);
            gather(&rows, s, b, 0, [&](Index i) { return change[i]; }, scaled_);
            gather(&rows, s, b, 0, [](Index) { return 1.0; }, plain_);
            algebra::add_product(m_, m_, b, plain_.data(), b, scaled_.data(), b, H.data(), scratch_.data());
        }
    }

   private:
    static constexpr Index block = 512;  // rows at a time
    Dense<T> X_{nullptr, 0, 0, 1, 1};
    std::vector<Index> columns_;
    Index m_ = 0;
    bool all_ = false;  // whether these are all columns, in their order
    std::vector<double> scaled_, plain_, scratch_;
    mutable std::vector<double> whole_;

    Index column(Index a) const { return columns_[static_cast<std::size_t>(a)]; }

    // Where all rows count the same and all columns are wanted, nothing has to be gathered.
    bool straight(const double* c, Numbers& H) const {
        if constexpr (std::is_same_v<T, double>) {
            const Index longest = std::max(X_.n, std::max(X_.row_stride, X_.column_stride));
            if (!all_ || !algebra::use_blas(m_, X_.n * m_ * m_, longest)) return false;
            if (X_.by_column() ? X_.column_stride < X_.n : X_.row_stride < m_) return false;  // a view that runs backwards
            for (Index i = 1; i < X_.n; i++)
                if (c[i] != c[0]) return false;
            if (X_.by_column())
                blas::syrk('U', 'T', m_, X_.n, c[0], X_.X, X_.column_stride, 0.0, H.data(), m_);
            else
                blas::syrk('U', 'N', m_, X_.n, c[0], X_.X, X_.row_stride, 0.0, H.data(), m_);
            return true;
        }
        return (void)c, (void)H, false;
    }

    // Some rows, times a factor each, as contiguous rows.
    template <class F>
    void gather_rows(const std::vector<Index>* rows, Index s, Index b, F factor) {
        scaled_.resize(static_cast<std::size_t>(block * m_));
        for (Index q = 0; q < b; q++) {
            const Index i = rows ? (*rows)[static_cast<std::size_t>(s + q)] : s + q;
            const T* x = X_.X + i * X_.row_stride;
            double *to = scaled_.data() + q * m_, by = factor(i);
            if (all_)
                for (Index a = 0; a < m_; a++) to[a] = by * static_cast<double>(x[a]);
            else
                for (Index a = 0; a < m_; a++) to[a] = by * static_cast<double>(x[columns_[static_cast<std::size_t>(a)]]);
        }
    }

    // The same as contiguous columns, from column `from` on; rows that lie together are turned eight at a time, a cache line.
    template <class F>
    void gather(const std::vector<Index>* rows, Index s, Index b, Index from, F factor, std::vector<double>& out) {
        out.resize(static_cast<std::size_t>(block * m_));
        const Index together = X_.by_column() ? b : 8;
        Index at[block];
        double by[block];
        for (Index q = 0; q < b; q++) {
            at[q] = rows ? (*rows)[static_cast<std::size_t>(s + q)] : s + q;
            by[q] = factor(at[q]), at[q] *= X_.row_stride;
        }
        for (Index some = 0; some < b; some += together)
            for (Index a = from; a < m_; a++) {
                const T* x = X_.X + column(a) * X_.column_stride;
                double* to = out.data() + (a - from) * b;
                for (Index q = some; q < std::min(b, some + together); q++) to[q] = by[q] * static_cast<double>(x[at[q]]);
            }
    }
};

// Which of the two a kind of data takes.
template <class D>
struct Working {
    using Columns = WorkingColumns<D>;
};
template <class T>
struct Working<Dense<T>> {
    using Columns = GatheredColumns<T>;
};

}  // namespace greedyhull
