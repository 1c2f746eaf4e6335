// Quadratics as rounds see them: given forms, Gram matrices of tall data, and what a design can do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "losses.hpp"
#include "working_columns.hpp"

namespace greedyhull {

// Quadratics w'Qw/2 - b'w as the corrective rounds see them: z = Qw is the image, z - b the gradient, and the Hessian on a few
// atoms is a part of Q.

constexpr double BENT = 1e-9;   // of the terms of w'Qw: a curvature so far below zero is no rounding
constexpr Index AT_ONCE = 128;  // coordinates: so few are all worked on from the first round on

// Q is symmetric and given by column. Without points the atoms are coordinates.
template <class D>
struct Form {
    D Q;
    Span<const double> b;
    Points points;
    Index n, d;

    static Form of(D Q, Span<const double> b, const Points& points) {
        return {Q, b, points, Q.n, points.given() ? points.count : Q.d};
    }
    void adjoint(const double* r, double* g) const {
        if (points.given())
            points.scores(r, g);
        else
            std::copy(r, r + n, g);
    }
    bool at_once(Index, bool) const { return d <= AT_ONCE; }
};

// r = z - b; what it is worth depends on w as well, and the working columns know that.
class FormLoss : public SmoothLoss {
   public:
    explicit FormLoss(Span<const double> b) : b_(b) { quadratic = true; }
    double pieces(Span<const double> z, double* r, double* c) override {
        for (Index i = 0; i < z.size; i++) r[i] = z[i] - b_[i], c[i] = 1.0;
        return 0.0;
    }

   private:
    Span<const double> b_;
};

// Nothing is copied where atoms are coordinates; the images of points are kept.
template <class D>
class WorkingColumns<Form<D>> {
   public:
    static constexpr Index most = std::numeric_limits<Index>::max();
    Index m = 0;

    void build(const Form<D>& form, const std::vector<Index>& columns, const double* scales, Index kept) {
        form_ = &form, columns_ = columns, m = static_cast<Index>(columns.size());
        scales_.assign(scales, scales + m);
        if (!form.points.given()) return;
        images_.resize(static_cast<std::size_t>(form.n * m));
        for (Index a = kept; a < m; a++) form.points.image(form.Q, at(a), images_.data() + a * form.n);
    }

    void product(const double* u, double* z) {
        by_.resize(static_cast<std::size_t>(m));
        for (Index a = 0; a < m; a++) by_[static_cast<std::size_t>(a)] = scales_[static_cast<std::size_t>(a)] * u[a];
        if (form_->points.given()) return algebra::combine(images_.data(), form_->n, form_->n, m, by_.data(), z);
        std::fill(z, z + form_->n, 0.0);
        for (Index a = 0; a < m; a++)
            if (u[a] != 0.0) form_->Q.add_column(at(a), by_[static_cast<std::size_t>(a)], z);
    }

    void adjoint(const double* r, double* g) const {
        for (Index a = 0; a < m; a++) g[a] = scales_[static_cast<std::size_t>(a)] * dot(a, r);
    }

    // w'z/2 - b'w.
    double value(const std::vector<double>& u, const double* z) const {
        double total = 0.0;
        for (Index a = 0; a < m; a++) {
            const std::size_t k = static_cast<std::size_t>(a);
            if (u[k] != 0.0) total += scales_[k] * u[k] * (0.5 * dot(a, z) - dot(a, form_->b.data));
        }
        return total;
    }

    // (w - v)'Q(w - v) for two points and their images.
    double bend(const std::vector<double>& from, const double* Qv, const std::vector<double>& to, const double* Qw) const {
        double total = 0.0;
        for (Index a = 0; a < m; a++) {
            const std::size_t k = static_cast<std::size_t>(a);
            if (to[k] != from[k]) total += scales_[k] * (to[k] - from[k]) * (dot(a, Qw) - dot(a, Qv));
        }
        return total;
    }

    // The rows of H from `from` on, and their mirror image.
    void hessian(const double*, const std::vector<Index>*, Index from, Numbers& H) {
        widen(H, from, m);
        for (Index a = from; a < m; a++) {
            double* row = H.data() + a * m;
            line(a);
            for (Index b = 0; b <= a; b++) row[b] = scales_[static_cast<std::size_t>(a)] * scales_[static_cast<std::size_t>(b)] * dot(b, line_);
        }
        mirror(m, H.data());
    }

   private:
    const Form<D>* form_ = nullptr;
    std::vector<Index> columns_;
    std::vector<double> scales_, by_, images_, scratch_;
    const double* line_ = nullptr;

    Index at(Index a) const { return columns_[static_cast<std::size_t>(a)]; }
    double dot(Index a, const double* r) const { return form_->points.given() ? form_->points.dot(at(a), r) : r[at(a)]; }

    // Q times atom a.
    void line(Index a) {
        if (form_->points.given()) {
            line_ = images_.data() + a * form_->n;
            return;
        }
        scratch_.assign(static_cast<std::size_t>(form_->n), 0.0);
        form_->Q.add_column(at(a), 1.0, scratch_.data());
        line_ = scratch_.data();
    }
};

// Least squares with many more rows than columns: X'X is made once, and every Hessian is a part of it. Images, residuals and
// gradients are made from X itself, so that the rounding of X'X can cost a round and never a digit of the certificate.

constexpr Index LARGE_SHARE = 3;          // where one column in so many is wanted, and more than can join promise much, all of them
                                          // are worked on, and X'X is made
constexpr Index MOST_WORK = 4000000000;   // rows times columns squared: more than this would keep Ctrl-C waiting
constexpr Index SPARSE_POINT = 16;        // times as many columns as have weight: then only these are read
constexpr Index BY_BLAS = 2000000;        // rows times columns squared: from so many on BLAS makes X'X

inline bool is_tall(Index n, Index d) { return d > 1 && n >= 2 * d && d <= MOST_WORK / d / n; }

// Few columns are copied side by side, as of any data; once a share of them is wanted, all are worked on, from X'X.
template <class T>
struct Tall {
    Dense<T> X;
    Index n, d;

    void adjoint(const double* r, double* g) const { X.adjoint(r, g); }
    bool at_once(Index wanted, bool crowded) const { return crowded && LARGE_SHARE * wanted > d; }
};
template <class T>
Tall<T> tall_of(const Dense<T>& X) {
    return {X, X.n, X.d};
}

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

// What the corrective rounds ask of a design: whether it is a quadratic form, whether the whole Hessian is known, how many of
// its rows are data, and whether to work on all columns at once.
template <class D>
constexpr bool is_form = false;
template <class D>
constexpr bool is_form<Form<D>> = true;

template <class D>
constexpr bool knows_hessian = is_form<D>;
template <class T>
constexpr bool knows_hessian<Tall<T>> = true;

// A ridge over points has rows of its own below those of the data.
template <class D>
Index data_rows(const D& X) {
    if constexpr (is_mapped<D>)
        return X.X.n;
    else
        return X.n;
}

// Whether all columns are to be worked on, where so many of them are wanted; `crowded` says whether more promise much than can
// join in a round.
template <class D, class F>
bool all_at_once(const D& X, [[maybe_unused]] Index wanted, [[maybe_unused]] F crowded) {
    if constexpr (knows_hessian<D>)
        return X.at_once(wanted, crowded());
    else
        return false;
}

}  // namespace greedyhull
