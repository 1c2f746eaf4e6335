// Convex quadratics over the unit box, by a primal-dual interior point method with Mehrotra's corrector.
// kernels/box_interior.py has the formulas; this is the same path, step by step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "algebra.hpp"

namespace greedyhull {

using Asked = std::function<bool()>;  // whether to end; empty where nobody asks

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double total;
    algebra::dots(a.data(), 0, static_cast<Index>(a.size()), 1, b.data(), &total);
    return total;
}
inline bool all_finite(const double* v, std::size_t m) {
    double total = 0.0;
    for (std::size_t i = 0; i < m; i++) total += 0.0 * v[i];
    return total == 0.0;
}

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

}  // namespace greedyhull
