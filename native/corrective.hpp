// The rounds of Corrective over budgets: which columns a round works on, and their weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "budget_qp.hpp"
#include "buffer_pool.hpp"
#include "loops.hpp"
#include "losses.hpp"
#include "quadratic_form.hpp"
#include "working_columns.hpp"

namespace greedyhull {

constexpr double EARLY = 0.03;        // of the value: above such a gap the best columns join whatever they promise
constexpr double PROMISING = 0.05;    // of the gap: what a column must promise, later, to join
constexpr double KEEN = 0.3;          // of the gap: a column that promises so much will be needed
constexpr double INNER = 0.1;         // of the gap: to what the working columns are solved for in a round
constexpr double EXACT = 1e-6;        // of the gap: to what a quadratic in few weights is, which costs no more than roughly
constexpr double ROUGH = 0.003;       // the same in many
constexpr double ROUGH_STEP = 0.03;   // the same of a Newton step in many: the next step mends what is left
constexpr double FINEST = 1e-10;      // the same where all columns are worked on, and no others are to come
constexpr double AIMED = 0.03;        // of the gap that is asked for: closer is of no use there
constexpr Index CHEAP = 20000;        // rows times weights: so few are reweighted exactly as well
constexpr double SLOW = 0.3;          // of the last gap: where a round leaves more, rows are sampled no longer
constexpr double DECREASE = 0.25;     // of what its slope promises, a step must do
constexpr double STALE = 0.1;         // by which share a row's curvature may move before the Hessian follows
constexpr Index CROWDED = 3;          // times as many columns as have weight or may join: then those without weight leave
constexpr Index CROWDED_STEP = 1;     // the same where each Newton step makes the Hessian of all of them anew
constexpr Index SAMPLE = 8;           // one row in so many makes the Hessian, early
constexpr Index A_ROW_EACH = 10;      // times as many rows as columns must be left in a sample
constexpr Index MANY_ROWS = 4000;     // fewer than this are never sampled
constexpr Index GROW_FROM = 16000;    // rows: of so many, a part is solved for first
constexpr double GROWN = 0.03;        // of the value at zero: to what it is, about what a part can tell
constexpr double STEADY = 1e-4;       // of the mean curvature: added where few rows bend
constexpr double REST = 1e-14;        // of the budget: less than this is rounding
constexpr int TRIES = 12;             // shorter steps, before a round gives up

// One row in SAMPLE of n.
inline std::vector<Index> sampled(Index n) {
    std::vector<Index> rows;
    std::uint32_t state = 777;
    for (Index i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        if ((state >> 8) % SAMPLE == 0) rows.push_back(i);
    }
    return rows;
}

constexpr double BLURRED = 1e-4;  // of a Hessian's diagonal: where an intercept leaves less, Python goes on
constexpr double SEVERAL = 8.0;   // rows that bend, at least, for that to be rounding

// out <- H - xx'/total with x = Z'c and total = sum c, for H = Z' diag(c) Z. False where a mean far above the spread leaves
// rounding only; of a few rows that bend, little may be left indeed.
template <class Columns>
bool take_intercept(const Numbers& H, Columns& Z, Span<const double> c, std::vector<double>& x, Numbers& out) {
    const std::size_t m = x.size();
    double total = 0.0, squares = 0.0;
    for (Index i = 0; i < c.size; i++) total += c[i], squares += c[i] * c[i];
    const bool many = total * total > SEVERAL * squares;
    out = H;
    Z.adjoint(c.data, x.data());
    if (!(total > 0.0)) return true;
    for (std::size_t a = 0; a < m; a++) {
        for (std::size_t b = 0; b < m; b++) out[a * m + b] -= x[a] * x[b] / total;
        if (many && out[a * m + a] < BLURRED * H[a * m + a]) return false;
    }
    return true;
}

// Rounds of the corrective solver over a budget, one after another, without Python between them.
//
// A round: g = X'r, the gap, the best columns join the working ones, and their weights are solved for by Newton steps, each a
// small quadratic problem. Coordinates are scaled so that the budget is one: w_j = scale_j u_j.
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
        [[maybe_unused]] const bool grows = std::exchange(cold, false) && X_.n >= std::max(GROW_FROM, SAMPLE * A_ROW_EACH * X_.d) &&
                           here_ - least_ > GROWN * std::fabs(value_);
        if constexpr (!knows_hessian<D>)
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
        const std::vector<Index> rows = sampled(X_.n);
        auto loss = rows.empty() ? nullptr : loss_->on(rows);
        if (!loss) return false;
        const auto data = X_.on(rows);
        Corrective<D> part(data.design(X_.d), std::move(loss), budget_, scales_, l2_, batch_, steps_);
        part.columns = columns, part.u = u;
        part.begin();
        part.cold = part.sampling = false;
        std::vector<RoundRow> unseen;
        if (!std::isfinite(part.look())) return false;
        run_rounds(part, {30, GROWN * std::fabs(value_), 0.0, 0.0, 0.0}, asked, unseen);
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

    // Let the best columns join; where too many wait in vain, those leave first. Says whether any are new.
    bool join(double gap, bool early) {
        const Index active = support(), some = std::max(batch_, active + 1);
        const bool all = all_at_once(X_, static_cast<Index>(columns.size()) + some, [&] { return keen(gap) > some; });
        const Index room = all ? X_.d : some;
        pick(early || all, all ? -INFINITY : early ? (budget_.whole ? -INFINITY : 0.0) : -here_ + PROMISING * gap, room);
        Index kept = static_cast<Index>(columns.size());
        if (kept > (loss_->quadratic ? CROWDED : CROWDED_STEP) * (active + room) || kept + room > WorkingColumns<D>::most) leave(), kept = 0;
        std::sort(candidates_.begin(), candidates_.end(), [](auto& a, auto& b) { return a.second < b.second; });
        const std::size_t before = columns.size();
        for (const auto& [score, j] : candidates_)
            if (place_[static_cast<std::size_t>(j)] < 0 && static_cast<Index>(columns.size()) < WorkingColumns<D>::most) {
                place_[static_cast<std::size_t>(j)] = static_cast<Index>(columns.size());
                columns.push_back(j), u.push_back(0.0);
            }
        const bool joined = columns.size() > before;
        if (joined || kept == 0) build(kept);
        if (joined && !(loss_->quadratic && has_hessian)) has_hessian = false;
        return joined;
    }

    // How many columns that are not worked on promise much of the gap.
    Index keen(double gap) const {
        Index count = 0;
        for (Index j = 0; j < X_.d; j++) count += place_[static_cast<std::size_t>(j)] < 0 && promise(j) > -here_ + KEEN * gap;
        return count;
    }

    // The best columns above `enough`, `room` at most: of all of them, or of those that are not working yet.
    void pick(bool all, double enough, Index room) {
        const auto better = [](const std::pair<double, Index>& a, const std::pair<double, Index>& b) {
            return a.first > b.first || (a.first == b.first && a.second < b.second);
        };
        candidates_.clear();
        for (Index j = 0; j < X_.d; j++) {
            const double p = promise(j);
            if (!(p > enough) || (!all && place_[static_cast<std::size_t>(j)] >= 0)) continue;
            candidates_.push_back({p, j});
            if (static_cast<Index>(candidates_.size()) >= 4 * room) {  // cut now and then: what is below the last one never enters
                std::nth_element(candidates_.begin(), candidates_.begin() + (room - 1), candidates_.end(), better);
                candidates_.resize(static_cast<std::size_t>(room));
                enough = candidates_.back().first;
            }
        }
        if (static_cast<Index>(candidates_.size()) > room) {
            std::nth_element(candidates_.begin(), candidates_.begin() + (room - 1), candidates_.end(), better);
            candidates_.resize(static_cast<std::size_t>(room));
        }
    }

    void leave() {
        std::vector<Index> stay;
        for (std::size_t a = 0; a < u.size(); a++) {
            place_[static_cast<std::size_t>(columns[a])] = -1;
            if (u[a] != 0.0) stay.push_back(static_cast<Index>(a));
        }
        const std::size_t old = u.size(), m = stay.size();
        if (has_hessian && H.size() == old * old) shrink(H, old, stay);
        for (std::size_t a = 0; a < m; a++) {
            columns[a] = columns[static_cast<std::size_t>(stay[a])], u[a] = u[static_cast<std::size_t>(stay[a])];
            place_[static_cast<std::size_t>(columns[a])] = static_cast<Index>(a);
        }
        columns.resize(m), u.resize(m);
        if (m == 0) has_hessian = false;
    }

    // The Hessian on the working columns with what an intercept takes away and a ridge adds.
    const double* whole_hessian() {
        if (!loss_->intercept && l2_ == 0.0) return H.data();
        const std::size_t m = u.size();
        const Numbers& bends = loss_->quadratic ? c_ : H_rows;  // a difference of two parts: both are those of the same curvatures
        cross_.resize(m);
        if (!loss_->intercept) {
            reduced_ = H;
        } else if (const Index rows = data_rows(X_); rows == X_.n) {
            if (!take_intercept(H, Z_, {bends.data(), X_.n}, cross_, reduced_)) return nullptr;
        } else {
            head_.assign(bends.begin(), bends.begin() + rows);
            head_.resize(bends.size(), 0.0);  // rows of a ridge have no intercept
            if (!take_intercept(H, Z_, {head_.data(), X_.n}, cross_, reduced_)) return nullptr;
        }
        for (std::size_t a = 0; a < m; a++) reduced_[a * m + a] += l2_ * scale_[a] * scale_[a];
        return reduced_.data();
    }

    // To what a small quadratic is solved: exactly where that costs no more, so that solutions are better than they have to be.
    double inner(double gap, double aim) const {
        const Index m = static_cast<Index>(u.size());
        if (knows_hessian<D> && m == X_.d) return std::max(FINEST * gap, AIMED * aim);
        return m <= FEW ? EXACT * gap : std::max((loss_->quadratic ? ROUGH : ROUGH_STEP) * gap, 0.1 * aim);
    }

    // Quadratics: one exact solve.
    bool solve(double gap, double aim) {
        const Index m = static_cast<Index>(u.size());
        const Index known = has_hessian ? static_cast<Index>(order(H)) : 0;
        if (known < m) Z_.hessian(c_.data(), nullptr, known, H), has_hessian = true;
        const double* hessian = whole_hessian();
        if (hessian == nullptr) return false;
        qp_.u = u, qp_.g = g_;
        qp_.solve(budget_, m, hessian, inner(gap, aim));
        Z_.product(qp_.u.data(), z_trial_.data());
        if constexpr (is_form<D>)  // Python says so where Q turns out not to be semidefinite
            if (Z_.bend(u, z.data(), qp_.u, z_trial_.data()) < -BENT * cancelled(hessian)) return false;
        bare_trial_ = pieces(qp_.u, z_trial_, r_trial_, c_trial_);
        const double now = bare_trial_ + ridge(qp_.u, z_trial_);
        if (!(now <= value_ + 4e-16 * (std::fabs(value_) + std::fabs(here_) + cancelled(hessian)))) return false;
        const bool moved = qp_.u != u;
        take(qp_.u, now);
        return moved;
    }

    // The size of what cancels in w'Qw; elsewhere a value is a sum of squares, and nothing does.
    double cancelled(const double* hessian) const {
        double total = 0.0, most = 0.0;
        if constexpr (is_form<D>)
            for (std::size_t a = 0; a < u.size(); a++) {
                const double size = std::sqrt(std::fabs(hessian[a * u.size() + a]));
                total += std::fabs(qp_.u[a]) * size, most = std::max(most, size);
            }
        return total * most;
    }

    // The minimiser moves on a straight line as long as the same rows bend: a Newton step for these rows, whose
    // curvature has grown by a factor, leads along it.
    void sharpen_bent(double mu) {
        const std::size_t m = u.size();
        if (m > 0) follow(false);
        const double by = loss_->sharpen(mu);
        double total = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < c_.size(); i++) {
            r_[i] *= c_[i] != 0.0 ? by : 1.0, c_[i] *= by;
            sum += r_[i], total += c_[i];
        }
        for (double& h : H) h *= by;
        for (double& c : H_rows) c *= by;
        if (loss_->intercept && total > 0.0)
            for (std::size_t i = 0; i < c_.size(); i++) r_[i] -= c_[i] * (sum / total);
        working_gradient(r_, u, g_);
        const double* hessian = m > 0 ? whole_hessian() : nullptr;
        if (hessian != nullptr) {
            double left = -BudgetQP::best(budget_, g_.data(), static_cast<Index>(m));
            for (std::size_t a = 0; a < m; a++) left += g_[a] * u[a];
            qp_.u = u, qp_.g = g_;
            qp_.solve(budget_, static_cast<Index>(m), hessian, inner(left, 0.0));
        }
        last_gap = best_gap = best_value = INFINITY, idle = 0;
        evaluate();
        if (hessian == nullptr) return;
        const double b = loss_->b;
        Z_.product(qp_.u.data(), z_trial_.data());
        bare_trial_ = pieces(qp_.u, z_trial_, r_trial_, c_trial_);
        const double now = bare_trial_ + ridge(qp_.u, z_trial_);
        if (now < value_) return take(qp_.u, now);
        loss_->b = b;
        evaluate();
    }

    void renew(bool sample) {
        rows_.clear();
        if (sample) {
            rows_ = sampled(X_.n), change_.assign(at(X_.n), 0.0);
            for (Index i : rows_) change_[at(i)] = static_cast<double>(SAMPLE) * c_[at(i)];
            Z_.hessian(change_.data(), &rows_, 0, H);
        } else {
            for (Index i = 0; i < X_.n; i++)
                if (c_[static_cast<std::size_t>(i)] != 0.0) rows_.push_back(i);
            Z_.hessian(c_.data(), 2 * static_cast<Index>(rows_.size()) < X_.n ? &rows_ : nullptr, 0, H);  // of few, those alone
            H_rows = c_;
        }
        has_hessian = true, sampled_hessian = sample;
    }

    // The Hessian follows the curvature: made anew where columns joined, else corrected on the rows that moved.
    void follow(bool sample) {
        if (loss_->intercept) sample = false;
        if (!has_hessian || sample || sampled_hessian) return renew(sample);
        rows_.clear();
        change_.resize(static_cast<std::size_t>(X_.n));
        double fell = 0.0, most = 0.0;
        Index bent = 0;
        for (Index i = 0; i < X_.n; i++) {
            const auto at = static_cast<std::size_t>(i);
            fell = std::max(fell, H_rows[at]), most = std::max(most, c_[at]);
            const double by = c_[at] - H_rows[at];
            bent += c_[at] != 0.0;
            if (std::fabs(by) > STALE * H_rows[at]) rows_.push_back(i), change_[at] = by;
        }
        if (rows_.empty()) return;
        // a curvature that has fallen by far, taken away from a sum, would leave rounding only
        if (2 * static_cast<Index>(rows_.size()) > bent || fell > 1e6 * most) return renew(false);
        for (Index i : rows_) H_rows[static_cast<std::size_t>(i)] = c_[static_cast<std::size_t>(i)];
        Z_.correct(change_.data(), rows_, H);
    }

    // <g, to - u>, summed from what the scores exceed the best one by: the rest cancels where the budget is used up.
    double slope(const std::vector<double>& to) const {
        const double price = -BudgetQP::best(budget_, g_.data(), static_cast<Index>(u.size()));
        double total = 0.0, spent = 0.0;
        for (std::size_t a = 0; a < u.size(); a++) {
            const double sign = (u[a] != 0.0 ? u[a] : to[a]) < 0.0 ? -1.0 : 1.0, by = to[a] - u[a];
            total += by * (g_[a] + sign * price);
            spent += sign * by;
        }
        return std::fabs(spent) > 1e-14 ? total - price * spent : total;
    }

    // Of losses that are smoothed few rows may bend, and leave directions without curvature, in which a step goes too far: a
    // little is added there.
    const double* steadied(const double* hessian) {
        if (hessian == nullptr || sampled_hessian || loss_->slack() == 0.0) return hessian;
        const std::size_t m = u.size(), bent = static_cast<std::size_t>(std::count_if(H_rows.begin(), H_rows.end(), [](double c) { return c != 0.0; }));
        if (4 * bent > 5 * m) return hessian;
        if (hessian == H.data()) reduced_ = H;
        double trace = 0.0;
        for (std::size_t a = 0; a < m; a++) trace += reduced_[a * m + a];
        for (std::size_t a = 0; a < m; a++) reduced_[a * m + a] += STEADY * trace / static_cast<double>(m);
        return reduced_.data();
    }

    // Newton steps with a line search, until a tenth of the gap is left on the working columns.
    bool newton(double gap, double aim, bool early, const std::function<bool()>& asked) {
        const std::size_t m = u.size();
        const bool few = static_cast<Index>(m) <= FEW, cheap = few && X_.n * static_cast<Index>(m) <= CHEAP;
        const double enough = cheap ? EXACT * gap : few ? INNER * gap : std::max(INNER * gap, 0.3 * aim);
        bool moved = false;
        for (Index k = 0; k < steps_; k++) {
            if (k > 0) {
                double left = -BudgetQP::best(budget_, g_.data(), static_cast<Index>(m));
                for (std::size_t a = 0; a < m; a++) left += g_[a] * u[a];
                if (left <= enough || asked()) break;
            }
            follow(early && sampling && X_.n > std::max(MANY_ROWS, SAMPLE * A_ROW_EACH * static_cast<Index>(m)));
            const double* hessian = steadied(whole_hessian());
            if (hessian == nullptr) break;
            qp_.u = u, qp_.g = g_;
            qp_.solve(budget_, static_cast<Index>(m), hessian, inner(gap, aim));
            const double descent = slope(qp_.u), noise = 4e-16 * (std::fabs(value_) + std::fabs(here_));
            if (!(descent < 0.0) || !search(descent, noise)) break;
            moved = true;
            working_gradient(r_, u, g_);
        }
        return moved;
    }

    // The whole step if it does a quarter of what its slope promises, else a shorter one that does.
    bool search(double descent, double noise) {
        double t = 1.0;
        for (int k = 0; k < TRIES; k++) {
            u_trial_ = qp_.u;
            if (t < 1.0)
                for (std::size_t a = 0; a < u.size(); a++) u_trial_[a] = u[a] + t * (qp_.u[a] - u[a]);
            Z_.product(u_trial_.data(), z_trial_.data());
            if (const double most = k == 0 ? inside(*loss_, z.data(), z_trial_.data(), data_rows(X_)) : 1.0; most < 1.0) {
                t = most;
                continue;
            }
            const double b = loss_->b;
            bare_trial_ = pieces(u_trial_, z_trial_, r_trial_, c_trial_);
            const double now = bare_trial_ + ridge(u_trial_, z_trial_);
            if (now <= value_ + DECREASE * t * descent + noise) {
                take(u_trial_, now);
                return true;
            }
            loss_->b = b;
            const double excess = now - value_ - t * descent;  // of the parabola through what was seen, the lowest point
            t *= std::isfinite(excess) ? std::clamp(-0.5 * t * descent / excess, 0.1, 0.5) : 0.5;
        }
        return false;
    }
};

}  // namespace greedyhull
