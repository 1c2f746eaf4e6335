// Convex quadratics over a Euclidean ball, the trust region problem: (H + lambda I)p = -c - lambda(x -
// middle) for a multiplier lambda that Newton's method finds in a few factorisations. It begins with the one that was found last:
// the problems of one solve resemble each other. A point near the sphere is good enough where its duality gap says so.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "box_qp.hpp"

namespace greedyhull {

// <g, t> + |g| for t in the unit ball: |g| (|g/|g| + t|^2 + 1 - |t|^2)/2, which is exact where it is small.
inline double unit_ball_gap(const std::vector<double>& g, const std::vector<double>& t) {
    double largest = 0.0, squares = 0.0, across = 0.0;
    for (double x : g) largest = std::max(largest, std::fabs(x));
    if (!(largest > 0.0)) return largest == 0.0 ? 0.0 : INFINITY;
    for (double x : g) squares += (x / largest) * (x / largest);
    const double norm = std::sqrt(squares);
    for (std::size_t j = 0; j < g.size(); j++) {
        const double side = g[j] / largest / norm + t[j];
        across += side * side;
    }
    return largest * norm * 0.5 * (across + std::max(1.0 - dot(t, t), 0.0));
}

// t <- the nearest point of the unit ball; whether it was outside.
inline bool into_unit_ball(std::vector<double>& t) {
    double largest = 0.0, squares = 0.0;
    for (double x : t) largest = std::max(largest, std::fabs(x));
    if (largest <= 1.0 && dot(t, t) <= 1.0) return false;
    for (double& x : t) x /= largest, squares += x * x;
    for (double& x : t) x /= std::sqrt(squares);
    return true;
}

class BallQP {
   public:
    std::vector<double> x;     // before: where c is the gradient; after: the solution
    double multiplier = 0.0;   // the last one, in the units of H

    // The duality gap, at most tol unless rounding ends it first. The quadratic never rises.
    double solve(Index m, const double* H, const double* c, const double* middle, double radius, double tol, const Asked& asked) {
        const std::size_t size = at(m);
        if (!(radius > 0.0)) {
            x.assign(middle, middle + m);
            return 0.0;
        }
        m_ = m, start_.resize(size), move_.resize(size), image_.resize(size), slopes_.resize(size);
        for (Index j = 0; j < m; j++) start_[at(j)] = (x[at(j)] - middle[j]) / radius;
        into_unit_ball(start_);
        for (Index j = 0; j < m; j++) move_[at(j)] = middle[j] + radius * start_[at(j)] - x[at(j)];
        algebra::combine(H, m, m, m, move_.data(), image_.data());
        double largest = 0.0;
        for (Index j = 0; j < m; j++) {
            slopes_[at(j)] = radius * (c[j] + image_[at(j)]);
            largest = std::max(largest, std::fabs(slopes_[at(j)]));
        }
        M_.resize(size * size);
        for (std::size_t i = 0; i < size * size; i++) {
            M_[i] = radius * H[i] * radius;
            largest = std::max(largest, std::fabs(M_[i]));
        }
        for (Index j = 0; j < m; j++) x[at(j)] = middle[j] + radius * start_[at(j)];
        if (!all_finite(M_.data(), M_.size()) || !all_finite(slopes_.data(), size)) return INFINITY;  // there is no telling
        if (largest == 0.0) return 0.0;
        for (double& entry : M_) entry /= largest;
        for (double& entry : slopes_) entry /= largest;
        lambda_ = multiplier * radius / largest * radius, tol_ = tol / largest;
        const double gap = rounds(asked);
        multiplier = lambda_ / radius * largest / radius;
        for (Index j = 0; j < m; j++) x[at(j)] = middle[j] + radius * t_[at(j)];
        return largest * gap;
    }

   private:
    static constexpr double RIDGE = 1e-14;  // of the largest diagonal entry: what is added at least
    static constexpr double MORE = 1e3;     // times as much is added where rounding has left the Hessian indefinite
    static constexpr int ROUNDS = 8;        // of such problems, each from the solution of the one before
    static constexpr int MOST = 40;         // factorisations in a round; mostly one to four are made
    static constexpr double ON = 1e-13;     // so near to the sphere counts as on it
    static constexpr double CLOSE = 0.1;    // so near, the gap is computed: it may be good enough already
    Index m_ = 0;
    double lambda_ = 0.0, tol_ = 0.0;
    std::vector<double> M_, K_, start_, t_, slopes_, grad_, move_, image_, y_, z_, b_, found_;

    // grad <- the gradient at `point`; the value there, relative to the start.
    double look(const std::vector<double>& point) {
        for (Index j = 0; j < m_; j++) move_[at(j)] = point[at(j)] - start_[at(j)];
        algebra::dots(M_.data(), m_, m_, m_, move_.data(), image_.data());
        double value = 0.0;
        grad_.resize(at(m_));
        for (Index j = 0; j < m_; j++)
            value += move_[at(j)] * (slopes_[at(j)] + 0.5 * image_[at(j)]), grad_[at(j)] = slopes_[at(j)] + image_[at(j)];
        return value;
    }

    double rounds(const Asked& asked) {
        t_ = start_;
        double top = 0.0, gap = unit_ball_gap(slopes_, start_);
        for (Index j = 0; j < m_; j++) top = std::max(top, M_[at(j * m_ + j)]);
        double ridge = std::max(0.125 * tol_, RIDGE * top);
        for (int k = 0; k < ROUNDS && gap > tol_ && !(asked && asked()); k++) {
            look(t_);
            if (!minimiser(std::vector<double>(grad_), ridge, asked)) {
                ridge *= MORE;
                continue;
            }
            found_ = y_, into_unit_ball(found_);
            const double value = look(found_), left = unit_ball_gap(grad_, found_);
            if (!(left < gap && value <= 0.0)) break;
            t_ = found_, gap = left;
        }
        return gap;
    }

    // y <- t + p for the p that minimises p'(M + ridge I)p/2 + c'p over |t + p| <= 1; false where there is no factorisation.
    bool minimiser(const std::vector<double>& c, double ridge, const Asked& asked) {
        double reach = 0.0, top = 0.0;
        b_.resize(at(m_)), K_.resize(M_.size());
        algebra::dots(M_.data(), m_, m_, m_, t_.data(), b_.data());
        for (Index j = 0; j < m_; j++) {
            const double b = b_[at(j)] + ridge * t_[at(j)] - c[at(j)];
            double sum = 0.0;
            for (Index i = 0; i < m_; i++) sum += std::fabs(M_[at(j * m_ + i)]);
            reach += b * b, top = std::max(top, sum + ridge);
        }
        reach = std::sqrt(reach);
        double low = std::max(reach - top, 0.0), high = reach, lambda = lambda_ > low && lambda_ < high ? lambda_ : low;
        bool known = false, tried_low = false;  // whether y is a point, and whether `low` was tried itself
        for (int k = 0; k < MOST; k++) {
            K_ = M_;
            for (Index j = 0; j < m_; j++) K_[at(j * m_ + j)] += ridge + lambda;
            if (!algebra::cholesky(m_, K_.data())) return known;
            tried_low |= lambda == low, lambda_ = lambda;
            y_.resize(at(m_));
            for (Index j = 0; j < m_; j++) y_[at(j)] = -(c[at(j)] + lambda * t_[at(j)]);
            algebra::cholesky_solve(m_, K_.data(), y_.data());
            for (Index j = 0; j < m_; j++) y_[at(j)] += t_[at(j)];
            const double norm = std::sqrt(dot(y_, y_));
            if (!std::isfinite(norm)) return false;
            known = true;
            if (std::fabs(norm - 1.0) <= ON || (norm < 1.0 && lambda == 0.0) || enough(norm) || (asked && asked())) return true;
            if (norm > 1.0) low = lambda, tried_low = true;
            else high = lambda;
            double across = 0.0;
            z_ = y_;
            algebra::solve_lower(m_, K_.data(), m_, z_.data());
            for (const double z : z_) across += z * z;
            lambda += norm * norm / across * (norm - 1.0);
            if (!(lambda > low && lambda < high)) lambda = tried_low ? 0.5 * (low + high) : low;
            if ((lambda == low && tried_low) || lambda == high) return true;  // no number lies between
        }
        return known;
    }

    bool enough(double norm) {
        if (!(std::fabs(norm - 1.0) < CLOSE)) return false;
        found_ = y_;
        into_unit_ball(found_);
        const double value = look(found_);
        return value <= 0.0 && unit_ball_gap(grad_, found_) <= tol_;
    }
};

}  // namespace greedyhull
