// Penalised coordinate descent on sparse data, and paths of least squares by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "designs.hpp"
#include "square_data.hpp"
#include "square_path.hpp"

namespace greedyhull {

// Coordinate descent with a price on a quadratic of sparse data: sweeps, and jumps along the tangent of its path.
//
// The quadratic has the gradient X'q at v, q + p (X dv) beside it, and over the ball sum |v_j| <= r the minimiser is that of the
// quadratic + price sum |v_j| for one price. Sweeps solve for v at a price; v and the price follow the path's tangent, found by
// conjugate gradients, to the radius. A sweep costs the entries of the columns that work.

constexpr double ALMOST = 0.02;   // of the price: columns that miss it by less work as well
constexpr double ROUGHLY = 0.05;  // to which share of its right side the tangent is solved for
constexpr Index CALM = 3;         // sweeps between two jumps, at least

template <class T, class I>
class PricedDescent {
   protected:
    PricedDescent(ByColumn<T, I> X, bool centre, bool positive, Span<const double> scales)
        : X_(X), centre_(centre), positive_(positive), scales_(scales) {
        const std::size_t n = static_cast<std::size_t>(X.n), d = static_cast<std::size_t>(X.d);
        mean_.assign(d, 0.0), own_.assign(d, 0.0), v.assign(d, 0.0), d_.assign(d, 0.0), z_.resize(n), g_.resize(d), stored_.assign(n, 0.0);
    }

    std::vector<double> v;  // all coordinates, in units of the budget
    ByColumn<T, I> X_;
    bool centre_, positive_, even_ = false;  // even: all rows weigh the same
    Span<const double> scales_;
    std::vector<double> p_;  // what rows weigh
    double total_ = 1.0, per_ = 1.0;  // their sum, and one by it
    std::vector<double> q_, mean_, own_, d_, g_;  // q but for p times the constant b_; sums X'p, centred squares, tangent, gradient
    std::vector<Index> working_;
    double price_ = 0.0, b_ = 0.0, norm_ = 0.0, gives_ = 0.0;

    double worth(double g) const { return positive_ ? std::max(-g, 0.0) : std::fabs(g); }
    double dearest() const {
        double most = 0.0;
        for (double g : g_) most = std::max(most, worth(g));
        return most;
    }

    // Sums and centred squares of a column; entries may be stored twice.
    void measure(Index j) {
        const double s = scales_[j];
        double sum = 0.0, square = 0.0, rest = total_;
        each(j, [&](std::size_t i, double x) { stored_[i] += s * x, sum += s * x * p_[i]; });
        const double middle = centre_ ? sum / total_ : 0.0;
        each(j, [&](std::size_t i, double) {
            if (stored_[i] != 0.0) square += p_[i] * (stored_[i] - middle) * (stored_[i] - middle), rest -= p_[i], stored_[i] = 0.0;
        });
        mean_[at(j)] = centre_ ? sum : 0.0, own_[at(j)] = square + (centre_ ? std::max(rest, 0.0) * middle * middle : 0.0);
    }

    template <class F>
    void each(Index j, F take) const {
        const auto& X = X_.X;
        for (Index t = X.starts[j]; t < X.starts[j + 1]; t++) take(static_cast<std::size_t>(X.places[t]), static_cast<double>(X.entries[t]));
    }
    double slope(Index j) const {
        double total = 0.0;
        each(j, [&](std::size_t i, double x) { total += x * q_[i]; });
        return scales_[j] * total + b_ * mean_[at(j)];
    }
    void shift(Index j, double by) {
        const double s = by * scales_[j];
        if (even_)
            each(j, [&](std::size_t i, double x) { q_[i] += p_[0] * s * x; });
        else
            each(j, [&](std::size_t i, double x) { q_[i] += s * p_[i] * x; });
        if (centre_) b_ -= by * per_ * mean_[at(j)];
    }

    // d with H_AA d = s on the active columns, by conjugate gradients from the last one; gives_ = <s, d> is how much radius a
    // unit of price gives.
    void tangent() {
        active_.clear();
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0 && own_[at(j)] > 0.0)
                active_.push_back(j);
            else
                d_[at(j)] = 0.0;
        const std::size_t k = active_.size();
        e_.resize(k), c_.assign(k, 0.0), Hc_.resize(k);
        for (std::size_t a = 0; a < k; a++) c_[a] = d_[at(active_[a])];
        product(c_, Hc_);
        double size = 0.0, left = 0.0;
        for (std::size_t a = 0; a < k; a++) {
            e_[a] = sign(v[at(active_[a])]) - Hc_[a];
            const double h = own_[at(active_[a])];
            size += 1.0 / h, left += e_[a] * e_[a] / h, c_[a] = e_[a] / h;
        }
        for (Index i = 0; i < 30 && left > ROUGHLY * ROUGHLY * size; i++) {
            product(c_, Hc_);
            double bend = 0.0, now = 0.0;
            for (std::size_t a = 0; a < k; a++) bend += c_[a] * Hc_[a];
            if (!(bend > 0.0)) break;
            const double t = left / bend;
            for (std::size_t a = 0; a < k; a++) d_[at(active_[a])] += t * c_[a], e_[a] -= t * Hc_[a], now += e_[a] * e_[a] / own_[at(active_[a])];
            for (std::size_t a = 0; a < k; a++) c_[a] = e_[a] / own_[at(active_[a])] + now / left * c_[a];
            left = now;
        }
        gives_ = 0.0;
        for (const Index j : active_) gives_ += sign(v[at(j)]) * d_[at(j)];
        if (!(gives_ > 0.0)) {  // not a number, or rounding
            gives_ = 0.0;
            for (const Index j : active_) d_[at(j)] = sign(v[at(j)]) / own_[at(j)], gives_ += 1.0 / own_[at(j)];
        }
    }
    static double sign(double x) { return x > 0.0 ? 1.0 : -1.0; }
    void product(const std::vector<double>& x, std::vector<double>& out) {
        std::fill(z_.begin(), z_.end(), 0.0);
        double mean = 0.0;
        for (std::size_t a = 0; a < active_.size(); a++) {
            const double s = scales_[active_[a]] * x[a];
            each(active_[a], [&](std::size_t i, double e) { z_[i] += s * e; });
            mean += x[a] * mean_[at(active_[a])];
        }
        for (std::size_t i = 0; i < z_.size(); i++) z_[i] *= p_[i];
        for (std::size_t a = 0; a < active_.size(); a++) {
            double total = 0.0;
            each(active_[a], [&](std::size_t i, double e) { total += e * z_[i]; });
            out[a] = scales_[active_[a]] * total - mean / total_ * mean_[at(active_[a])];
        }
    }

    // Along the tangent until `by` more of the radius is used; who would change sign stays at zero.
    void jump(double by) {
        const double t = std::min(by / gives_, 0.9 * price_);
        norm_ = 0.0;
        for (Index j = 0; j < X_.d; j++) {
            const double old = v[at(j)];
            if (old == 0.0) continue;
            const double x = old + t * d_[at(j)], to = x * old > 0.0 ? x : 0.0;
            shift(j, to - old), v[at(j)] = to, norm_ += std::fabs(to);
        }
        price_ -= t;
    }

    // One sweep; by how much, at most, a column missed the price.
    double sweep() {
        double norm = 0.0, left = 0.0;
        for (const Index j : working_) {
            const double h = own_[at(j)], g = slope(j), old = v[at(j)], u = h * old - g;
            double x = u > price_ ? (u - price_) / h : !positive_ && u < -price_ ? (u + price_) / h : 0.0;
            if (x != old) shift(j, x - old), v[at(j)] = x, left = std::max(left, h * std::fabs(x - old));
            norm += std::fabs(x);
        }
        norm_ = norm;
        return left;
    }

    // Sweeps, and jumps back to the radius where sweeps have settled down; the last thing is a jump.
    void sweeps(double r, double enough) {
        Index since = 0;
        bool known = false;
        for (Index k = 0; k < 20; k++) {
            const double before = norm_, left = sweep(), missing = norm_ - r, moved = std::fabs(norm_ - before);
            const bool off = std::fabs(missing) * price_ > enough;
            since++;
            if (off && since >= CALM && (std::fabs(missing) > 2.0 * moved || since > 2 * CALM)) {
                if (!known) tangent(), known = true;
                jump(-missing), since = 0;
            } else if (!off && r * left <= enough) {
                break;
            }
        }
        if (norm_ > r || (r - norm_) * price_ > 0.3 * enough) {
            if (!known) tangent();
            jump(r - norm_);
        }
    }

    // Rounding, or a jump that ended early, must not leave the ball.
    void fit(double r) {
        if (norm_ > r)
            for (const Index j : working_) v[at(j)] *= r / norm_;
    }

   private:
    std::vector<double> z_, stored_, e_, c_, Hc_;
    std::vector<Index> active_;
};

// Least squares over budgets of many radii, sparse data with many active columns: coordinate descent with a price.
//
// v and the price follow the path's tangent from one radius to the next, and sweeps mend what it misses. Whatever the sweeps leave,
// the gap is that of the point.

constexpr Index IN_VAIN = 5;         // of these that leave the gap above nine tenths of the best: then it stays
constexpr double CLOSE = 0.5;        // of the gap that is wanted: sweeps end where the working columns leave no more
constexpr double STRIDE = 1.25;      // times the radius, at most, is one step

template <class T, class I>
class DescentPath : public SquareTrail, private PricedDescent<T, I> {
   public:
    DescentPath(ByColumn<T, I> X, Span<const double> y, Span<const double> p, bool centre, Span<const double> scales, bool positive)
        : Descent(X, centre, positive, scales) {
        p_.assign(p.data, p.data + p.size);
        even_ = std::all_of(p_.begin(), p_.end(), [&](double x) { return x == p_[0]; });
        size = X.d, q0_ = targets(y, p, centre);
        for (Index i = 0; i < X.n; i++) f0 += 0.5 * p[i] * q0_[at(i)] * q0_[at(i)], q0_[at(i)] *= -p[i];
        for (Index j = 0; j < X.d; j++) measure(j);
        q_ = q0_;
        look();
        g0_ = g_, price_ = first = dearest();
    }
    void each(const std::function<void(Index, double)>& take) const override {
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0) take(j, v[at(j)]);
    }

    SquareStage to(double r, double tol, bool lazy, const std::function<bool()>& asked) override {
        if (!(first > 0.0)) return seen(r);
        if (lazy && norm_ > 0.0 && norm_ <= r) {
            const SquareStage stays = seen(r);
            if (stays.gap <= 0.5 * tol * stays.lost) return stays;
        }
        double low = approach(r, tol, asked);
        SquareStage there = seen(r);
        if (!(norm_ > low && norm_ <= r && there.value <= tol * there.lost)) {
            low = std::max(low, std::min(norm_, r));
            there = at_radius(r, tol, 40, asked);
        }
        if (there.value <= tol * there.lost && low < norm_ && norm_ <= r) {
            shrink(low, tol, asked);
            return seen(r);
        }
        return there;
    }

   private:
    using Descent = PricedDescent<T, I>;
    using Descent::v, Descent::X_, Descent::p_, Descent::even_, Descent::q_, Descent::b_, Descent::g_, Descent::d_, Descent::own_;
    using Descent::price_, Descent::norm_, Descent::gives_, Descent::working_, Descent::worth, Descent::dearest, Descent::measure;
    using Descent::slope, Descent::shift, Descent::tangent, Descent::jump, Descent::sweeps, Descent::fit;

    // Far steps are made in several: the tangent is one of the active columns, and of few others. Returns the last radius but
    // one, where some loss was left.
    double approach(double r, double tol, const std::function<bool()>& asked) {
        if (r < 0.5 * norm_) leave();
        double low = norm_;
        for (double next = norm_ > 0.0 ? STRIDE * norm_ : 0.05 * f0 / first; next > 0.0 && next < r && !asked(); next *= STRIDE) {
            const SquareStage stage = at_radius(next, std::max(tol, 1e-3), IN_VAIN, asked);
            if (!std::isfinite(stage.gap) || stage.value <= tol * stage.lost) return low;
            low = norm_;
        }
        return low;
    }

    // Where no loss is left, many points are as good; of these about the one that needs least of the radius is taken.
    void shrink(double low, double tol, const std::function<bool()>& asked) {
        std::vector<double> fits = v;
        double price = price_, high = norm_;
        for (Index k = 0; k < 4 && high > 1.05 * low && !asked(); k++) {
            const double middle = 0.5 * (low + high);
            const SquareStage stage = at_radius(middle, tol, IN_VAIN, asked);
            if (stage.value <= tol * stage.lost)
                fits = v, price = price_, high = middle;
            else
                low = middle;
        }
        v = fits, price_ = price;
        look();
    }

    SquareStage at_radius(double r, double tol, Index most, const std::function<bool()>& asked) {
        begin(r);
        SquareStage best{0.0, INFINITY, 0.0, 0.0, f0}, stage = best;
        Index vain = 0;
        for (Index k = 0; k < most && vain <= IN_VAIN; k++) {
            choose();
            sweeps(r, CLOSE * tol * best.lost);
            fit(r);
            look();
            stage = seen(r);
            if (!std::isfinite(stage.gap)) return stage;
            vain = stage.gap <= 0.9 * best.gap ? 0 : vain + 1;
            if (stage.gap < best.gap) best = stage, kept_ = v, kept_price_ = price_;
            if (best.gap <= tol * best.lost || asked()) break;
        }
        if (stage.gap > best.gap) {
            v = kept_, price_ = kept_price_;
            look();
        }
        return best;
    }

    std::vector<double> q0_, kept_, g0_;
    double kept_price_ = 0.0;

    // All of g at v, from the data; sums of many small steps are made anew.
    void look() {
        q_ = q0_, b_ = 0.0, norm_ = 0.0;
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0) shift(j, v[at(j)]), norm_ += std::fabs(v[at(j)]);
        for (Index j = 0; j < X_.d; j++) g_[at(j)] = slope(j);
    }

    SquareStage seen(double r) const {
        double linear = 0.0, slope = 0.0;
        for (std::size_t j = 0; j < v.size(); j++)
            if (v[j] != 0.0) linear += v[j] * g0_[j], slope += v[j] * g_[j];
        return this->stage_of(linear, slope, dearest(), norm_, r);
    }

    void leave() {
        std::fill(v.begin(), v.end(), 0.0), std::fill(d_.begin(), d_.end(), 0.0);
        look();
        price_ = first;
    }

    // Along the path's tangent.
    void begin(double r) {
        if (norm_ > 0.0) {
            tangent();
            jump(r - norm_);
        } else {
            double most = 0.0, square = 0.0;
            for (Index j = 0; j < X_.d; j++)
                if (worth(g_[at(j)]) > most) most = worth(g_[at(j)]), square = own_[at(j)];
            gives_ = 1.0 / square, price_ = std::max(first - square * r, 0.5 * first);
        }
    }

    void choose() {
        working_.clear();
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0 || (worth(g_[at(j)]) > (1.0 - ALMOST) * price_ && own_[at(j)] > 0.0)) working_.push_back(j);
    }
};

// By coordinate descent, and from kink to kink where that does not get there.
template <class T, class I>
class SparseTrail : public SquareTrail {
   public:
    SparseTrail(ByColumn<T, I> X, Span<const double> y, Span<const double> p, bool centre, Span<const double> scales, bool positive)
        : descent_(X, y, p, centre, scales, positive), few_(std::min(X.n, X.d) <= PROGRAM), make_([=] {
              return std::make_unique<SquarePath>(std::make_unique<SquareSparse<T, I>>(X, y, p, centre, scales), positive);
          }) {
        size = X.d, f0 = descent_.f0, first = descent_.first;
    }

    SquareStage to(double r, double tol, bool lazy, const std::function<bool()>& asked) override {
        if (!kinks_) {
            const SquareStage stage = descent_.to(r, tol, lazy, asked);
            if (!few_ || stage.gap <= tol * stage.lost || asked()) return stage;
            kinks_ = make_();  // with so few columns that can be active, kinks can be counted
        }
        return kinks_->to(r, tol, lazy, asked);
    }
    void each(const std::function<void(Index, double)>& take) const override {
        if (kinks_)
            kinks_->each(take);
        else
            descent_.each(take);
    }

   private:
    DescentPath<T, I> descent_;
    bool few_;
    std::function<std::unique_ptr<SquareTrail>()> make_;
    std::unique_ptr<SquareTrail> kinks_;
};

}  // namespace greedyhull
