// Coordinate descent with a price on a quadratic of sparse data: sweeps, and jumps along the tangent of its path.
//
// The quadratic has the gradient X'q at v, q + p (X dv) beside it, and over the ball sum |v_j| <= r the minimiser is that of the
// quadratic + price sum |v_j| for one price. Sweeps solve for v at a price; v and the price follow the path's tangent, found by
// conjugate gradients, to the radius. A sweep costs the entries of the columns that work.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "designs.hpp"

namespace greedyhull {

constexpr Index SWEEPS = 20;      // between two looks at all columns, at most
constexpr double ALMOST = 0.02;   // of the price: columns that miss it by less work as well
constexpr Index TURNS = 30;       // of conjugate gradients, at most
constexpr double ROUGHLY = 0.05;  // to which share of its right side the tangent is solved for
constexpr Index CALM = 3;         // sweeps between two jumps, at least
constexpr double DELAYED = 2.0;   // times what a sweep changed of the sum: where more is missing, the price moves

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

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
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
        for (Index i = 0; i < TURNS && left > ROUGHLY * ROUGHLY * size; i++) {
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
        for (Index k = 0; k < SWEEPS; k++) {
            const double before = norm_, left = sweep(), missing = norm_ - r, moved = std::fabs(norm_ - before);
            const bool off = std::fabs(missing) * price_ > enough;
            since++;
            if (off && since >= CALM && (std::fabs(missing) > DELAYED * moved || since > 2 * CALM)) {
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

}  // namespace greedyhull
