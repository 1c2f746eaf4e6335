// Convex quadratics over weights with upper bounds and a given sum: with the multiplier of the sum
// subtracted from the gradient, this is a box. An active set method guesses which bounds hold and corrects itself; where it does
// not settle, the interior point method for boxes takes over, with the sum as an equation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "box_qp.hpp"

namespace greedyhull {

constexpr double SUM_NEAR = 1e-12;  // a sum that is off by a smaller share of it is put right in one coordinate

// The multiplier at which the cheapest coordinates, filled to their bounds, use up `total`.
class Threshold {
   public:
    double operator()(Index m, const double* g, const double* high, double total) {
        order_.resize(static_cast<std::size_t>(m));
        std::iota(order_.begin(), order_.end(), Index(0));
        std::stable_sort(order_.begin(), order_.end(), [g](Index a, Index b) { return g[a] < g[b]; });
        double filled = 0.0;
        for (Index j : order_) {
            filled += high[j];
            if (filled >= total * (1.0 - SUM_NEAR)) return g[j];
        }
        return m > 0 ? g[order_.back()] : 0.0;
    }

   private:
    std::vector<Index> order_;
};

// <g, x> less its least value over 0 <= . <= high with the sum `total`.
inline double filling_gap(Index m, const double* g, const double* x, const double* high, double price) {
    double gap = 0.0;
    for (Index j = 0; j < m; j++) {
        const double slope = g[j] - price;
        gap += slope > 0.0 ? slope * x[j] : slope * (x[j] - high[j]);
    }
    return gap;
}

// x <- the point nearest to it of 0 <= . <= high with the sum `total`; where rounding is all that is off, zeros stay zeros.
inline void project_capped_simplex(std::vector<double>& x, const double* high, double total) {
    const std::size_t m = x.size();
    const auto sum = [&](double shift) {
        double filled = 0.0;
        for (std::size_t j = 0; j < m; j++) filled += std::min(std::max(x[j] - shift, 0.0), high[j]);
        return filled;
    };
    double off = total - sum(0.0), shift = 0.0;
    bool within = true;
    for (std::size_t j = 0; j < m; j++) within &= x[j] >= 0.0 && x[j] <= high[j];
    if (!(std::fabs(off) <= SUM_NEAR * total) || !within) {
        std::vector<double> cuts;  // the sum is linear in the shift between these
        for (std::size_t j = 0; j < m; j++) cuts.push_back(x[j]), cuts.push_back(x[j] - high[j]);
        std::sort(cuts.begin(), cuts.end());
        std::size_t low = 0, up = cuts.size() - 1;
        while (up - low > 1) {
            const std::size_t middle = (low + up) / 2;
            (sum(cuts[middle]) >= total ? low : up) = middle;
        }
        const double below = sum(cuts[low]), above = sum(cuts[up]);
        const double part = below > above ? (below - total) / (below - above) : 0.0;
        shift = cuts[low] + part * (cuts[up] - cuts[low]);
        off = total - sum(shift);
    }
    std::size_t place = 0;
    double most = -INFINITY;
    for (std::size_t j = 0; j < m; j++) {
        x[j] = std::min(std::max(x[j] - shift, 0.0), high[j]);
        const double room = std::min(x[j], high[j] - x[j]);
        if (room > most) place = j, most = room;
    }
    if (std::fabs(off) <= most) x[place] += off;
}

class SumQP {
   public:
    std::vector<double> x;  // before: where c is the gradient, a point of the set; after: the solution

    // The duality gap is at most tol afterwards unless rounding ends it first. The quadratic never rises.
    void solve(Index m, const double* H, const double* c, const double* high, double tol, const Asked& asked) {
        m_ = m, H_ = H, c_ = c, high_ = high, tol_ = tol;
        start_ = x, total_ = std::accumulate(x.begin(), x.end(), 0.0);
        for (auto* v : {&move_, &image_, &grad_}) v->resize(at(m));
        first_ = threshold_(m, c, high, total_);
        least_ = filling_gap(m, c, x.data(), high, first_);
        if (!(tol < least_ && least_ < INFINITY)) return;
        for (Index j = 0; j < m; j++) grad_[at(j)] = c[j] - first_;
        sides(start_, sides_);
        if (active_set() || (asked && asked())) return;
        interior(asked);
    }

   private:
    static constexpr int QUICK = 10;  // rounds of the active set method
    Index m_ = 0;
    const double *H_ = nullptr, *c_ = nullptr, *high_ = nullptr;
    double tol_ = 0.0, total_ = 0.0, least_ = 0.0, first_ = 0.0, price_ = 0.0;  // the prices of the sum at the start and on a face
    std::vector<double> start_, move_, image_, grad_, there_, down_, level_, try_;
    std::vector<int> sides_, next_;  // -1 where the lower bound should hold, 1 where the upper, 0 where neither
    std::vector<Index> free_;
    Threshold threshold_;
    ScaledFactor factor_;
    CentralPath path_;

    void image_of(const std::vector<double>& point) {
        for (Index j = 0; j < m_; j++) move_[at(j)] = point[at(j)] - start_[at(j)];
        algebra::combine(H_, m_, m_, m_, move_.data(), image_.data());
    }

    // Take a point if it is better; whether it is good enough.
    bool offer(std::vector<double> point) {
        project_capped_simplex(point, high_, total_);
        image_of(point);
        double rise = 0.0;  // relative to the price, which may be large compared with what it is about
        for (Index j = 0; j < m_; j++) {
            rise += move_[at(j)] * (c_[j] - first_ + 0.5 * image_[at(j)]);
            image_[at(j)] += c_[j];
        }
        const double gap = filling_gap(m_, image_.data(), point.data(), high_, threshold_(m_, image_.data(), high_, total_));
        if (gap < least_ && rise <= 0.0) x = point, least_ = gap;
        return least_ <= tol_;
    }

    // By where a step in each coordinate ends; `grad_` is the gradient there, less the price of the sum.
    void sides(const std::vector<double>& point, std::vector<int>& out) const {
        out.resize(at(m_));
        for (Index j = 0; j < m_; j++) {
            const double bend = H_[j * m_ + j], slope = grad_[at(j)];
            const double step = bend > 0.0 ? -slope / bend : slope > 0.0 ? -high_[j] : slope < 0.0 ? high_[j] : 0.0;
            const double to = point[at(j)] + step;
            out[at(j)] = to <= 0.0 ? -1 : to >= high_[j] ? 1 : 0;
        }
    }

    // From the face that `sides_` names; whether a point that is good enough was found.
    bool active_set() {
        for (int k = 0; k < QUICK; k++) {
            if (!on_face()) return false;
            image_of(there_);
            bool within = true;
            for (Index j = 0; j < m_; j++) {
                grad_[at(j)] = c_[j] + image_[at(j)] - price_;
                within &= there_[at(j)] >= 0.0 && there_[at(j)] <= high_[j];
            }
            sides(there_, next_);
            const bool settled = next_ == sides_;
            if ((settled || within) && offer(clipped(there_))) return true;
            if (settled) return false;
            sides_.swap(next_);
        }
        return false;
    }
    std::vector<double> clipped(std::vector<double> point) const {
        for (Index j = 0; j < m_; j++) point[at(j)] = std::min(std::max(point[at(j)], 0.0), high_[j]);
        return point;
    }

    // there <- the minimiser where all but the free coordinates are at their bounds, with the price of the sum.
    bool on_face() {
        free_.clear(), there_ = start_;
        for (Index j = 0; j < m_; j++) {
            if (sides_[at(j)] == 0) free_.push_back(j);
            if (sides_[at(j)] == 0 && !(H_[j * m_ + j] > 0.0)) return false;
            if (sides_[at(j)] != 0) there_[at(j)] = sides_[at(j)] > 0 ? high_[j] : 0.0;
        }
        if (free_.empty() || !factor_.make(m_, H_, free_)) return false;
        image_of(there_);
        const std::size_t k = free_.size();
        down_.resize(k), level_.assign(k, 1.0);
        for (std::size_t a = 0; a < k; a++) down_[a] = -(c_[free_[a]] + image_[at(free_[a])]);
        factor_.solve(down_.data()), factor_.solve(level_.data());
        double rise = 0.0, rest = total_;
        for (std::size_t a = 0; a < k; a++) rise += level_[a], rest -= down_[a];
        for (double y : there_) rest -= y;
        price_ = rise > 0.0 ? rest / rise : INFINITY;
        if (!std::isfinite(price_)) return false;
        for (std::size_t a = 0; a < k; a++) there_[at(free_[a])] += down_[a] + price_ * level_[a];
        return all_finite(there_.data(), there_.size());
    }

    void interior(const Asked& asked) {
        std::vector<Index> wide;
        double most = 0.0, room = 0.0;
        for (Index j = 0; j < m_; j++)
            if (high_[j] > 0.0) wide.push_back(j), most = std::max(most, high_[j]), room += high_[j];
        const double share = total_ / room;
        if (!(share > 0.0 && share < 1.0)) return;  // the set is a point
        const std::size_t k = wide.size();
        std::vector<double> M(k * k), slopes(k), here(k), normal(k), point(at(m_), 0.0);
        double bend = 0.0;
        for (std::size_t a = 0; a < k; a++) {
            const double width = high_[wide[a]];
            slopes[a] = width * c_[wide[a]], here[a] = start_[at(wide[a])] / width, normal[a] = width / most;
            for (std::size_t b = 0; b < k; b++) M[a * k + b] = H_[wide[a] * m_ + wide[b]] * width * high_[wide[b]];
            bend = std::max(bend, M[a * k + a]);
        }
        path_.follow(M, slopes, here, tol_, &normal, share, asked);
        if (!all_finite(path_.t.data(), k)) return;
        for (std::size_t a = 0; a < k; a++) point[at(wide[a])] = high_[wide[a]] * path_.t[a];
        if (offer(point)) return;
        for (const double sure : {1.0, 1e-2, 1e-4}) {
            sides_.assign(at(m_), -1);
            for (std::size_t a = 0; a < k; a++) {
                const double end = path_.end(a, bend, sure);
                sides_[at(wide[a])] = end == 0.0 ? -1 : end == 1.0 ? 1 : 0;
            }
            if (active_set() || (asked && asked())) return;
        }
    }
};

}  // namespace greedyhull
