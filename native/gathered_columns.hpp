// Columns of a dense matrix that are worked on where they lie: a Hessian gathers a few hundred rows at a time, and the matrix has
// no second copy. It has the interface of WorkingColumns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "working_columns.hpp"

namespace greedyhull {

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
