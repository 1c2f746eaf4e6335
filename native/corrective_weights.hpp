// How a round of the corrective solver finds the weights of its working columns: quadratics by one solve, other losses by
// Newton steps, whose Hessian follows the curvature of the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "corrective.hpp"
#include "intercept.hpp"

namespace greedyhull {

// The Hessian on the working columns with what an intercept takes away and a ridge adds.
template <class D>
const double* Corrective<D>::whole_hessian() {
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
template <class D>
double Corrective<D>::inner(double gap, double aim) const {
    const Index m = static_cast<Index>(u.size());
    if (knows_hessian<D> && m == X_.d) return std::max(FINEST * gap, AIMED * aim);
    return m <= FEW ? EXACT * gap : std::max((loss_->quadratic ? ROUGH : ROUGH_STEP) * gap, 0.1 * aim);
}

// Quadratics: one exact solve.
template <class D>
bool Corrective<D>::solve(double gap, double aim) {
    const Index m = static_cast<Index>(u.size());
    Index known = 0;
    if (has_hessian)
        while ((known + 1) * (known + 1) <= static_cast<Index>(H.size())) known++;
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
template <class D>
double Corrective<D>::cancelled(const double* hessian) const {
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
template <class D>
void Corrective<D>::sharpen_bent(double mu) {
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

template <class D>
void Corrective<D>::renew(bool sample) {
    rows_.clear();
    if (sample) {
        const double times = static_cast<double>(SAMPLE);
        change_.assign(static_cast<std::size_t>(X_.n), 0.0);
        sampled(rows_);
        for (Index i : rows_) change_[static_cast<std::size_t>(i)] = times * c_[static_cast<std::size_t>(i)];
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
template <class D>
void Corrective<D>::follow(bool sample) {
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
template <class D>
double Corrective<D>::slope(const std::vector<double>& to) const {
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
template <class D>
const double* Corrective<D>::steadied(const double* hessian) {
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
template <class D>
bool Corrective<D>::newton(double gap, double aim, bool early, const std::function<bool()>& asked) {
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
template <class D>
bool Corrective<D>::search(double descent, double noise) {
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

}  // namespace greedyhull
