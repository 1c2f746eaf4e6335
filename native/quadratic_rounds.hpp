// Rounds of x'Qx/2 - b'x over a region: the quadratic problem of a round is the problem itself on some coordinates, or on all of
// them. A second round takes off what rounding left of the first. quadratic_sections.hpp has the ways in which Q may be given.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "coordinate_rounds.hpp"

namespace greedyhull {

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
