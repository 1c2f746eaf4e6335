// Rounds of the corrective solver over a budget, one after another, without Python between them.
//
// A round: g = X'r, the gap, the best columns join the working ones, and their weights are solved for by Newton steps, each a
// small quadratic problem. Coordinates are scaled so that the budget is one: w_j = scale_j u_j.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "budget_qp.hpp"
#include "corrective_numbers.hpp"
#include "kinds.hpp"
#include "losses.hpp"
#include "round_loop.hpp"
#include "scores.hpp"
#include "scratch.hpp"
#include "working_columns.hpp"

namespace greedyhull {

template <class D>
class Corrective : public Patience {
   public:
    // What a run stands on, by which it is saved and taken up again.
    std::vector<Index> columns;
    std::vector<double> u, gradient;
    Numbers z, H, H_rows;
    double last_gap = INFINITY;
    bool sampling = true, has_hessian = false, sampled_hessian = false, cold = false;

    Corrective(D X, std::unique_ptr<SmoothLoss> loss, Budget budget, Span<const double> scales, double l2, Index batch, Index steps)
        : X_(X), loss_(std::move(loss)), budget_(budget), scales_(scales), l2_(l2), batch_(batch), steps_(steps),
          place_(static_cast<std::size_t>(X.d), -1) {
        const auto n = static_cast<std::size_t>(X.n);
        z.resize(n), r_.resize(n), c_.resize(n), z_trial_.resize(n), r_trial_.resize(n), c_trial_.resize(n);
        gradient.resize(static_cast<std::size_t>(X.d));
    }

    Index support() const {
        return static_cast<Index>(std::count_if(u.begin(), u.end(), [](double x) { return x != 0.0; }));
    }
    // With the origin, where what is left of the budget rests.
    Index atoms() const {
        double used = 0.0;
        for (double x : u) used += std::fabs(x);
        return support() + (!budget_.whole && 1.0 - used > REST ? 1 : 0);
    }
    const Budget& budget() const { return budget_; }
    double scale_of(Index j) const { return scales_.size == 1 ? scales_[0] : scales_[j]; }
    const SmoothLoss& loss() const { return *loss_; }
    SmoothLoss& loss() { return *loss_; }
    double value() const { return bare_; }  // without the ridge
    const Numbers& residual() const { return r_; }
    const D& data() const { return X_; }

    // Stand at sum_a u_a scale_a e_(columns_a), with these columns to work on and no others.
    void begin() {
        std::fill(place_.begin(), place_.end(), -1);
        for (std::size_t a = 0; a < columns.size(); a++) place_[static_cast<std::size_t>(columns[a])] = static_cast<Index>(a);
        build(0);
        Z_.product(u.data(), z.data());
        evaluate();
        static_cast<Patience&>(*this) = {}, last_gap = INFINITY;
        sampling = true, has_hessian = false, cold = columns.size() <= 1;
    }

    // Stand where the saved parts say.
    void take_up() {
        std::fill(place_.begin(), place_.end(), -1);
        for (std::size_t a = 0; a < columns.size(); a++) place_[static_cast<std::size_t>(columns[a])] = static_cast<Index>(a);
        build(0);
        loss_->at_b = true;
        evaluate();
    }

    // Go on with the same kinks, smoothed less.
    void sharpen(double mu) {
        if constexpr (!knows_hessian<D>) sharpen_bent(mu);  // others are quadratics, and have none
    }

    // X'r, the gradient without that of a ridge, and the Frank-Wolfe gap here; infinite where the value is.
    double look() {
        X_.adjoint(r_.data(), gradient.data());
        scores_.resize(gradient.size());
        score_all(gradient.data(), scales_, scores_.data(), X_.d);
        if (l2_ > 0.0)
            for (std::size_t a = 0; a < columns.size(); a++) {
                const double scale = scale_of(columns[a]);
                scores_[static_cast<std::size_t>(columns[a])] += l2_ * scale * scale * u[a];
            }
        const double most = budget_.positive ? most_falling(scores_.data(), X_.d) : most_either(scores_.data(), X_.d);
        least_ = budget_.whole ? -most : std::min(0.0, -most), here_ = 0.0;
        for (std::size_t a = 0; a < columns.size(); a++) here_ += u[a] * scores_[static_cast<std::size_t>(columns[a])];
        return std::isfinite(value_) ? here_ - least_ : INFINITY;
    }

    double slack() const { return loss_->slack(); }
    Here here() const { return {value_, std::isfinite(value_) ? here_ - least_ : INFINITY, atoms()}; }

    // A round and the look after it; false where nothing changed. A first round may begin on a part of the rows.
    bool next(double aim, const std::function<bool()>& asked) {
        const bool grows = std::exchange(cold, false) && X_.n >= std::max(GROW_FROM, SAMPLE * A_ROW_EACH * X_.d) &&
                           here_ - least_ > GROWN * std::fabs(value_);
        if (grows && grow(asked) && look() <= aim) return true;  // nothing is left to do
        if (!round(here_ - least_, aim, asked)) return false;
        look();
        return true;
    }

   private:
    D X_;
    std::unique_ptr<SmoothLoss> loss_;
    Budget budget_;
    Span<const double> scales_;  // one entry where all are the same
    double l2_;
    Index batch_, steps_;
    Scratch<Index> place_;     // where a column stands among the working ones, or -1
    std::vector<Index> rows_;  // rows in use
    Numbers scores_, r_, c_, z_trial_, r_trial_, c_trial_, change_, head_, reduced_;
    std::vector<double> scale_, g_, u_trial_, cross_;
    std::vector<std::pair<double, Index>> candidates_;
    WorkingColumns<D> Z_;
    BudgetQP qp_;
    double value_ = 0.0, bare_ = 0.0, bare_trial_ = 0.0, least_ = 0.0, here_ = 0.0;

    // Minus the score of the better atom of coordinate j.
    double promise(Index j) const {
        const double score = scores_[static_cast<std::size_t>(j)];
        return budget_.positive ? -score : std::fabs(score);
    }

    void build(Index kept) {
        scale_.resize(columns.size());
        for (std::size_t a = 0; a < columns.size(); a++) scale_[a] = scale_of(columns[a]);
        Z_.build(X_, columns, scale_.data(), kept);
    }

    double ridge(const std::vector<double>& at, const Numbers& image) const {
        double total = 0.0;
        for (Index i = data_rows(X_); i < X_.n; i++) total += image[static_cast<std::size_t>(i)] * image[static_cast<std::size_t>(i)];
        if (X_.n > data_rows(X_)) return 0.5 * total;
        if (l2_ > 0.0)
            for (std::size_t a = 0; a < at.size(); a++) total += (scale_[a] * at[a]) * (scale_[a] * at[a]);
        return 0.5 * l2_ * total;
    }

    // The value without a ridge, residual and curvatures at an image.
    double pieces(const std::vector<double>& at, const Numbers& image, Numbers& r, Numbers& c) {
        const double value = loss_->pieces({image.data(), X_.n}, r.data(), c.data());
        if constexpr (is_form<D>)
            return Z_.value(at, image.data());
        else
            return value;
    }

    void evaluate() {
        bare_ = pieces(u, z, r_, c_);
        value_ = bare_ + ridge(u, z);
    }

    void working_gradient(const Numbers& r, const std::vector<double>& at, std::vector<double>& g) {
        g.resize(at.size());
        if (at.empty()) return;
        Z_.adjoint(r.data(), g.data());
        if (l2_ > 0.0)
            for (std::size_t a = 0; a < at.size(); a++) g[a] += l2_ * scale_[a] * scale_[a] * at[a];
    }

    // Begin where one row in eight would lead, to what these can tell; false where that is no better.
    bool grow(const std::function<bool()>& asked) {
        if constexpr (knows_hessian<D>)
            return false;
        else
            return grow_on_rows(asked);
    }
    bool grow_on_rows(const std::function<bool()>& asked) {
        std::vector<Index> rows;
        sampled(rows);
        auto loss = rows.empty() ? nullptr : loss_->on(rows);
        if (!loss) return false;
        const auto data = X_.on(rows);
        Corrective<D> part(data.design(X_.d), std::move(loss), budget_, scales_, l2_, batch_, steps_);
        part.columns = columns, part.u = u;
        part.begin();
        part.cold = part.sampling = false;
        std::vector<RoundRow> unseen;
        if (!std::isfinite(part.look())) return false;
        run_rounds(part, {GROW_ROUNDS, GROWN * std::fabs(value_), 0.0, 0.0, 0.0}, asked, unseen);
        const auto before_columns = columns;
        const auto before = u;
        const double value = value_;
        leave_for(part.columns, part.u);
        if (value_ < value) {
            sampling = false;
            return true;
        }
        leave_for(before_columns, before);
        return false;
    }

    void leave_for(const std::vector<Index>& other, const std::vector<double>& weights) {
        columns.clear(), u.clear();
        for (std::size_t a = 0; a < other.size(); a++)
            if (weights[a] != 0.0) columns.push_back(other[a]), u.push_back(weights[a]);
        begin();
        cold = false;
    }

    static bool drawn(std::uint32_t& state) {  // one in SAMPLE
        state = state * 1664525u + 1013904223u;
        return (state >> 8) % SAMPLE == 0;
    }
    void sampled(std::vector<Index>& rows) const {
        std::uint32_t state = 777;
        for (Index i = 0; i < X_.n; i++)
            if (drawn(state)) rows.push_back(i);
    }

    // One round; false where nothing changed.
    bool round(double gap, double aim, const std::function<bool()>& asked) {
        const bool early = gap > EARLY * std::fabs(value_), changed = join(gap, early);
        sampling = sampling && gap <= SLOW * last_gap, last_gap = gap;
        const std::size_t m = u.size();
        g_.resize(m);
        for (std::size_t a = 0; a < m; a++) g_[a] = scores_[static_cast<std::size_t>(columns[a])];
        return reweight(gap, aim, early, asked) || changed;
    }

    bool reweight(double gap, double aim, bool early, const std::function<bool()>& asked) {
        if constexpr (!knows_hessian<D>)
            if (!loss_->quadratic) return newton(gap, aim, early, asked);
        return solve(gap, aim);
    }

    void take(std::vector<double>& to, double now) {
        u.swap(to), z.swap(z_trial_), r_.swap(r_trial_), c_.swap(c_trial_), value_ = now, bare_ = bare_trial_;
    }

    // Which columns a round works on: corrective_columns.hpp.
    bool join(double gap, bool early);
    Index keen(double gap) const;
    void pick(bool all, double enough, Index room);
    void leave();

    // Their weights: corrective_weights.hpp.
    const double* whole_hessian();
    double inner(double gap, double aim) const;
    bool solve(double gap, double aim);
    double cancelled(const double* hessian) const;
    void sharpen_bent(double mu);
    void renew(bool sample);
    void follow(bool sample);
    double slope(const std::vector<double>& to) const;
    const double* steadied(const double* hessian);
    bool newton(double gap, double aim, bool early, const std::function<bool()>& asked);
    bool search(double descent, double noise);
};

}  // namespace greedyhull

#include "corrective_columns.hpp"
#include "corrective_weights.hpp"
