// Frank-Wolfe steps, and the line search of a step.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "budget_qp.hpp"
#include "designs.hpp"
#include "loops.hpp"
#include "losses.hpp"

namespace greedyhull {

// The exact step in [0, 1] along a parabola with this slope at zero and this bend, as objectives/line.py takes it.
inline double parabola_step(double slope, double bend) {
    if (!(slope < 0.0)) return 0.0;
    return bend > -slope ? -slope / bend : 1.0;
}

// That along a convex h by Newton on h' = 0, kept in a bracket by bisection; NaN where the derivative at one is not finite or one is NaN.
// derivatives(eta) gives h' and h''.
template <class Derivatives>
double line_search(const Derivatives& derivatives, double slope) {
    if (!(slope < 0.0)) return 0.0;
    const double end = derivatives(1.0).first;
    if (!std::isfinite(end)) return NAN;
    if (end <= 0.0) return 1.0;
    double low = 0.0, high = 1.0, low_slope = slope, high_slope = end, step = slope / (slope - end), width = 1.0;
    if (!(step > 0.0 && step < 1.0)) step = 0.5;
    int side = 0;
    for (int i = 0; i < 100; i++) {
        const auto [first, second] = derivatives(step);
        if (std::isnan(first)) return NAN;
        if (first < 0.0) {
            low = step, low_slope = first;
            if (side < 0) high_slope *= 0.5;
        } else {
            high = step, high_slope = first;
            if (side > 0) low_slope *= 0.5;
        }
        side = first < 0.0 ? -1 : 1;
        if (std::fabs(first) <= 1e-13 * std::fabs(slope) || high - low <= 4e-16 * high) break;
        double trial;
        if (second > 0.0) {
            trial = step - first / second;
        } else {  // a secant, its older end discounted; every other time the bracket must have halved
            const double turn = high_slope - low_slope;
            trial = turn > 0.0 ? low - low_slope * (high - low) / turn : 0.5 * (low + high);
            if (i % 2 == 1) {
                if (high - low > 0.5 * width) trial = 0.5 * (low + high);
                width = high - low;
            }
        }
        if (!(low < trial && trial < high)) trial = 0.5 * (low + high);
        if (std::fabs(trial - step) <= 1e-15 * step) break;
        step = trial;
    }
    return step;
}

// The data as these iterations see them: scores of all atoms, and the image of one.
class Columns {
   public:
    Index n = 0, d = 0, width = 0;  // rows; atoms without their signs; coordinates of the gradient
    virtual ~Columns() = default;
    virtual void scores(const double* r, double* s) = 0;
    virtual void image(Index j, double scale, double* out) const = 0;
    virtual const double* gradient(const double* s) const = 0;  // X'r, after `scores`
    virtual const double* point(Index j) const = 0;             // coordinates of atom j, where it is a given point
};

template <class D>
class ColumnsOf : public Columns {
   public:
    explicit ColumnsOf(D X) : X_(std::move(X)) {
        n = X_.n, d = X_.d, width = X_.d;
        if constexpr (is_mapped<D>) width = X_.X.d;
    }
    void scores(const double* r, double* s) override { X_.adjoint(r, s); }
    void image(Index j, double scale, double* out) const override { X_.column(j, scale, out); }
    const double* gradient([[maybe_unused]] const double* s) const override {
        if constexpr (is_mapped<D>)
            return X_.gradient.data();
        else
            return s;
    }
    const double* point([[maybe_unused]] Index j) const override {
        if constexpr (is_mapped<D>)
            return X_.points.rows + j * width;
        else
            return nullptr;
    }

   private:
    D X_;
};

// Step sizes by the numbers that Python has for them: line search, or a schedule that is known in advance.
struct StepSizes {
    int kind;
    double parameter;
    bool searches() const { return kind == 0; }
    double at(Index k) const {
        const double count = static_cast<double>(k);
        double eta = parameter;  // 2: constant
        if (kind == 1) eta = parameter / (count + parameter);
        if (kind == 3) eta = std::pow(count + 1.0, -parameter);
        if (kind == 4) {
            const double ell = 2.0 + std::log(count + 1.0);
            eta = ell / (count + ell);
        }
        return std::min(eta, 1.0);
    }
};

struct StepRow {  // what the trace says of a point, with the step that led there
    double value, gap, seconds, step;
    Index atoms;
};

// Why a burst ended. `seen`: the driver has to look, for nothing changed or rounding may be most of the gap; `lost`: the next
// point has numbers out of range, and was not taken.
enum class BurstEnd { gap, rounds, asked, seen, lost };

constexpr Index STILL = 32;        // iterations that change neither value nor bound: the driver decides whether to go on
constexpr Index CARRIED_FAR = 64;  // moves, and
constexpr double BLURRED = 0.5;    // of the gap: where rounding is more, the driver refreshes an image carried so far

struct Standing {  // a point and what is known there
    std::vector<double> z, r, c, x, weight, scale, gradient;
    std::vector<Index> index;
    double value = 0.0, gap = 0.0;
    Index moves = 0;
};

// Frank-Wolfe iterations over a budget, many in one call: w <- w + eta(d - w), where the atom d minimises <grad f(w), .>.
//
// The image z = Xw is carried along, z <- z + eta(Xd - z), as Python carries it. The point is kept by its atoms, scale e_index,
// and their weights; where atoms are given points, by its coordinates.
class FrankWolfe {
   public:
    Standing now, best;     // `best`: the point of the greatest lower bound that no driver has seen
    bool improved = false;  // whether a burst found one

    FrankWolfe(std::unique_ptr<Columns> X, std::unique_ptr<SmoothLoss> loss, Budget budget, Span<const double> scales,
               StepSizes steps)
        : X_(std::move(X)), loss_(std::move(loss)), budget_(budget), scales_(scales), steps_(steps),
          scores_(static_cast<std::size_t>(X_->d)), place_(static_cast<std::size_t>(2 * X_->d + 1), -1) {
        const auto n = static_cast<std::size_t>(X_->n);
        next_.z.resize(n), next_.r.resize(n), next_.c.resize(n), dz_.resize(n), now.r.resize(n), now.c.resize(n);
    }

    Columns& data() { return *X_; }
    SmoothLoss& loss() { return *loss_; }
    std::vector<double> gradient() const {  // X'r at `now`
        const double* g = X_->gradient(scores_.data());
        return {g, g + X_->width};
    }

    // Stand at `now`, of which z and the point are given.
    void begin() {
        std::fill(place_.begin(), place_.end(), -1);
        for (std::size_t a = now.index.size(); a-- > 0;) {
            const Index slot = slot_of(now.index[a], now.scale[a]);
            if (slot >= 0) place_[static_cast<std::size_t>(slot)] = static_cast<Index>(a);
        }
        now.value = pieces(now);
        look();
    }

    // Iterations k, k + 1, ... from where we stand. `lower` is the best lower bound known; `asked` says whether to end.
    BurstEnd burst(Index k, const Aim& aim, double lower, const std::function<bool()>& asked, std::vector<StepRow>& trace) {
        const auto start = std::chrono::steady_clock::now();
        const double first = std::fabs(now.value), count = 2.0 * (static_cast<double>(X_->n) + 16.0) + size() + 3.0 * now.moves;
        const Index carried = now.moves;
        improved = false;
        if (!std::isfinite(now.value) || !std::isfinite(now.gap)) return BurstEnd::lost;
        for (Index t = 1;; t++, k++) {
            const double before = now.value, known = lower;
            double eta = 0.0;
            if (!step(k, eta)) return BurstEnd::lost;
            lower = std::max(lower, now.value - now.gap);
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            trace.push_back({now.value, now.gap, taken.count(), eta, static_cast<Index>(size())});
            const double left = std::min(now.gap, now.value - lower);
            if (left <= std::max(aim.gap(now.value) - aim.rounding, 0.5 * aim.gap(now.value))) return BurstEnd::gap;
            if (t >= aim.rounds) return BurstEnd::rounds;
            still_ = now.value == before && lower == known ? still_ + 1 : 0;
            if (eta == 0.0 || !std::isfinite(now.gap) || still_ >= STILL) return BurstEnd::seen;
            const double more = (count + 3.0 * static_cast<double>(now.moves - carried)) / count;
            const double grown = first > 0.0 ? std::max(std::fabs(now.value) / first, 1.0) : 1.0;
            if (now.moves >= CARRIED_FAR && aim.rounding * more * grown > BLURRED * left) return BurstEnd::seen;
            if (asked()) return BurstEnd::asked;
            if (lower > known) keep();
        }
    }

   private:
    std::unique_ptr<Columns> X_;
    std::unique_ptr<SmoothLoss> loss_;
    Budget budget_;
    Span<const double> scales_;  // one entry where all are the same
    StepSizes steps_;
    std::vector<double> scores_;
    std::vector<Index> place_;  // where +scale_j e_j, -scale_j e_j and the origin stand among the atoms
    std::vector<double> dz_;
    Standing next_;
    Index still_ = 0;      // iterations that changed nothing, so far
    Index atom_ = 0;       // the best one at `now`:
    double length_ = 0.0;  // length e_atom, the origin where it is zero

    double scale_of(Index j) const { return scales_.size == 1 ? scales_[0] : scales_[j]; }
    double size() const { return now.x.empty() ? static_cast<double>(now.weight.size()) : 1.0; }
    Index slot_of(Index j, double scale) const {
        if (scale == 0.0) return j == 0 ? 2 * X_->d : -1;
        return scale == scale_of(j) ? j : scale == -scale_of(j) ? X_->d + j : -1;
    }

    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        double out;
        const Index n = static_cast<Index>(a.size());
        algebra::dots(a.data(), n, n, 1, b.data(), &out);
        return out;
    }

    // The scores, the best atom and the gap; the first of equals, as in NumPy. One score that is NaN makes the gap NaN.
    void look() {
        X_->scores(now.r.data(), scores_.data());
        double top = -INFINITY;
        const bool scaled = scales_.size > 1;
        for (Index j = 0; j < X_->d; j++) {
            const double s = scores_[static_cast<std::size_t>(j)];
            const double promise = (budget_.positive ? -s : std::fabs(s)) * (scaled ? scales_[j] : 1.0);
            if (promise <= top) continue;
            atom_ = j, top = promise;
            if (std::isnan(promise)) break;
        }
        const double s = scores_[static_cast<std::size_t>(atom_)];
        length_ = !budget_.positive && s > 0.0 ? -scale_of(atom_) : scale_of(atom_);
        if (budget_.positive && !budget_.whole && s >= 0.0) atom_ = 0, length_ = 0.0;
        now.gap = dot(now.r, now.z) - (length_ == 0.0 ? 0.0 : length_ * s);
    }

    // One iteration; false where it leads to numbers out of range, and nothing has changed.
    bool step(Index k, double& eta) {
        X_->image(atom_, length_, dz_.data());
        for (std::size_t i = 0; i < dz_.size(); i++) dz_[i] -= now.z[i];
        bool known = false;
        const double b = loss_->b;
        if (!steps_.searches())
            eta = steps_.at(k);
        else if (loss_->quadratic)
            eta = parabola_step(dot(now.r, dz_), bend(now.c));
        else
            eta = search(known);
        if (!known) evaluate(eta);
        if (!std::isfinite(next_.value) || !std::isfinite(eta)) {
            loss_->b = b;
            return false;
        }
        now.z.swap(next_.z), now.r.swap(next_.r), now.c.swap(next_.c);
        now.value = next_.value, now.moves++;
        reweight(eta);
        look();
        return true;
    }

    void evaluate(double eta) {
        for (std::size_t i = 0; i < dz_.size(); i++) next_.z[i] = now.z[i] + eta * dz_[i];
        next_.value = pieces(next_);
    }

    // Residual and curvature; returns the value, NaN where the best intercept was not found.
    double pieces(Standing& at) {
        const double value = loss_->pieces({at.z.data(), X_->n}, at.r.data(), at.c.data());
        return loss_->settled ? value : NAN;
    }

    // dz' H dz with the Hessian's diagonal c; an intercept takes the mean of dz away.
    double bend(const std::vector<double>& c) const {
        double total = 0.0, sum = 0.0, mean = 0.0;
        if (loss_->intercept) {
            for (std::size_t i = 0; i < c.size(); i++) total += c[i], sum += c[i] * dz_[i];
            mean = total > 0.0 ? sum / total : 0.0;
        }
        double out = 0.0;
        for (std::size_t i = 0; i < c.size(); i++) out += c[i] * (dz_[i] - mean) * (dz_[i] - mean);
        return out;
    }

    // Exact line search; `known` says whether the last evaluation was at the step that it returns.
    double search(bool& known) {
        double at = -1.0;
        const auto derivatives = [&](double eta) {
            evaluate(at = eta);
            if (std::isnan(next_.value)) return std::pair<double, double>(NAN, NAN);
            return std::pair<double, double>(dot(next_.r, dz_), bend(next_.c));
        };
        const double eta = line_search(derivatives, dot(now.r, dz_));
        known = eta == at;
        return eta;
    }

    void reweight(double eta) {
        if (!now.x.empty()) {
            const double* p = X_->point(atom_);
            for (std::size_t i = 0; i < now.x.size(); i++) now.x[i] = now.x[i] * (1.0 - eta) + eta * p[i];
            return;
        }
        for (double& weight : now.weight) weight *= 1.0 - eta;
        if (eta == 0.0) return;
        Index& place = place_[static_cast<std::size_t>(slot_of(atom_, length_))];
        if (place < 0) {
            place = static_cast<Index>(now.weight.size());
            now.index.push_back(atom_), now.scale.push_back(length_), now.weight.push_back(0.0);
        }
        now.weight[static_cast<std::size_t>(place)] += eta;
        if (eta == 1.0) {  // the others are gone
            std::fill(place_.begin(), place_.end(), -1);
            place_[static_cast<std::size_t>(slot_of(atom_, length_))] = 0;
            now.index.assign(1, atom_), now.scale.assign(1, length_), now.weight.assign(1, 1.0);
        }
    }

    void keep() {
        now.gradient = gradient();
        best = now, improved = true;
    }
};

}  // namespace greedyhull
