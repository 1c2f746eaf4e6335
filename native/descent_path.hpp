// Least squares over budgets of many radii, sparse data with many active columns: coordinate descent with a price.
//
// v and the price follow the path's tangent from one radius to the next, and sweeps mend what it misses. Whatever the sweeps leave,
// the gap is that of the point.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "priced_descent.hpp"
#include "square_stage.hpp"

namespace greedyhull {

constexpr Index DESCENTS = 40;       // looks at one radius, at most
constexpr Index IN_VAIN = 5;         // of these that leave the gap above nine tenths of the best: then it stays
constexpr double CLOSE = 0.5;        // of the gap that is wanted: sweeps end where the working columns leave no more
constexpr double STRIDE = 1.25;      // times the radius, at most, is one step
constexpr double FIRST = 0.05;       // of the loss at zero by the price there: the first radius
constexpr double BY_THE_WAY = 1e-3;  // to what points on the way to a radius are solved
constexpr Index HALVES = 4;          // times a step beyond which no loss is left is halved
constexpr double NARROW = 1.05;      // but not further than to this ratio of radii

template <class T, class I>
class DescentPath : public SquareTrail, private PricedDescent<T, I> {
   public:
    DescentPath(ByColumn<T, I> X, Span<const double> y, Span<const double> p, bool centre, Span<const double> scales, bool positive)
        : Descent(X, centre, positive, scales) {
        p_.assign(p.data, p.data + p.size);
        even_ = std::all_of(p_.begin(), p_.end(), [&](double x) { return x == p_[0]; });
        q0_ = targets(y, p, centre);
        for (Index i = 0; i < X.n; i++) f0_ += 0.5 * p[i] * q0_[at(i)] * q0_[at(i)], q0_[at(i)] *= -p[i];
        for (Index j = 0; j < X.d; j++) measure(j);
        q_ = q0_;
        look();
        g0_ = g_, price_ = first_ = dearest();
    }
    Index size() const override { return X_.d; }
    double f0() const override { return f0_; }
    double first() const override { return first_; }
    void each(const std::function<void(Index, double)>& take) const override {
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0) take(j, v[at(j)]);
    }

    SquareStage to(double r, double tol, bool lazy, const std::function<bool()>& asked) override {
        if (!(first_ > 0.0)) return seen(r);
        if (lazy && norm_ > 0.0 && norm_ <= r) {
            const SquareStage stays = seen(r);
            if (stays.gap <= 0.5 * tol * stays.lost) return stays;
        }
        double low = approach(r, tol, asked);
        SquareStage there = seen(r);
        if (!(norm_ > low && norm_ <= r && there.value <= tol * there.lost)) {
            low = std::max(low, std::min(norm_, r));
            there = at_radius(r, tol, DESCENTS, asked);
        }
        if (there.value <= tol * there.lost && low < norm_ && norm_ <= r) {
            shrink(low, tol, asked);
            return seen(r);
        }
        return there;
    }

   private:
    using Descent = PricedDescent<T, I>;
    using Descent::at, Descent::v, Descent::X_, Descent::p_, Descent::even_, Descent::q_, Descent::b_, Descent::g_, Descent::d_, Descent::own_;
    using Descent::price_, Descent::norm_, Descent::gives_, Descent::working_, Descent::worth, Descent::dearest, Descent::measure;
    using Descent::slope, Descent::shift, Descent::tangent, Descent::jump, Descent::sweeps, Descent::fit;

    // Far steps are made in several: the tangent is one of the active columns, and of few others. Returns the last radius but
    // one, where some loss was left.
    double approach(double r, double tol, const std::function<bool()>& asked) {
        if (r < 0.5 * norm_) leave();
        double low = norm_;
        for (double next = norm_ > 0.0 ? STRIDE * norm_ : FIRST * f0_ / first_; next > 0.0 && next < r && !asked(); next *= STRIDE) {
            const SquareStage stage = at_radius(next, std::max(tol, BY_THE_WAY), IN_VAIN, asked);
            if (!std::isfinite(stage.gap) || stage.value <= tol * stage.lost) return low;
            low = norm_;
        }
        return low;
    }

    // Where no loss is left, many points are as good; of these about the one that needs least of the radius is taken.
    void shrink(double low, double tol, const std::function<bool()>& asked) {
        std::vector<double> fits = v;
        double price = price_, high = norm_;
        for (Index k = 0; k < HALVES && high > NARROW * low && !asked(); k++) {
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
        SquareStage best{0.0, INFINITY, 0.0, 0.0, f0_}, stage = best;
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
    double f0_ = 0.0, first_ = 0.0, kept_price_ = 0.0;

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
        const double gained = -linear - 0.5 * (slope - linear), value = f0_ - gained, price = dearest();
        const double gap = std::max(std::min(slope + r * price, value), 0.0);  // no value is below zero
        return {value, gap, price, norm_, std::max(std::fabs(value), gained + gap)};
    }

    void leave() {
        std::fill(v.begin(), v.end(), 0.0), std::fill(d_.begin(), d_.end(), 0.0);
        look();
        price_ = first_;
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
            gives_ = 1.0 / square, price_ = std::max(first_ - square * r, 0.5 * first_);
        }
    }

    void choose() {
        working_.clear();
        for (Index j = 0; j < X_.d; j++)
            if (v[at(j)] != 0.0 || (worth(g_[at(j)]) > (1.0 - ALMOST) * price_ && own_[at(j)] > 0.0)) working_.push_back(j);
    }
};

}  // namespace greedyhull
