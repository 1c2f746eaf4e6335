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

namespace greedyhull {

// The Hessian Z' diag(c) Z has contiguous rows of length m and both of its triangles. In tiles, which stay in the cache.
inline void mirror(Index m, double* H) {
    constexpr Index tile = 32;
    for (Index s = 0; s < m; s += tile)
        for (Index t = 0; t <= s; t += tile)
            for (Index a = s; a < std::min(s + tile, m); a++)
                for (Index b = t; b < std::min(t + tile, a); b++) H[b * m + a] = H[a * m + b];
}

// Makes room for m columns around the Hessian of the first `kept`, within the memory it has; what is new is zero.
inline void widen(std::vector<double>& H, Index kept, Index m) {
    if (kept == 0) return H.assign(static_cast<std::size_t>(m * m), 0.0);
    H.resize(static_cast<std::size_t>(m * m));
    double* at = H.data();
    std::fill(at + std::max(kept * m, kept * kept), at + m * m, 0.0);
    for (Index a = kept - 1; a >= 0; a--) {  // from the last row on: none is written over before it has moved
        std::memmove(at + a * m, at + a * kept, static_cast<std::size_t>(kept) * sizeof(double));
        std::fill(at + a * m + kept, at + (a + 1) * m, 0.0);
    }
}

constexpr Index WIDE = 8;  // Hessians that are summed by themselves, then added

// Numbers that are written before they are read: memory is not touched before that, and so by the thread that writes it.
class Raw {
   public:
    double* data() { return at_.get(); }
    const double* data() const { return at_.get(); }
    // Room for `size` numbers, of which the first `kept` stay.
    void hold(Index kept, Index size) {
        if (size <= room_) return;
        const Index room = kept > 0 ? std::max(size, room_ + room_ / 2) : size;
        std::unique_ptr<double[]> wider(new double[static_cast<std::size_t>(room)]);
        if (kept > 0) std::memcpy(wider.get(), at_.get(), static_cast<std::size_t>(kept) * sizeof(double));
        at_ = std::move(wider), room_ = room;
    }

   private:
    std::unique_ptr<double[]> at_;
    Index room_ = 0;
};

// Dense copies, of any data that can write a column.
template <class D>
class WorkingColumns {
   public:
    static constexpr Index most = std::numeric_limits<Index>::max();
    Index m = 0;

    void build(const D& X, const std::vector<Index>& columns, const double* scales, Index kept) {
        n_ = X.n, m = static_cast<Index>(columns.size());
        Z_.hold(kept * n_, m * n_);
        copy(X, columns, scales, kept);
    }

    void product(const double* u, double* z) const {
        threads::ranges(n_, 64, n_ * m, [&](Index from, Index to) {
            algebra::combine(Z_.data() + from, n_, to - from, m, u, z + from);
        });
    }

    void adjoint(const double* r, double* g) const {
        threads::ranges(m, 4, n_ * m, [&](Index from, Index to) {
            algebra::dots(Z_.data() + from * n_, n_, n_, to - from, r, g + from);
        });
    }

    // H <- Z' diag(c) Z from column `from` on; `rows` are those that count, all of them where it is null.
    void hessian(const double* c, const std::vector<Index>* rows, Index from, std::vector<double>& H) {
        widen(H, from, m);
        const Index count = rows ? static_cast<Index>(rows->size()) : n_;
        threads::sums(count, count * m, m * m, H.data(), [&](Index first, Index last, double* out) {
            std::vector<double> B(static_cast<std::size_t>(block * m)), scratch(static_cast<std::size_t>(m));
            for (Index s = first; s < last; s += block) {
                const Index b = std::min(block, last - s);
                if (from == 0) {
                    gather(rows, s, b, 0, [&](Index i) { return std::sqrt(c[i]); }, B.data());
                    algebra::add_square(m, b, B.data(), out, scratch.data());
                } else {  // rows of H beyond `from`, all of their columns
                    gather(rows, s, b, from, [&](Index i) { return c[i]; }, B.data());
                    algebra::add_product(m, m - from, b, Z_.data() + s, n_, B.data(), b, out + from * m, scratch.data());
                }
            }
        }, WIDE);
        mirror(m, H.data());
    }

    // H <- H + Z' diag(change) Z on some rows.
    void correct(const double* change, const std::vector<Index>& rows, std::vector<double>& H) {
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
    static constexpr Index block = 512;  // rows at a time: no second copy of Z
    Index n_ = 0;
    Raw Z_;
    std::vector<double> scaled_, plain_, scratch_;

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
            const double* z = Z_.data() + a * n_;
            double* to = out + (a - from) * b;
            if (rows)
                for (Index i = 0; i < b; i++) to[i] = by[i] * z[(*rows)[static_cast<std::size_t>(s + i)]];
            else
                for (Index i = 0; i < b; i++) to[i] = by[i] * z[s + i];
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
    }

    void product(const double* u, double* z) const {
        const Index* s = starts_.data();
        threads::ranges(n_, 64, s[n_], [&](Index from, Index to) {
            for (Index i = from; i < to; i++) {
                double total = 0.0;
                for (Index t = s[i]; t < s[i + 1]; t++) total += value_[static_cast<std::size_t>(t)] * u[number_[static_cast<std::size_t>(t)]];
                z[i] = total;
            }
        });
    }

    void adjoint(const double* r, double* g) const {
        std::fill(g, g + m, 0.0);
        const Index* s = starts_.data();
        threads::sums(n_, s[n_], m, g, [&](Index from, Index to, double* out) {
            for (Index i = from; i < to; i++) {
                const double ri = r[i];
                if (ri == 0.0) continue;
                for (Index t = s[i]; t < s[i + 1]; t++) out[number_[static_cast<std::size_t>(t)]] += value_[static_cast<std::size_t>(t)] * ri;
            }
        });
    }

    void hessian(const double* c, const std::vector<Index>* rows, Index from, std::vector<double>& H) {
        widen(H, from, m);
        add(c, rows, from, H);
    }

    void correct(const double* change, const std::vector<Index>& rows, std::vector<double>& H) { add(change, &rows, 0, H); }

   private:
    Index n_ = 0;
    std::vector<Index> starts_;
    std::vector<std::uint16_t> number_;
    std::vector<double> value_;

    // The lower triangle, from row `from` on; numbers ascend along each row.
    void add(const double* c, const std::vector<Index>* rows, Index from, std::vector<double>& H) {
        const Index count = rows ? static_cast<Index>(rows->size()) : n_;
        const Index* starts = starts_.data();
        const std::uint16_t* number = number_.data();
        const double* value = value_.data();
        const Index entries = WIDE * m * m <= starts[n_] ? starts[n_] / n_ * count : 0;  // or else sums of Hessians cost more
        threads::sums(count, entries, m * m, H.data(), [&](Index first, Index last, double* out) {
            for (Index q = first; q < last; q++) {
                const Index i = rows ? (*rows)[static_cast<std::size_t>(q)] : q;
                const double ci = c[i];
                if (ci == 0.0) continue;
                const Index begin = starts[i];
                for (Index t = starts[i + 1] - 1; t >= begin && number[t] >= from; t--) {
                    const double x = ci * value[t];
                    double* row = out + static_cast<Index>(number[t]) * m;
                    for (Index s = begin; s <= t; s++) row[number[s]] += x * value[s];
                }
            }
        }, WIDE);
        mirror(m, H.data());
    }
};

}  // namespace greedyhull
