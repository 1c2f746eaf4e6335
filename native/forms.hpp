// Quadratics w'Qw/2 - b'w as the corrective rounds see them: z = Qw is the image, z - b the gradient, and the Hessian on a few
// atoms is a part of Q.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "losses.hpp"
#include "working_columns.hpp"

namespace greedyhull {

constexpr double BENT = 1e-9;   // of the terms of w'Qw: a curvature so far below zero is no rounding
constexpr Index AT_ONCE = 128;  // coordinates: so few are all worked on from the first round on

// Q is symmetric and given by column. Without points the atoms are coordinates.
template <class D>
struct Form {
    static constexpr bool sparse = false;
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

}  // namespace greedyhull
