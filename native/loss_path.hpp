// Smooth losses over budgets of many radii: corrective rounds that go on from one radius to the next.
//
// The working columns stay, and so does the intercept; the point is scaled to the next radius. Python has no part in it until the
// last radius is done.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "corrective.hpp"
#include "loss_stage.hpp"

namespace greedyhull {

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

}  // namespace greedyhull
