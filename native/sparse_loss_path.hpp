// Smooth losses of sparse data over budgets of many radii: by coordinate descent, and by corrective rounds where that ends early.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "loss_descent.hpp"
#include "loss_path.hpp"

namespace greedyhull {

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
