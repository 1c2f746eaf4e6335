// Least squares with many more rows than columns: X'X is made once, and every Hessian is a part of it. Images, residuals and
// gradients are made from X itself, so that the rounding of X'X can cost a round and never a digit of the certificate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "working_columns.hpp"

namespace greedyhull {

constexpr Index TALL = 2;                 // times as many rows as columns, at least
constexpr Index LARGE_SHARE = 3;          // where one column in so many is wanted, and more than can join promise much, all of them
                                          // are worked on, and X'X is made
constexpr Index MOST_WORK = 4000000000;   // rows times columns squared: more than this would keep Ctrl-C waiting
constexpr Index SPARSE_POINT = 16;        // times as many columns as have weight: then only these are read
constexpr Index BY_BLAS = 2000000;        // rows times columns squared: from so many on BLAS makes X'X

inline bool is_tall(Index n, Index d) { return d > 1 && n >= TALL * d && d <= MOST_WORK / d / n; }

// Few columns are copied side by side, as of any data; once a share of them is wanted, all are worked on, from X'X.
template <class T>
struct Tall {
    static constexpr bool sparse = false;
    Dense<T> X;
    Index n, d;

    static Tall of(const Dense<T>& X) { return {X, X.n, X.d}; }
    void adjoint(const double* r, double* g) const { X.adjoint(r, g); }
    bool at_once(Index wanted, bool crowded) const { return crowded && LARGE_SHARE * wanted > d; }
};

// The lower triangle (rows contiguous) of G <- G + c X'X for float64 rows that all weigh the same: no copy is made.
inline bool add_gram_in_place(const Dense<double>& X, double c, double* G) {
    const Index stride = X.by_column() ? X.column_stride : X.row_stride;
    if (stride < (X.by_column() ? X.n : X.d)) return false;  // a view that runs backwards, or whose rows overlap
    if (std::max(X.n, stride) > std::numeric_limits<blas::Int>::max()) return false;
    threads::sums(X.n, X.n * X.d, X.d * X.d, G, [&](Index first, Index last, double* out) {
        blas::syrk('U', X.by_column() ? 'T' : 'N', X.d, last - first, c, X.X + first * X.row_stride, stride, 1.0, out, X.d);
    }, WIDE);
    return true;
}
inline bool add_gram_in_place(const Dense<float>&, double, double*) { return false; }

// X' diag(c) X, by blocks of rows that are copied where X is not as BLAS wants it.
template <class T>
void gram(const Dense<T>& X, const double* c, std::vector<double>& G) {
    constexpr Index block = 256;
    const Index d = X.d;
    const bool alike = std::all_of(c, c + X.n, [&](double x) { return x == c[0]; });
    const bool by_blas = X.n * d * d >= BY_BLAS && algebra::blas_there();
    G.assign(static_cast<std::size_t>(d * d), 0.0);
    if (!(by_blas && alike && add_gram_in_place(X, c[0], G.data())))
        threads::sums(X.n, X.n * d, d * d, G.data(), [&](Index first, Index last, double* out) {
            std::vector<double> rows(static_cast<std::size_t>(block * d)), scratch(static_cast<std::size_t>(d));
            double roots[block];
            for (Index s = first; s < last; s += block) {
                const Index b = std::min(block, last - s);
                for (Index i = 0; i < b; i++) roots[i] = alike && s + i > first ? roots[0] : std::sqrt(c[s + i]);
                for (Index j = 0; j < d; j++) {
                    const T* column = X.X + s * X.row_stride + j * X.column_stride;
                    double* to = rows.data() + j * b;
                    for (Index i = 0; i < b; i++) to[i] = roots[i] * static_cast<double>(column[i * X.row_stride]);
                }
                if (by_blas)
                    blas::syrk('U', 'T', d, b, 1.0, rows.data(), b, 1.0, out, d);
                else
                    algebra::add_square(d, b, rows.data(), out, scratch.data());
            }
        }, WIDE);
    mirror(d, G.data());
}

template <class T>
class WorkingColumns<Tall<T>> {
   public:
    static constexpr Index most = std::numeric_limits<Index>::max();
    Index m = 0;

    void build(const Tall<T>& X, const std::vector<Index>& columns, const double* scales, Index kept) {
        X_ = X.X, m = static_cast<Index>(columns.size()), whole_ = m == X.d;
        if (!whole_) return few_.build(X.X, columns, scales, kept);
        few_ = WorkingColumns<Dense<T>>();
        columns_ = columns, scales_.assign(scales, scales + m);
    }

    void product(const double* u, double* z) {
        if (!whole_) return few_.product(u, z);
        w_.assign(static_cast<std::size_t>(X_.d), 0.0);
        Index used = 0;
        for (Index a = 0; a < m; a++) w_[at(a)] = scales_[static_cast<std::size_t>(a)] * u[a], used += u[a] != 0.0;
        if (SPARSE_POINT * used > X_.d) return X_.product(w_.data(), z);
        std::fill(z, z + X_.n, 0.0);
        for (Index j = 0; j < X_.d; j++)
            if (w_[static_cast<std::size_t>(j)] != 0.0) X_.add_column(j, w_[static_cast<std::size_t>(j)], z);
    }

    void adjoint(const double* r, double* g) {
        if (!whole_) return few_.adjoint(r, g);
        w_.resize(static_cast<std::size_t>(X_.d));
        X_.adjoint(r, w_.data());
        for (Index a = 0; a < m; a++) g[a] = scales_[static_cast<std::size_t>(a)] * w_[at(a)];
    }

    void hessian(const double* c, const std::vector<Index>* rows, Index from, Numbers& H) {
        if (!whole_) return few_.hessian(c, rows, from, H);
        if (gram_.empty()) gram(X_, c, gram_);
        widen(H, from, m);
        for (Index a = from; a < m; a++)
            for (Index b = 0; b <= a; b++)
                H[static_cast<std::size_t>(a * m + b)] = scales_[static_cast<std::size_t>(a)] * scales_[static_cast<std::size_t>(b)] *
                                                         gram_[at(a) * static_cast<std::size_t>(X_.d) + at(b)];
        mirror(m, H.data());
    }

   private:
    Dense<T> X_{};
    bool whole_ = false;
    WorkingColumns<Dense<T>> few_;
    std::vector<Index> columns_;
    std::vector<double> scales_, w_, gram_;

    std::size_t at(Index a) const { return static_cast<std::size_t>(columns_[static_cast<std::size_t>(a)]); }
};

}  // namespace greedyhull
