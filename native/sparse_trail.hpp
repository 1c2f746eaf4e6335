// Sparse least squares over budgets of many radii: by coordinate descent, and from kink to kink where that does not get there.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "descent_path.hpp"
#include "square_path.hpp"

namespace greedyhull {

template <class T, class I>
class SparseTrail : public SquareTrail {
   public:
    SparseTrail(ByColumn<T, I> X, Span<const double> y, Span<const double> p, bool centre, Span<const double> scales, bool positive)
        : descent_(X, y, p, centre, scales, positive), few_(std::min(X.n, X.d) <= PROGRAM), make_([=] {
              return std::make_unique<SquarePath>(std::make_unique<SquareSparse<T, I>>(X, y, p, centre, scales), positive);
          }) {}

    Index size() const override { return descent_.size(); }
    double f0() const override { return descent_.f0(); }
    double first() const override { return descent_.first(); }
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
