// Data, factors and points of a path of least squares.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"
#include "designs.hpp"

namespace greedyhull {

// y less its mean by the weights p, if that is wanted; zero where no more than rounding is left of it, which no column can fit.
inline std::vector<double> targets(Span<const double> y, Span<const double> p, bool centre) {
    std::vector<double> t(y.data, y.data + y.size);
    double largest = 0.0, left = 0.0;
    for (Index pass = 0; centre && pass < 2; pass++) {  // the second takes away what rounding left of the mean
        double mean = 0.0;
        for (Index i = 0; i < y.size; i++) mean += p[i] * t[static_cast<std::size_t>(i)];
        for (double& x : t) x -= mean;
    }
    for (Index i = 0; i < y.size; i++)
        if (p[i] > 0.0) largest = std::max(largest, std::fabs(y[i])), left = std::max(left, std::fabs(t[static_cast<std::size_t>(i)]));
    if (centre && left <= 4.0 * std::numeric_limits<double>::epsilon() * largest) std::fill(t.begin(), t.end(), 0.0);
    return t;
}

struct SquareStage {
    double value, gap;  // the value at a point, and how far it may be above the least one
    double price;       // what one more unit of radius is worth
    double norm;        // what is used of the radius
    double lost;        // what has been gained since zero, and the gap: a number that the gap may be compared with
};

class SquareTrail {
   public:
    Index size = 0;                 // columns
    double f0 = 0.0, first = 0.0;  // the value at zero, and the price there
    virtual ~SquareTrail() = default;
    // The point for radius r, to a gap of `tol` times the larger of f and what has been gained since zero, or what can be had.
    // With `lazy` the point stays where it is if that is good enough.
    virtual SquareStage to(double r, double tol, bool lazy, const std::function<bool()>& asked) = 0;
    // Its coordinates that are not zero, in units of the budget.
    virtual void each(const std::function<void(Index, double)>& take) const = 0;

   protected:
    // Of the point v with <g0, v> = linear and <g, v> = slope, where `price` is the largest of |g|.
    SquareStage stage_of(double linear, double slope, double price, double norm, double r) const {
        const double gained = -linear - 0.5 * (slope - linear), value = f0 - gained;
        const double gap = std::max(std::min(slope + r * price, value), 0.0);  // no value is below zero
        return {value, gap, price, norm, std::max(std::fabs(value), gained + gap)};
    }
};

// The Cholesky factor of a Hessian on active columns that come and go, one at a time: LL' = H_AA, and q = L^-1 s for their signs s.
class SquareFactor {
   public:
    Index k = 0;
    std::vector<double> q;

    void clear() { k = 0, q.clear(); }

    // A column joins: `row` has its entries of H with the active columns, `own` that with itself. Where it depends on the
    // others, up to the share `least` of its square, it is refused, or with `force` taken with that share.
    bool join(const double* row, double own, double sign, double least, bool force) {
        if (k == room_) widen();
        double *to = L_.data() + k * room_, square = 0.0, known = 0.0;
        std::copy(row, row + k, to);
        forth(to);
        algebra::dots(to, room_, k, 1, to, &square);
        double rest = own - square;
        if (!(rest > least * own)) {
            if (!force || !(own > 0.0)) return false;
            rest = least * own;
        }
        to[k] = std::sqrt(rest);
        algebra::dots(to, room_, k, 1, q.data(), &known);
        q.push_back((sign - known) / to[k]);
        k++;
        return true;
    }

    // How the column that was refused last depends on the active ones: H_AA^-1 row.
    void dependence(std::vector<double>& x) const {
        x.assign(L_.data() + k * room_, L_.data() + k * room_ + k);
        back(x.data());
    }

    // The column in place `at` leaves: rotations make the rest triangular again, row by row.
    void leave(Index at) {
        cosine_.resize(static_cast<std::size_t>(k)), sine_.resize(static_cast<std::size_t>(k));
        for (Index a = at; a + 1 < k; a++) {
            double *to = L_.data() + a * room_, *from = to + room_;
            std::copy(from, from + a + 2, to);
            for (Index b = at; b < a; b++) turn(b, to[b], to[b + 1]);
            const double length = std::hypot(to[a], to[a + 1]);
            cosine_[static_cast<std::size_t>(a)] = to[a] / length, sine_[static_cast<std::size_t>(a)] = to[a + 1] / length;
            to[a] = length;
            turn(a, q[static_cast<std::size_t>(a)], q[static_cast<std::size_t>(a + 1)]);
        }
        k--;
        q.resize(static_cast<std::size_t>(k));
    }

    // x <- L'^-1 x, and x <- L^-1 x.
    void back(double* x) const { algebra::solve_transposed(k, L_.data(), room_, x); }
    void forth(double* x) const { algebra::solve_lower(k, L_.data(), room_, x); }

   private:
    Index room_ = 0;
    std::vector<double> L_, cosine_, sine_;

    void turn(Index b, double& x, double& y) const {
        const double c = cosine_[static_cast<std::size_t>(b)], s = sine_[static_cast<std::size_t>(b)], old = x;
        x = c * old + s * y, y = c * y - s * old;
    }
    void widen() {
        const Index room = std::max<Index>(16, 2 * room_);
        std::vector<double> wide(static_cast<std::size_t>(room * room));
        for (Index a = 0; a < k; a++) std::copy_n(L_.data() + a * room_, a + 1, wide.data() + a * room);
        L_.swap(wide), room_ = room;
    }
};

// Least squares as a path over budgets sees it: a quadratic in scaled coordinates, w_j = scale_j v_j, with
// f(v) = f0 + <g0, v> + v'Hv/2,
// H made for the columns that wait, and the whole of g = g0 + Hv on demand.

constexpr std::size_t SCATTERED = 4;  // entries of a row of H that are read while one stored entry is found

class SquareData {
   public:
    Index d = 0;
    double f0 = 0.0;
    std::vector<double> g0;

    virtual ~SquareData() = default;
    // Rows of H from `kept` on, all of their entries among `columns`; row a begins at H + a stride.
    virtual void join(const std::vector<Index>& columns, Index kept, double* H, Index stride) = 0;
    // Hv on the columns that wait.
    virtual void product(const std::vector<Index>& columns, const std::vector<double>& v, const double* H, Index stride, double* out) {
        const Index m = static_cast<Index>(columns.size());
        algebra::combine(H, stride, m, m, v.data(), out);
    }
    // The same on some of them, by their places; what is written elsewhere means nothing.
    virtual void rates(const std::vector<Index>& columns, const std::vector<Index>& places, const std::vector<double>& v,
                       const double* H, Index stride, double* out) {
        const Index m = static_cast<Index>(columns.size());
        if (2 * static_cast<Index>(places.size()) > m) return product(columns, v, H, stride, out);
        for (std::size_t k = 0, run; k < places.size(); k += run) {  // columns that came together have rows side by side
            for (run = 1; k + run < places.size() && places[k + run] == places[k] + static_cast<Index>(run);) run++;
            algebra::dots(H + places[k] * stride, stride, m, static_cast<Index>(run), v.data(), out + places[k]);
        }
    }
    // Of the columns that waited, those in these places stay.
    virtual void keep(const std::vector<Index>& places) = 0;
    // g <- g0 + Hv, v given on the columns that wait.
    virtual void look(const std::vector<Index>& columns, const std::vector<double>& v, double* g) = 0;
};

// H itself is at hand: that of few columns, which folds share.
class SquareMatrix : public SquareData {
   public:
    SquareMatrix(const double* H, Span<const double> b, double at_zero, Span<const double> scales) : H_(H), scales_(scales) {
        d = b.size, f0 = at_zero;
        for (Index j = 0; j < d; j++) g0.push_back(-scales[j] * b[j]);
        sum_.resize(g0.size());
    }
    void join(const std::vector<Index>& columns, Index kept, double* H, Index stride) override {
        const Index m = static_cast<Index>(columns.size());
        for (Index a = kept; a < m; a++) {
            const Index j = columns[static_cast<std::size_t>(a)];
            const double *row = H_ + j * d, scale = scales_[j];
            for (Index b = 0; b < m; b++) {
                const Index l = columns[static_cast<std::size_t>(b)];
                H[a * stride + b] = scale * row[l] * scales_[l];
            }
        }
    }
    void keep(const std::vector<Index>&) override {}
    void look(const std::vector<Index>& columns, const std::vector<double>& v, double* g) override {
        std::fill(sum_.begin(), sum_.end(), 0.0);
        for (std::size_t a = 0; a < columns.size(); a++)
            if (v[a] != 0.0) algebra::add_one(H_ + columns[a] * d, scales_[columns[a]] * v[a], d, sum_.data());
        for (Index j = 0; j < d; j++) g[j] = g0[static_cast<std::size_t>(j)] + scales_[j] * sum_[static_cast<std::size_t>(j)];
    }

   private:
    const double* H_;
    Span<const double> scales_;
    std::vector<double> sum_;
};

// What data of any storage share: weights p that sum to one, the target less its mean, and X'r for all columns.
template <class D>
class SquareRows : public SquareData {
   public:
    SquareRows(D X, Span<const double> y, Span<const double> p, bool centre, Span<const double> scales)
        : X_(X), p_(p.data, p.data + p.size), t_(targets(y, p, centre)), r_(t_.size()), centre_(centre), scales_(scales) {
        d = X.d, g0.resize(static_cast<std::size_t>(d));
        for (std::size_t i = 0; i < t_.size(); i++) r_[i] = -p_[i] * t_[i], f0 -= 0.5 * r_[i] * t_[i];
        adjoint(g0.data());
    }

   protected:
    D X_;
    std::vector<double> p_, t_, r_;
    bool centre_;
    Span<const double> scales_;

    // scores <- X'r; with an intercept r sums to zero, up to rounding that is taken away here.
    void adjoint(double* g) {
        double total = 0.0;
        for (double r : r_) total += r;
        if (centre_)
            for (std::size_t i = 0; i < r_.size(); i++) r_[i] -= total * p_[i];
        X_.adjoint(r_.data(), g);
        for (Index j = 0; j < d; j++) g[j] *= scales_[j];
    }
};

// Dense: the columns that wait are copied, less their means, each row times the root of its weight.
template <class T>
class SquareColumns : public SquareRows<Dense<T>> {
   public:
    SquareColumns(Dense<T> X, Span<const double> y, Span<const double> p, bool centre, Span<const double> scales)
        : SquareRows<Dense<T>>(X, y, p, centre, scales) {
        for (double x : this->p_) root_.push_back(std::sqrt(x));
        z_.resize(root_.size());
    }
    void join(const std::vector<Index>& columns, Index kept, double* H, Index stride) override {
        const Index n = this->X_.n, m = static_cast<Index>(columns.size());
        Z_.resize(static_cast<std::size_t>(n * m));
        for (Index a = kept; a < m; a++) {
            const Index j = columns[static_cast<std::size_t>(a)];
            double *z = Z_.data() + a * n, mean = 0.0;
            this->X_.column(j, this->scales_[j], z);
            for (Index i = 0; this->centre_ && i < n; i++) mean += this->p_[static_cast<std::size_t>(i)] * z[i];
            for (Index i = 0; i < n; i++) z[i] = root_[static_cast<std::size_t>(i)] * (z[i] - mean);
        }
        if (algebra::use_blas(m, n * m * (m - kept), n))
            return blas::gemm('T', 'N', m, m - kept, n, 1.0, Z_.data(), n, Z_.data() + kept * n, n, 0.0, H + kept * stride, stride);
        for (Index a = kept; a < m; a++) algebra::dots(Z_.data(), n, n, m, Z_.data() + a * n, H + a * stride);
    }
    void keep(const std::vector<Index>& places) override {
        const Index n = this->X_.n;
        for (std::size_t a = 0; a < places.size(); a++)
            if (places[a] != static_cast<Index>(a))
                std::copy_n(Z_.data() + places[a] * n, n, Z_.data() + static_cast<Index>(a) * n);
    }
    void look(const std::vector<Index>& columns, const std::vector<double>& v, double* g) override {
        algebra::combine(Z_.data(), this->X_.n, this->X_.n, static_cast<Index>(columns.size()), v.data(), z_.data());
        for (std::size_t i = 0; i < z_.size(); i++) this->r_[i] = root_[i] * (z_[i] - root_[i] * this->t_[i]);
        this->adjoint(g);
    }

   private:
    std::vector<double> root_, z_, Z_;
};

// Sparse: nothing is copied; means are taken away from sums.
template <class T, class I>
class SquareSparse : public SquareRows<ByColumn<T, I>> {
   public:
    SquareSparse(ByColumn<T, I> X, Span<const double> y, Span<const double> p, bool centre, Span<const double> scales)
        : SquareRows<ByColumn<T, I>>(X, y, p, centre, scales) {
        z_.resize(this->t_.size());
    }
    void join(const std::vector<Index>& columns, Index kept, double* H, Index stride) override {
        const Index m = static_cast<Index>(columns.size());
        for (Index a = kept; a < m; a++) means_.push_back(mean(columns[static_cast<std::size_t>(a)]));
        std::fill(z_.begin(), z_.end(), 0.0);
        for (Index a = kept; a < m; a++) {
            const Index j = columns[static_cast<std::size_t>(a)];
            scatter(j, [&](std::size_t i, double x) { z_[i] += this->p_[i] * x; });  // entries may be stored twice
            for (Index b = 0; b <= a; b++) {
                double total = 0.0;
                scatter(columns[static_cast<std::size_t>(b)], [&](std::size_t i, double x) { total += x * z_[i]; });
                if (this->centre_) total -= means_[static_cast<std::size_t>(a)] * means_[static_cast<std::size_t>(b)];
                H[a * stride + b] = total;
                if (b >= kept) H[b * stride + a] = total;
            }
            scatter(j, [&](std::size_t i, double) { z_[i] = 0.0; });
        }
    }
    void product(const std::vector<Index>& columns, const std::vector<double>& v, const double* H, Index stride, double* out) override {
        std::size_t moving = 0, entries = 0;
        for (std::size_t a = 0; a < columns.size(); a++) {
            const std::size_t length = static_cast<std::size_t>(this->X_.X.starts[columns[a] + 1] - this->X_.X.starts[columns[a]]);
            moving += v[a] != 0.0, entries += SCATTERED * (v[a] != 0.0 ? 2 : 1) * length;
        }
        if (moving * columns.size() < entries + z_.size())
            return SquareData::product(columns, v, H, stride, out);
        double mean = 0.0;
        std::fill(z_.begin(), z_.end(), 0.0);
        for (std::size_t a = 0; a < columns.size(); a++)
            if (v[a] != 0.0) {
                scatter(columns[a], [&](std::size_t i, double x) { z_[i] += this->p_[i] * v[a] * x; });
                mean += this->centre_ ? v[a] * means_[a] : 0.0;
            }
        for (std::size_t a = 0; a < columns.size(); a++) {
            double total = this->centre_ ? -mean * means_[a] : 0.0;
            scatter(columns[a], [&](std::size_t i, double x) { total += x * z_[i]; });
            out[a] = total;
        }
    }
    void keep(const std::vector<Index>& places) override {
        for (std::size_t a = 0; a < places.size(); a++) means_[a] = means_[static_cast<std::size_t>(places[a])];
        means_.resize(places.size());
    }
    void look(const std::vector<Index>& columns, const std::vector<double>& v, double* g) override {
        double mean = 0.0;
        std::fill(z_.begin(), z_.end(), 0.0);
        for (std::size_t a = 0; a < columns.size(); a++)
            if (v[a] != 0.0) {
                scatter(columns[a], [&](std::size_t i, double x) { z_[i] += v[a] * x; });
                mean += this->centre_ ? v[a] * means_[a] : 0.0;
            }
        for (std::size_t i = 0; i < z_.size(); i++) this->r_[i] = this->p_[i] * (z_[i] - mean - this->t_[i]);
        this->adjoint(g);
    }

   private:
    std::vector<double> z_, means_;

    template <class F>
    void scatter(Index j, F take) const {
        const auto& X = this->X_.X;
        for (Index t = X.starts[j]; t < X.starts[j + 1]; t++)
            take(static_cast<std::size_t>(X.places[t]), this->scales_[j] * static_cast<double>(X.entries[t]));
    }
    double mean(Index j) const {
        double total = 0.0;
        scatter(j, [&](std::size_t i, double x) { total += this->p_[i] * x; });
        return total;
    }
};

}  // namespace greedyhull
