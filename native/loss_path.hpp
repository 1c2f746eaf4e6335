// Paths of smooth losses over budgets of many radii.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "corrective.hpp"
#include "losses.hpp"
#include "penalised_descent.hpp"

namespace greedyhull {

struct LossStage {
    double value, gap;  // the gap is infinite where numbers have left their range
    double price;       // what one more unit of radius is worth
};

// Smooth losses over budgets of many radii: corrective rounds that go on from one radius to the next.
//
// The working columns stay, and so does the intercept; the point is scaled to the next radius. Python has no part in it until the
// last radius is done.
template <class D>
class LossPath {
   public:
    LossPath(D X, std::unique_ptr<SmoothLoss> loss, bool positive, Span<const double> units, Index batch, Index steps)
        : positive_(positive), units_(units), scales_(static_cast<std::size_t>(X.d), 0.0),
          core_(X, std::move(loss), Budget{positive, false}, {scales_.data(), X.d}, 0.0, batch, steps) {}
    LossPath(const LossPath&) = delete;  // the rounds look at the scales of this object
    LossPath& operator=(const LossPath&) = delete;

    Index size() const { return static_cast<Index>(scales_.size()); }
    double intercept() const { return core_.loss().b; }
    SmoothLoss& loss() { return core_.loss(); }
    void each(const std::function<void(Index, double)>& take) const {
        for (std::size_t a = 0; a < core_.u.size(); a++)
            if (core_.u[a] != 0.0) take(core_.columns[a], core_.u[a] * scales_[static_cast<std::size_t>(core_.columns[a])]);
    }

    // Stand at the point of another path, in the ball of radius r.
    template <class Path>
    void take(double r, const Path& other) {
        core_.columns.clear(), core_.u.clear();
        other.each([&](Index j, double x) { core_.columns.push_back(j), core_.u.push_back(x / r); });
    }

    // The point for radius r, to the gap that is wanted, or what so many rounds and their stall rule leave.
    LossStage to(double r, double wanted, Index rounds, const std::function<bool()>& asked) {
        for (std::size_t j = 0; j < scales_.size(); j++) scales_[j] = r * units_[static_cast<Index>(j)];
        core_.begin();
        double gap = core_.look();
        if (gap > wanted) {
            trace_.clear();
            if (run_rounds(core_, {rounds, wanted, 0.0, 0.0, 0.0}, asked, trace_) == Ending::lost) return {NAN, INFINITY, NAN};
            gap = trace_.back().gap;
        }
        return {core_.value(), std::isfinite(gap) ? std::max(gap, 0.0) : INFINITY, price()};
    }

   private:
    bool positive_;
    Span<const double> units_;
    std::vector<double> scales_;
    Corrective<D> core_;
    std::vector<RoundRow> trace_;

    double price() const {
        double most = 0.0;
        for (Index j = 0; j < size(); j++) {
            const double g = units_[j] * core_.gradient[static_cast<std::size_t>(j)];
            most = std::max(most, positive_ ? -g : std::fabs(g));
        }
        return most;
    }
};

// Smooth losses over budgets of many radii, sparse data with many active columns: Newton steps by coordinate descent with a price.
//
// A Newton step minimises the quadratic model of the loss over the ball, by sweeps at a price and jumps to the radius; no Hessian is
// made. A line search follows. Whatever the sweeps leave, the gap is that of the point.

constexpr double PART = 0.1;      // of the gap: to what a quadratic model is solved
constexpr double BLUR = 1e-12;    // of a column's square: what centring leaves is no less in the model

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
            const bool ends = left <= wanted || k >= 40 || vain > 5 || (k > 0 && asked());
            if (ends || !step(r, std::max(PART * left, 0.5 * wanted))) return {value_, left, dearest()};
        }
    }

   private:
    using Descent = PricedDescent<T, I>;
    using Descent::v, Descent::X_, Descent::scales_, Descent::p_, Descent::total_, Descent::per_, Descent::q_, Descent::b_, Descent::g_;
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
        for (double& p : p_) p = std::max(p, 1e-8 * most), total_ += p;
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
        for (Index k = 0; k < 4; k++, enough *= PART) {
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
        if (!(norm_ > 0.99 * r)) return;
        const double by = r / norm_;
        for (const Index j : working_) v[at(j)] *= by;
    }

    // The whole step if it does a quarter of what its slope promises, else a shorter one that does.
    bool search(double descent) {
        const double b = loss_.b;
        double t = 1.0;
        for (int k = 0; k < 12; k++) {
            const double now = evaluate(r_trial_, c_trial_);
            if (now <= value_ + 0.25 * t * descent + 4e-16 * std::fabs(value_)) {
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

// Sparse data: by coordinate descent, and by corrective rounds where that ends early.
template <class T, class I>
class SparseLossPath {
   public:
    SparseLossPath(ByColumn<T, I> X, std::unique_ptr<SmoothLoss> loss, bool positive, Span<const double> units, Index batch, Index steps,
                   bool descends)
        : units_(units), rounds_(X, std::move(loss), positive, units, batch, steps) {
        if (descends) descent_ = std::make_unique<LossDescent<T, I>>(X, rounds_.loss(), positive, units);
    }

    Index size() const { return rounds_.size(); }
    double intercept() const { return rounds_.intercept(); }
    void each(const std::function<void(Index, double)>& take) const {
        if (!descent_) return rounds_.each(take);
        descent_->each([&](Index j, double x) { take(j, x * units_[j]); });
    }

    LossStage to(double r, double wanted, Index rounds, const std::function<bool()>& asked) {
        if (descent_) {
            const LossStage stage = descent_->to(r, wanted, asked);
            if (stage.gap <= wanted || asked()) return stage;
            rounds_.take(r, *descent_);
            descent_.reset();
        }
        return rounds_.to(r, wanted, rounds, asked);
    }

   private:
    Span<const double> units_;
    LossPath<ByColumn<T, I>> rounds_;
    std::unique_ptr<LossDescent<T, I>> descent_;
};

}  // namespace greedyhull
