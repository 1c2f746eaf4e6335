// Smooth losses over budgets of many radii, sparse data with many active columns: Newton steps by coordinate descent with a price.
//
// A Newton step minimises the quadratic model of the loss over the ball, by sweeps at a price and jumps to the radius; no Hessian is
// made. A line search follows. Whatever the sweeps leave, the gap is that of the point.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "loss_stage.hpp"
#include "losses.hpp"
#include "priced_descent.hpp"

namespace greedyhull {

constexpr Index NEWTONS = 40;     // Newton steps at one radius, at most
constexpr Index FUTILE = 5;       // of these that leave the gap above nine tenths of the best: then it stays
constexpr double PART = 0.1;      // of the gap: to what a quadratic model is solved
constexpr double HALF = 0.5;      // of the gap that is wanted: closer is of no use there
constexpr Index FINER = 4;        // times that it is solved for more closely, at most, where the step would not lead down
constexpr double MET = 0.99;      // of the radius: a point that uses as much is scaled to it
constexpr double FLAT = 1e-8;     // of the largest curvature: rows bend by no less in the model
constexpr double BLUR = 1e-12;    // of a column's square: what centring leaves is no less in the model
constexpr double FALL = 0.25;     // of what its slope promises, a step must do
constexpr int SHORTER = 12;       // steps that are tried, before a radius is given up

template <class T, class I>
class LossDescent : private PricedDescent<T, I> {
   public:
    LossDescent(ByColumn<T, I> X, SmoothLoss& loss, bool positive, Span<const double> units)
        : Descent(X, loss.intercept, positive, units), loss_(loss), n_(static_cast<std::size_t>(X.n)) {
        image_.resize(n_), r_.resize(n_), c_.resize(n_), r_trial_.resize(n_), c_trial_.resize(n_);
    }

    // Coordinates that are not zero, in units of the budget.
    void each(const std::function<void(Index, double)>& take) const {
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0) take(j, v[at(j)]);
    }

    // The point for radius r, to the gap that is wanted, or what so many steps and their stall rule leave.
    LossStage to(double r, double wanted, const std::function<bool()>& asked) {
        start(r);
        double best = INFINITY;
        for (Index k = 0, vain = 0;; k++) {
            look();
            const double left = gap(r);
            if (!std::isfinite(left)) return {NAN, INFINITY, NAN};
            vain = left <= 0.9 * best ? 0 : vain + 1, best = std::min(best, left);
            const bool ends = left <= wanted || k >= NEWTONS || vain > FUTILE || (k > 0 && asked());
            if (ends || !step(r, std::max(PART * left, HALF * wanted))) return {value_, left, dearest()};
        }
    }

   private:
    using Descent = PricedDescent<T, I>;
    using Descent::at, Descent::v, Descent::X_, Descent::scales_, Descent::p_, Descent::total_, Descent::per_, Descent::q_, Descent::b_, Descent::g_;
    using Descent::own_, Descent::mean_, Descent::price_, Descent::norm_, Descent::working_, Descent::worth, Descent::dearest;
    using Descent::measure, Descent::sweeps;

    SmoothLoss& loss_;
    std::size_t n_;
    std::vector<double> image_, r_, c_, r_trial_, c_trial_, old_;
    double value_ = 0.0;

    double evaluate(std::vector<double>& r, std::vector<double>& c) {
        std::fill(image_.begin(), image_.end(), 0.0);
        norm_ = 0.0;
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0) X_.add_column(j, v[at(j)] * scales_[j], image_.data()), norm_ += std::fabs(v[at(j)]);
        return loss_.pieces({image_.data(), X_.n}, r.data(), c.data());
    }

    // Along the ray to the radius; who has enough of it already stays, if that is better.
    void start(double r) {
        value_ = evaluate(r_, c_);
        if (norm_ > 0.0 && norm_ != r) {
            const double by = r / norm_, b = loss_.b;
            old_ = v;
            for (double& x : v) x *= by;
            const double now = evaluate(r_trial_, c_trial_);
            if (by < 1.0 || now <= value_) {
                value_ = now, r_.swap(r_trial_), c_.swap(c_trial_);
            } else {
                v.swap(old_), loss_.b = b, norm_ = r / by;
            }
        }
        price_ = 0.0;
    }

    void look() {
        X_.adjoint(r_.data(), g_.data());
        for (Index j = 0; j < X_.d; j++) g_[at(j)] *= scales_[j];
    }

    double gap(double r) {
        double slope = 0.0;
        for (std::size_t j = 0; j < v.size(); j++)
            if (v[j] != 0.0) slope += v[j] * g_[j];
        const double most = dearest(), whole = slope + r * most;
        if (price_ == 0.0) price_ = norm_ > 0.0 && slope < 0.0 ? std::min(-slope / norm_, most) : 0.5 * most;
        return std::isfinite(value_) ? std::max(loss_.nonnegative ? std::min(whole, value_) : whole, 0.0) : INFINITY;
    }

    // The quadratic model at v, on the columns that are worth about the price.
    void model() {
        const double most = *std::max_element(c_.begin(), c_.end());
        p_ = c_, q_ = r_, b_ = 0.0, total_ = 0.0;
        for (double& p : p_) p = std::max(p, FLAT * most), total_ += p;
        per_ = 1.0 / total_;
        working_.clear();
        for (Index j = 0; j < X_.d; j++) {
            if (v[at(j)] == 0.0 && !(worth(g_[at(j)]) > (1.0 - ALMOST) * price_)) continue;
            measure(j);
            double& own = own_[at(j)];
            own = std::max(own, BLUR * (own + mean_[at(j)] * mean_[at(j)] / total_));
            if (own > 0.0 || v[at(j)] != 0.0) working_.push_back(j);
        }
    }

    // A Newton step; false where none leads down. What sweeps leave may outweigh what they gained: then they go on, more finely.
    bool step(double r, double enough) {
        model();
        old_ = v;
        for (Index k = 0; k < FINER; k++, enough *= PART) {
            sweeps(r, enough);
            meet(r);
            double descent = 0.0;
            for (const Index j : working_) descent += (v[at(j)] - old_[at(j)]) * g_[at(j)];
            if (!std::isfinite(descent)) break;
            if (!(descent < 0.0)) continue;
            if (search(descent)) return true;
            break;
        }
        v = old_;
        return false;
    }

    // A radius that is missed by little is met: the price of what is missing would hide what a step gains.
    void meet(double r) {
        if (!(norm_ > MET * r)) return;
        const double by = r / norm_;
        for (const Index j : working_) v[at(j)] *= by;
    }

    // The whole step if it does a quarter of what its slope promises, else a shorter one that does.
    bool search(double descent) {
        const double b = loss_.b;
        double t = 1.0;
        for (int k = 0; k < SHORTER; k++) {
            const double now = evaluate(r_trial_, c_trial_);
            if (now <= value_ + FALL * t * descent + 4e-16 * std::fabs(value_)) {
                value_ = now, r_.swap(r_trial_), c_.swap(c_trial_);
                return true;
            }
            loss_.b = b;
            const double excess = now - value_ - t * descent;  // of the parabola through what was seen, the lowest point
            const double by = std::isfinite(excess) ? std::clamp(-0.5 * t * descent / excess, 0.1, 0.5) : 0.5;
            for (const Index j : working_) v[at(j)] = old_[at(j)] + by * (v[at(j)] - old_[at(j)]);
            t *= by;
        }
        return false;
    }
};

}  // namespace greedyhull
