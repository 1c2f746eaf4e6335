// Quadratics over a box: projected steps, and an interior point method.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "algebra.hpp"
#include "polyhedral_qp.hpp"

namespace greedyhull {

// Convex quadratics over the unit box, by a primal-dual interior point method with Mehrotra's corrector.
// Steps are measured from the given point, which keeps the digits of a nearly optimal one.

class CentralPath {
   public:
    std::vector<double> t, u, v;  // the point, and the multipliers of its two bounds

    // From t = share to a gap of tol, and on until t is lower than `at` by as much as the gap: where `at` is nearly optimal, a
    // gap that is small for a box is still large. With `normal`, normal't stays what it is at the start.
    void follow(const std::vector<double>& M, const std::vector<double>& c, const std::vector<double>& at, double tol,
                const std::vector<double>* normal, double share, const Asked& asked) {
        const std::size_t m = c.size();
        t.assign(m, share);
        begin(M, c, at, normal);
        for (int k = 0; k < MOST; k++) {
            double gap = 0.0, lower = 0.0;
            bool inside = true;
            for (std::size_t i = 0; i < m; i++) {
                gap += u[i] * t[i] + v[i] * (1.0 - t[i]), lower += (c[i] + grad_[i]) * (t[i] - at[i]);
                inside &= t[i] != 0.0 && t[i] != 1.0;
            }
            // it is done, or a bound is nearer than a float can tell
            if (gap <= std::min(tol, -0.5 * lower) || !inside || (asked && asked())) return;
            K_ = M;
            for (std::size_t i = 0; i < m; i++) K_[i * m + i] += u[i] / t[i] + v[i] / (1.0 - t[i]);
            if (!algebra::cholesky(static_cast<Index>(m), K_.data())) return;
            if (!step(gap / (2.0 * static_cast<double>(m)), normal, share)) return;
            gradient(M, c, at);
        }
    }

    // t_a, or the bound that it is closer to than its multiplier asks, by the factor `sure`; `bend` is the largest curvature.
    double end(std::size_t a, double bend, double sure) const {
        return bend * t[a] < sure * u[a] ? 0.0 : bend * (1.0 - t[a]) < sure * v[a] ? 1.0 : t[a];
    }

   private:
    static constexpr int MOST = 60;           // steps; about twenty are taken
    static constexpr double INSIDE = 0.995;   // of the way to the boundary
    std::vector<double> K_, grad_, move_, pull_, across_, dt_, du_, dv_;

    void gradient(const std::vector<double>& M, const std::vector<double>& c, const std::vector<double>& at) {
        const std::size_t m = c.size();
        move_.resize(m), grad_.resize(m);
        for (std::size_t i = 0; i < m; i++) move_[i] = t[i] - at[i];
        algebra::dots(M.data(), static_cast<Index>(m), static_cast<Index>(m), static_cast<Index>(m), move_.data(), grad_.data());
        for (std::size_t i = 0; i < m; i++) grad_[i] += c[i];
    }

    void begin(const std::vector<double>& M, const std::vector<double>& c, const std::vector<double>& at,
               const std::vector<double>* normal) {
        const std::size_t m = c.size();
        gradient(M, c, at);
        pull_ = grad_;
        if (normal) {
            std::vector<double> prices(m);
            for (std::size_t i = 0; i < m; i++) prices[i] = grad_[i] / (*normal)[i];
            std::nth_element(prices.begin(), prices.begin() + static_cast<std::ptrdiff_t>(m / 2), prices.end());
            for (std::size_t i = 0; i < m; i++) pull_[i] -= prices[m / 2] * (*normal)[i];
        }
        double start = 0.0;
        for (double slope : pull_) start += std::fabs(slope);
        start = std::max(start / static_cast<double>(m), 1e-300);
        u.resize(m), v.resize(m), du_.resize(m), dv_.resize(m);
        for (std::size_t i = 0; i < m; i++) u[i] = std::max(pull_[i], 0.0) + start, v[i] = std::max(-pull_[i], 0.0) + start;
    }

    // The longest step, at most about 1, that keeps all numbers at 0 or above.
    double reach() const {
        double most = 1.0 / INSIDE;
        for (std::size_t i = 0; i < t.size(); i++) {
            if (dt_[i] < 0.0) most = std::min(most, t[i] / -dt_[i]);
            if (dt_[i] > 0.0) most = std::min(most, (1.0 - t[i]) / dt_[i]);
            if (du_[i] < 0.0) most = std::min(most, u[i] / -du_[i]);
            if (dv_[i] < 0.0) most = std::min(most, v[i] / -dv_[i]);
        }
        return most;
    }

    // dt with the multiple of `across` added with which t + dt satisfies the equation; twice, for rounding.
    void keep(const std::vector<double>& normal, double share) {
        double total = 0.0;
        for (double a : normal) total += a;
        const double rise = dot(normal, across_);
        for (int twice = 0; twice < 2; twice++) {
            double off = share * total;
            for (std::size_t i = 0; i < t.size(); i++) off -= normal[i] * (t[i] + dt_[i]);
            for (std::size_t i = 0; i < t.size(); i++) dt_[i] += off / rise * across_[i];
        }
    }

    bool step(double mu, const std::vector<double>* normal, double share) {
        const std::size_t m = t.size();
        const auto solve = [&](std::vector<double>& b) { algebra::cholesky_solve(static_cast<Index>(m), K_.data(), b.data()); };
        pull_ = grad_;
        if (normal) {
            across_ = *normal;
            solve(across_);
            double price = 0.0;
            for (std::size_t i = 0; i < m; i++) price += (*normal)[i] * (grad_[i] - u[i] + v[i]);
            price /= dot(*normal, *normal);
            for (std::size_t i = 0; i < m; i++) pull_[i] -= price * (*normal)[i];
        }
        dt_.resize(m);
        for (std::size_t i = 0; i < m; i++) dt_[i] = -pull_[i];  // the predictor: straight to a gap of zero
        solve(dt_);
        if (normal) keep(*normal, share);
        for (std::size_t i = 0; i < m; i++)
            du_[i] = -u[i] - u[i] / t[i] * dt_[i], dv_[i] = -v[i] + v[i] / (1.0 - t[i]) * dt_[i];
        const double far = reach();
        double left = 0.0;
        for (std::size_t i = 0; i < m; i++)
            left += (u[i] + far * du_[i]) * (t[i] + far * dt_[i]) + (v[i] + far * dv_[i]) * (1.0 - t[i] - far * dt_[i]);
        left /= 2.0 * static_cast<double>(m);
        const double aim = (left / mu) * (left / mu) * (left / mu) * mu;
        for (std::size_t i = 0; i < m; i++) {
            const double low = (aim - dt_[i] * du_[i]) / t[i], high = (aim + dt_[i] * dv_[i]) / (1.0 - t[i]);
            du_[i] = low, dv_[i] = high, dt_[i] = low - high - pull_[i];
        }
        solve(dt_);
        if (normal) keep(*normal, share);
        for (std::size_t i = 0; i < m; i++)
            du_[i] += -u[i] - u[i] / t[i] * dt_[i], dv_[i] += -v[i] + v[i] / (1.0 - t[i]) * dt_[i];
        const double length = INSIDE * reach();
        if (!(length > 1e-12) || !all_finite(dt_.data(), m)) return false;
        for (std::size_t i = 0; i < m; i++) t[i] += length * dt_[i], u[i] += length * du_[i], v[i] += length * dv_[i];
        return true;
    }
};

// Convex quadratics over a box: min (x - x0)'H(x - x0)/2 + c'(x - x0) over low <= x <= high.
//
// Sweeps of exact coordinate steps find most of the bounds that hold, for the price of a product each. Newton steps on the free
// coordinates, projected onto the box, do the rest; where they make slow progress, the interior point method takes over.

constexpr double QP_RIDGE = 1e-13;  // of the diagonal: what makes a semidefinite Hessian definite
constexpr int BOX_SWEEPS = 6;       // of exact coordinate steps, at most, while bounds change
constexpr Index BOX_CHANGES = 50;   // one coordinate in so many: fewer that reach or leave a bound end the sweeps
constexpr int BOX_ROUNDS = 8;       // of projected Newton steps before the interior point method is asked

inline double box_gap(Index m, const double* g, const double* x, const double* low, const double* high) {
    double total = 0.0;
    for (Index j = 0; j < m; j++) total += g[j] > 0.0 ? g[j] * (x[j] - low[j]) : g[j] * (x[j] - high[j]);
    return total;
}

// Whether j is not at a bound toward which a function of slope g falls.
inline bool box_free(double g, double x, double low, double high) {
    return (x > low || g < 0.0) && (x < high || g > 0.0) && low < high;
}

// The factor of H on some coordinates, each scaled to curvature one; those without curvature are left out by a scale of zero.
class ScaledFactor {
   public:
    std::vector<double> scale;

    bool make(Index m, const double* H, const std::vector<Index>& some) {
        const std::size_t k = some.size();
        scale.resize(k), M_.resize(k * k);
        for (std::size_t a = 0; a < k; a++) {
            const double bend = H[some[a] * m + some[a]];
            scale[a] = bend > 0.0 ? 1.0 / std::sqrt(bend) : 0.0;
        }
        for (std::size_t a = 0; a < k; a++) {
            const double *row = H + some[a] * m, by = scale[a];
            for (std::size_t b = 0; b < a; b++) M_[a * k + b] = row[some[b]] * by * scale[b];
            M_[a * k + a] = 1.0 + QP_RIDGE;
        }
        return algebra::cholesky(static_cast<Index>(k), M_.data());
    }
    void solve(double* b) const {  // b <- H^-1 b
        for (std::size_t a = 0; a < scale.size(); a++) b[a] *= scale[a];
        algebra::cholesky_solve(static_cast<Index>(scale.size()), M_.data(), b);
        for (std::size_t a = 0; a < scale.size(); a++) b[a] *= scale[a];
    }

   private:
    std::vector<double> M_;
};

class BoxQP {
   public:
    std::vector<double> x;  // before: where c is the gradient; after: the solution

    // The duality gap is at most tol afterwards unless rounding ends it first. The quadratic never rises.
    void solve(Index m, const double* H, const double* c, const double* low, const double* high, double tol, const Asked& asked) {
        m_ = m, H_ = H, low_ = low, high_ = high;
        const std::size_t size = static_cast<std::size_t>(m);
        for (auto* v : {&grad_, &move_, &image_, &found_, &found_image_, &step_}) v->resize(size);
        c_.assign(c, c + m), start_.resize(size);
        for (Index j = 0; j < m; j++) {
            start_[at(j)] = std::min(std::max(x[at(j)], low[j]), high[j]);
            move_[at(j)] = start_[at(j)] - x[at(j)];
        }
        product(move_, image_);
        for (Index j = 0; j < m; j++) c_[at(j)] += image_[at(j)];
        x = start_;
        settle();
        double gap = newton_rounds(tol, asked);
        if (gap > tol && !(asked && asked())) finish(gap, tol, asked);
        if (!all_finite(x.data(), size) || !(value_at(x) <= 0.0)) x = start_;
    }

   private:
    Index m_ = 0;
    const double *H_ = nullptr, *low_ = nullptr, *high_ = nullptr;
    std::vector<double> c_, start_, grad_, move_, image_, found_, found_image_, step_, best_;
    std::vector<Index> free_;
    ScaledFactor factor_;
    CentralPath path_;

    void product(const std::vector<double>& v, std::vector<double>& out) const {
        algebra::combine(H_, m_, m_, m_, v.data(), out.data());  // zeros are passed over
    }
    double value_at(const std::vector<double>& there) {
        for (Index j = 0; j < m_; j++) move_[at(j)] = there[at(j)] - start_[at(j)];
        product(move_, image_);
        return dot(c_, move_) + 0.5 * dot(move_, image_);
    }
    void gradient() {  // afresh: rounding does not gather
        for (Index j = 0; j < m_; j++) move_[at(j)] = x[at(j)] - start_[at(j)];
        product(move_, grad_);
        for (Index j = 0; j < m_; j++) grad_[at(j)] += c_[at(j)];
    }
    void find_free() {
        free_.clear();
        for (Index j = 0; j < m_; j++)
            if (box_free(grad_[at(j)], x[at(j)], low_[j], high_[j])) free_.push_back(j);
    }

    // Exact steps in every free coordinate, one after the other; the gradient follows. How many reached or left a bound.
    Index sweep() {
        find_free();
        Index changes = 0;
        for (Index j : free_) {
            const double slope = grad_[at(j)], bend = H_[j * m_ + j], here = x[at(j)];
            double there = here;
            if (bend > 0.0)
                there = std::min(std::max(here - slope / bend, low_[j]), high_[j]);
            else if (slope != 0.0)
                there = slope > 0.0 ? low_[j] : high_[j];
            if (there == here) continue;
            algebra::add_one(H_ + j * m_, there - here, m_, grad_.data());
            changes += (here == low_[j] || here == high_[j]) != (there == low_[j] || there == high_[j]);
            x[at(j)] = there;
        }
        return changes;
    }
    void settle() {
        grad_ = c_;
        for (int k = 0; k < BOX_SWEEPS; k++)
            if (sweep() * BOX_CHANGES <= m_) break;
    }

    // The x of the least gap met in BOX_ROUNDS rounds, or until two of them in a row do not halve it, and that gap; 0 where
    // rounding allows no more.
    double newton_rounds(double tol, const Asked& asked) {
        double least = INFINITY;
        int slow = 0;
        best_ = x;
        for (int k = 0; k <= BOX_ROUNDS; k++) {
            gradient();
            const double gap = box_gap(m_, grad_.data(), x.data(), low_, high_);
            slow = gap > 0.5 * least ? slow + 1 : 0;
            if (!(gap >= least)) best_ = x, least = gap;
            if (!(gap > tol) || slow == 2 || (asked && asked())) break;  // NaN, where numbers overflow, ends it too
            const bool whole = newton();
            x.swap(found_);
            if (slow || !whole) {
                for (Index j = 0; j < m_; j++) grad_[at(j)] += found_image_[at(j)];
                sweep();
            }
            if (x == found_) return 0.0;
        }
        x.swap(best_);
        return least;
    }

    // found <- the lowest of a few projected shares of the Newton step; whether it is the whole step, not cut by a bound.
    bool newton() {
        find_free();
        found_ = x, std::fill(found_image_.begin(), found_image_.end(), 0.0);
        if (free_.empty()) return true;
        if (!factor_.make(m_, H_, free_)) return false;
        move_.assign(free_.size(), 0.0);
        for (std::size_t a = 0; a < free_.size(); a++) move_[a] = -grad_[at(free_[a])];
        factor_.solve(move_.data());
        std::fill(step_.begin(), step_.end(), 0.0);
        for (std::size_t a = 0; a < free_.size(); a++) {
            const Index j = free_[a];
            const double slope = grad_[at(j)], width = high_[j] - low_[j];
            step_[at(j)] = factor_.scale[a] > 0.0 ? move_[a] : slope > 0.0 ? -width : slope < 0.0 ? width : 0.0;
        }
        move_.resize(at(m_));
        if (!all_finite(step_.data(), step_.size())) return false;
        double lowest = 0.0;
        bool whole = false;
        for (const double share : {1.0, 0.5, 0.25, 0.0625}) {
            bool cut = false;
            for (Index j = 0; j < m_; j++) {
                const double reached = x[at(j)] + share * step_[at(j)], there = std::min(std::max(reached, low_[j]), high_[j]);
                cut |= there != reached, move_[at(j)] = there - x[at(j)];
            }
            product(move_, image_);
            const double value = dot(grad_, move_) + 0.5 * dot(move_, image_);
            if (!(value < lowest)) continue;
            lowest = value, whole = share == 1.0 && !cut, found_image_ = image_;
            for (Index j = 0; j < m_; j++)
                found_[at(j)] = std::min(std::max(x[at(j)] + share * step_[at(j)], low_[j]), high_[j]);
            if (whole) break;
        }
        return whole;
    }

    // From where the interior point method ends, if that is better than x, whose gap is given.
    void finish(double gap, double tol, const Asked& asked) {
        const std::vector<double> before = x;
        gradient();
        if (!inside(tol, asked)) {
            x = before;
            return;
        }
        const double left = newton_rounds(tol, asked);
        if (!(left < gap && value_at(x) <= value_at(before) + left)) x = before;
    }

    bool inside(double tol, const Asked& asked) {
        std::vector<Index> wide;
        for (Index j = 0; j < m_; j++)
            if (low_[j] < high_[j]) wide.push_back(j);
        const std::size_t k = wide.size();
        std::vector<double> M(k * k), slopes(k), here(k), ends(k), width(k), image(k);
        double bend = 0.0;
        for (std::size_t a = 0; a < k; a++) width[a] = high_[wide[a]] - low_[wide[a]];
        for (std::size_t a = 0; a < k; a++) {
            slopes[a] = width[a] * grad_[at(wide[a])], here[a] = (x[at(wide[a])] - low_[wide[a]]) / width[a];
            for (std::size_t b = 0; b < k; b++) M[a * k + b] = H_[wide[a] * m_ + wide[b]] * width[a] * width[b];
            bend = std::max(bend, M[a * k + a]);
        }
        if (k == 0 || !all_finite(M.data(), k * k) || !all_finite(slopes.data(), k)) return false;
        path_.follow(M, slopes, here, tol, nullptr, 0.5, asked);
        const auto unit_gap = [&](const std::vector<double>& t) {
            for (std::size_t a = 0; a < k; a++) ends[a] = t[a] - here[a];
            algebra::dots(M.data(), static_cast<Index>(k), static_cast<Index>(k), static_cast<Index>(k), ends.data(), image.data());
            double total = 0.0;
            for (std::size_t a = 0; a < k; a++) {
                const double g = slopes[a] + image[a];
                total += std::max(g * t[a], g * (t[a] - 1.0));
            }
            return total;
        };
        std::vector<double> t = path_.t;
        const double gap = unit_gap(path_.t);
        for (const double sure : {1.0, 1e-2, 1e-4}) {
            for (std::size_t a = 0; a < k; a++) t[a] = path_.end(a, bend, sure);
            if (unit_gap(t) <= std::max(gap, tol)) break;
            t = path_.t;
        }
        for (std::size_t a = 0; a < k; a++) {
            const double low = low_[wide[a]], high = high_[wide[a]];
            x[at(wide[a])] = t[a] == 1.0 ? high : std::min(std::max(low + width[a] * t[a], low), high);
        }
        return all_finite(x.data(), x.size());
    }
};

}  // namespace greedyhull
