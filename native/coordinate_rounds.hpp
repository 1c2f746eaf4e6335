// The rounds of Corrective in coordinates, for losses and for quadratics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "subspace.hpp"

namespace greedyhull {

// Corrective rounds in coordinates, over boxes, bounded simplices and l2 balls, one after another without Python between them.
//
// A round: the gradient, the gap, the coordinates in which f can fall, and Newton
// steps in these, each a quadratic problem over the section of the set in which they move.

constexpr double BLURRED_GAP = 4e-15;  // of the terms of a gap: one that is smaller is taken for that
constexpr double BLUR = 9e-16;         // of the terms of a value: by so much a step may raise it
constexpr double ENOUGH_LEFT = 0.3;    // of the aim: Newton steps of a round end where less is left in the section
constexpr double ENOUGH_EACH = 0.03;   // of the aim: to what the quadratic problem of such a step is solved, at most
constexpr double ENOUGH_ONCE = 0.1;    // of the aim: to what a quadratic is solved, which has one step a round

template <class D, class Frame>
class CoordinateRounds : public Patience {
   public:
    // What a run stands on, by which it is saved and taken up again.
    std::vector<double> x, z, gradient;
    Frame frame;
    double last_gap = INFINITY;
    bool sampling = true;

    CoordinateRounds(D X, std::unique_ptr<SmoothLoss> loss, std::unique_ptr<Region> region, double l2, Index steps, Index most)
        : X_(X), loss_(std::move(loss)), region_(std::move(region)), l2_(l2), steps_(steps) {
        frame.most = most;
        const auto n = static_cast<std::size_t>(X.n), d = static_cast<std::size_t>(X.d);
        for (auto* v : {&z, &r_, &c_, &z_trial_, &r_trial_, &c_trial_}) v->resize(n);
        for (auto* v : {&x, &gradient, &slopes_, &x_trial_}) v->resize(d);
    }

    SmoothLoss& loss() { return *loss_; }
    const SmoothLoss& loss() const { return *loss_; }
    double value() const { return bare_; }  // without the ridge
    const std::vector<double>& residual() const { return r_; }
    double multiplier() const { return region_->multiplier; }  // where the search for the next one begins
    void set_multiplier(double last) { region_->multiplier = last; }

    // Stand at x; where `cold`, at the point of the set nearest to the origin if f is lower there. A corner of a large box is far
    // from where models fit, and losses may be flat there.
    void begin(bool cold) {
        X_.product(x.data(), z.data());
        evaluate();
        frame.clear();
        static_cast<Patience&>(*this) = {}, last_gap = INFINITY, sampling = true;
        if (!cold) return;
        x_trial_.assign(x.size(), 0.0);
        region_->nearest(x_trial_);
        attempt();
        if (trial_value() < value_) take();
    }

    const std::vector<double>& curvature() const { return c_; }

    // Stand where the saved parts say. Residual and curvature are among them: a search for the intercept that begins where it
    // ended may end elsewhere.
    void take_up(const std::vector<double>& residual, const std::vector<double>& curvature, double bare) {
        frame.take_up(X_);
        r_ = residual, c_ = curvature, bare_ = bare, value_ = bare + ridge(x);
    }

    // X'r, the gradient without that of a ridge, and the Frank-Wolfe gap here; infinite where the value is.
    double look() {
        X_.adjoint(r_.data(), gradient.data());
        here_ = 0.0;
        for (std::size_t j = 0; j < x.size(); j++) slopes_[j] = gradient[j] + l2_ * x[j], here_ += slopes_[j] * x[j];
        gap_ = std::isfinite(value_) ? region_->gap(slopes_, x) : INFINITY;
        return gap_;
    }

    Here here() const { return {value_, gap_, 1}; }
    // A round and the look after it; false where nothing changed.
    bool next(double aim, const Asked& asked) {
        const double multiplier = region_->multiplier, last = last_gap;
        const bool sampled = sampling;
        if (!round(aim, asked)) {
            region_->multiplier = multiplier, last_gap = last, sampling = sampled;
            return false;
        }
        look();
        return true;
    }

   private:
    D X_;
    std::unique_ptr<SmoothLoss> loss_;
    std::unique_ptr<Region> region_;
    double l2_;
    Index steps_;
    std::vector<double> slopes_, r_, c_, g_, y_, x_trial_, z_trial_, r_trial_, c_trial_;
    double value_ = 0.0, bare_ = 0.0, bare_trial_ = 0.0, here_ = 0.0, gap_ = INFINITY;

    double ridge(const std::vector<double>& where) const {
        double total = 0.0;
        if (l2_ > 0.0)
            for (double w : where) total += w * w;
        return 0.5 * l2_ * total;
    }
    void evaluate() {
        bare_ = loss_->pieces({z.data(), X_.n}, r_.data(), c_.data());
        value_ = bare_ + ridge(x);
    }
    void attempt() {  // what there is to know at x_trial
        X_.product(x_trial_.data(), z_trial_.data());
        bare_trial_ = loss_->pieces({z_trial_.data(), X_.n}, r_trial_.data(), c_trial_.data());
    }
    double trial_value() const { return bare_trial_ + ridge(x_trial_); }
    void take() {
        x.swap(x_trial_), z.swap(z_trial_), r_.swap(r_trial_), c_.swap(c_trial_);
        bare_ = bare_trial_, value_ = bare_ + ridge(x);
    }
    // A few units in the last place of f and of what it is made of; the terms of <r, z> cancel where the optimum is inside the set.
    double noise() const {
        double terms = std::fabs(value_) + std::fabs(here_);
        for (std::size_t i = 0; i < z.size(); i++) terms += std::fabs(r_[i] * z[i]);
        return BLUR * terms;
    }

    // One round; false where nothing changed.
    bool round(double aim, const Asked& asked) {
        const double gap = std::max(gap_, BLURRED_GAP * (std::fabs(value_) + std::fabs(here_)));
        const bool early = gap > EARLY * std::fabs(value_), many = frame.choose(X_, *region_, slopes_, x, loss_->quadratic);
        sampling = sampling && gap <= SLOW * last_gap, last_gap = gap;
        const bool stepped = many && step_toward();
        if (frame.size() == 0) return stepped;
        frame.read(x, y_);
        frame.cut(*region_, x);
        const bool moved = loss_->quadratic ? solve(gap, aim, asked) : newton(gap, aim, early, asked);
        return moved || stepped;
    }

    void working_gradient() {
        g_.resize(y_.size());
        frame.curved.adjoint(r_.data(), g_.data());
        for (std::size_t a = 0; a < y_.size(); a++) g_[a] += l2_ * y_[a];
    }

    // A Frank-Wolfe step, which moves the coordinates that are left out as well.
    bool step_toward() {
        x_trial_.resize(x.size());
        region_->best(slopes_, x_trial_);
        X_.product(x_trial_.data(), z_trial_.data());
        double bend = 0.0;
        for (std::size_t i = 0; i < z.size(); i++) bend += c_[i] * (z_trial_[i] - z[i]) * (z_trial_[i] - z[i]);
        for (std::size_t j = 0; j < x.size(); j++) bend += l2_ * (x_trial_[j] - x[j]) * (x_trial_[j] - x[j]);
        return search(std::vector<double>(x_trial_), -gap_, bend > 0.0 ? std::min(1.0, gap_ / bend) : 1.0);
    }

    // Toward `target`, by `t` at first: a step that does a quarter of what its slope promises is taken, else a shorter one.
    bool search(const std::vector<double>& target, double descent, double t) {
        if (!(descent < 0.0)) return false;
        const double blur = noise();
        for (int k = 0; k < TRIES; k++) {
            for (std::size_t j = 0; j < x.size(); j++) x_trial_[j] = t < 1.0 ? x[j] + t * (target[j] - x[j]) : target[j];
            region_->nearest(x_trial_);  // rounding may have left the set by a unit in the last place
            const double b = loss_->b;
            attempt();
            if (const double most = k == 0 ? inside(*loss_, z.data(), z_trial_.data(), X_.n) : 1.0; most < 1.0) {
                loss_->b = b, t *= most;
                continue;
            }
            const double now = trial_value();
            if (now <= value_ + DECREASE * t * descent + blur) {
                const bool moved = x_trial_ != x;
                take();
                return moved;
            }
            loss_->b = b;
            const double excess = now - value_ - t * descent;  // of the parabola through what was seen, the lowest point
            t *= std::isfinite(excess) ? std::clamp(-0.5 * t * descent / excess, 0.1, 0.5) : 0.5;
        }
        return false;
    }

    std::vector<double> with(const std::vector<double>& y) const {
        std::vector<double> there = x;
        frame.write(there, y);
        return there;
    }

    // Quadratics: one exact solve.
    bool solve(double gap, double aim, const Asked& asked) {
        frame.curved.complete(c_);
        const double* H = frame.curved.whole(c_, loss_->intercept, l2_);
        working_gradient();
        if (H == nullptr || !all_finite(H, y_.size() * y_.size()) || !all_finite(g_.data(), g_.size())) return false;
        const auto& target = region_->solve(H, g_, y_, aim > 0.0 ? std::min(EXACT * gap, ENOUGH_ONCE * aim) : EXACT * gap, asked);
        return search(with(target), region_->slope(g_, y_, target), 1.0);
    }

    // Newton steps with a line search, until a tenth of the gap is left in the section.
    bool newton(double gap, double aim, bool early, const Asked& asked) {
        bool moved = false;
        const Index m = static_cast<Index>(y_.size());
        for (Index k = 0; k < steps_; k++) {
            working_gradient();
            const double left = region_->section_gap(g_, y_);
            if (k > 0 && (left <= std::max(INNER * gap, ENOUGH_LEFT * aim) || asked())) break;
            frame.curved.follow(c_, early && sampling && X_.n > std::max(MANY_ROWS, SAMPLE * A_ROW_EACH * m), loss_->intercept);
            const double* H = frame.curved.whole(c_, loss_->intercept, l2_);
            if (H == nullptr || !all_finite(H, y_.size() * y_.size()) || !all_finite(g_.data(), g_.size())) break;
            const auto& target = region_->solve(H, g_, y_, std::max(ROUGH * left, ENOUGH_EACH * aim), asked);
            if (!search(with(target), region_->slope(g_, y_, target), 1.0)) break;
            moved = true;
            frame.read(x, y_);
        }
        return moved;
    }
};

// Rounds of x'Qx/2 - b'x over a region: the quadratic problem of a round is the problem itself on some coordinates, or on all of
// them. A second round takes off what rounding left of the first.
template <class Form>
class QuadraticRounds : public Patience {
   public:
    std::vector<double> x, z, gradient;  // z = Qx

    QuadraticRounds(Form Q, Span<const double> b, std::unique_ptr<Region> region)
        : Q_(std::move(Q)), b_(b), region_(std::move(region)) {
        for (auto* v : {&x, &z, &gradient, &x_trial_, &z_trial_}) v->resize(static_cast<std::size_t>(b.size));
    }

    double value() const { return value_; }
    Region& region() { return *region_; }
    const Region& region() const { return *region_; }

    // Stand at x; where `cold`, at the point of the set nearest to the origin if f is lower there.
    void begin(bool cold) {
        static_cast<Patience&>(*this) = {};
        take_up();
        if (!cold) return;
        x_trial_.assign(x.size(), 0.0);
        region_->nearest(x_trial_);
        if (attempt() < value_) take();
    }
    void take_up() {
        x_trial_ = x;
        attempt(), take();
    }

    double look() {
        here_ = 0.0;
        for (std::size_t j = 0; j < x.size(); j++) gradient[j] = z[j] - b_.data[j], here_ += gradient[j] * x[j];
        gap_ = std::isfinite(value_) ? region_->gap(gradient, x) : INFINITY;
        return gap_;
    }

    Here here() const { return {value_, gap_, 1}; }
    // A round and the look after it; false where nothing changed.
    bool next(double aim, const Asked& asked) {
        const double multiplier = region_->multiplier;
        if (!round(aim, asked)) {
            region_->multiplier = multiplier;
            return false;
        }
        look();
        return true;
    }

   private:
    Form Q_;
    Span<const double> b_;
    std::unique_ptr<Region> region_;
    std::vector<Index> columns_;
    std::vector<double> x_trial_, z_trial_, y_, g_;
    double value_ = INFINITY, value_trial_ = INFINITY, terms_ = 0.0, terms_trial_ = 0.0, here_ = 0.0, gap_ = INFINITY;

    // What f is at x_trial, and the size of its terms, which rounding is relative to.
    double attempt() {
        Q_.product(x_trial_.data(), z_trial_.data());
        value_trial_ = terms_trial_ = 0.0;
        for (std::size_t j = 0; j < x.size(); j++) {
            const double bent = 0.5 * x_trial_[j] * z_trial_[j], straight = b_.data[j] * x_trial_[j];
            value_trial_ += bent - straight, terms_trial_ += std::fabs(bent) + std::fabs(straight);
        }
        return value_trial_;
    }
    void take() { x.swap(x_trial_), z.swap(z_trial_), value_ = value_trial_, terms_ = terms_trial_; }

    void read(const std::vector<double>& all, std::vector<double>& some) const {
        some.clear();
        for (Index j : columns_) some.push_back(all[static_cast<std::size_t>(j)]);
    }

    bool round(double aim, const Asked& asked) {
        const double gap = std::max(gap_, BLURRED_GAP * (std::fabs(value_) + std::fabs(here_)));
        if (!Q_.choose(*region_, gradient, x, columns_)) return false;
        const double* H = Q_.on(columns_);
        if (H == nullptr) return false;
        read(x, y_), read(gradient, g_), region_->cut(columns_, x);
        const auto& to = region_->solve(H, g_, y_, aim > 0.0 ? std::min(EXACT * gap, ENOUGH_ONCE * aim) : EXACT * gap, asked);
        x_trial_ = x;
        for (std::size_t a = 0; a < to.size(); a++) x_trial_[static_cast<std::size_t>(columns_[a])] = to[a];
        region_->nearest(x_trial_);  // rounding may have left the set by a unit in the last place
        if (x_trial_ == x || !(attempt() <= value_ + BLUR * (terms_ + terms_trial_))) return false;
        take();
        return true;
    }
};

}  // namespace greedyhull
