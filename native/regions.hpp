// Boxes, balls, bounded simplices and caps on groups in coordinates, and the sections that rounds solve on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ball_qp.hpp"
#include "box_qp.hpp"
#include "corrective.hpp"
#include "designs.hpp"
#include "grouped_qp.hpp"
#include "sum_qp.hpp"

namespace greedyhull {

// Boxes, bounded simplices and balls as their coordinates see them, as atoms/regions.py has them. A section is the part of the
// set in which some of the coordinates move, in the coordinates y of these.
class Region {
   public:
    double multiplier = 0.0;  // of the sphere, as it was found last
    virtual ~Region() = default;
    virtual void nearest(std::vector<double>& x) = 0;  // x <- the point of the set nearest to it
    virtual double gap(const std::vector<double>& g, const std::vector<double>& x) = 0;  // <g, x> less its least value
    virtual void free(const std::vector<double>& g, const std::vector<double>& x, std::vector<Index>& out) = 0;
    virtual void shares(const std::vector<double>& g, const std::vector<double>& x, std::vector<double>& out) = 0;
    virtual void best(const std::vector<double>& g, std::vector<double>& atom) = 0;
    virtual void cut(const std::vector<Index>& columns, const std::vector<double>& x) = 0;  // the section that follows is this one
    // Of a ball: the section along the directions that are the rows of a matrix, and the way from the middle to x.
    virtual void cut_along(const std::vector<double>&, std::size_t, const std::vector<double>&) {
        throw std::logic_error("a ball is wanted");
    }
    virtual std::vector<double> arm_of(const std::vector<double>&) { throw std::logic_error("a ball is wanted"); }
    virtual double section_gap(const std::vector<double>& g, const std::vector<double>& y) = 0;
    virtual double slope(const std::vector<double>& g, const std::vector<double>& y, const std::vector<double>& to) {
        return along(g, y, to, 0.0);
    }
    virtual const std::vector<double>& solve(const double* H, const std::vector<double>& g, const std::vector<double>& y, double tol,
                                             const Asked& asked) = 0;

   protected:
    static double along(const std::vector<double>& g, const std::vector<double>& y, const std::vector<double>& to, double price) {
        double total = 0.0;
        for (std::size_t a = 0; a < y.size(); a++) total += (g[a] - price) * (to[a] - y[a]);
        return total;
    }
    static void some(Span<const double> all, const std::vector<Index>& columns, std::vector<double>& out) {
        out.clear();
        for (Index j : columns) out.push_back(all[j]);
    }
};

// low <= x <= high.
class BoxRegion : public Region {
   public:
    BoxRegion(Span<const double> low, Span<const double> high) : low_(low), high_(high) {}
    void nearest(std::vector<double>& x) override {
        for (std::size_t j = 0; j < x.size(); j++) x[j] = std::min(std::max(x[j], low_.data[j]), high_.data[j]);
    }
    double gap(const std::vector<double>& g, const std::vector<double>& x) override {
        return box_gap(low_.size, g.data(), x.data(), low_.data, high_.data);
    }
    void free(const std::vector<double>& g, const std::vector<double>& x, std::vector<Index>& out) override {
        for (Index j = 0; j < low_.size; j++)
            if (box_free(g[std::size_t(j)], x[std::size_t(j)], low_[j], high_[j])) out.push_back(j);
    }
    void shares(const std::vector<double>& g, const std::vector<double>& x, std::vector<double>& out) override {
        out.resize(x.size());
        for (std::size_t j = 0; j < x.size(); j++) out[j] = g[j] * (x[j] - (g[j] > 0.0 ? low_.data[j] : high_.data[j]));
    }
    void best(const std::vector<double>& g, std::vector<double>& atom) override {
        for (std::size_t j = 0; j < g.size(); j++) atom[j] = g[j] > 0.0 ? low_.data[j] : high_.data[j];
    }
    void cut(const std::vector<Index>& columns, const std::vector<double>&) override {
        some(low_, columns, lows_), some(high_, columns, highs_);
    }
    double section_gap(const std::vector<double>& g, const std::vector<double>& y) override {
        return box_gap(static_cast<Index>(y.size()), g.data(), y.data(), lows_.data(), highs_.data());
    }
    const std::vector<double>& solve(const double* H, const std::vector<double>& g, const std::vector<double>& y, double tol,
                                     const Asked& asked) override {
        qp_.x = y;
        qp_.solve(static_cast<Index>(y.size()), H, g.data(), lows_.data(), highs_.data(), tol, asked);
        return qp_.x;
    }

   private:
    Span<const double> low_, high_;
    std::vector<double> lows_, highs_;
    BoxQP qp_;
};

// 0 <= x <= high with the sum `total`: a box, once the price of the sum is subtracted from the gradient.
class CappedSimplexRegion : public Region {
   public:
    CappedSimplexRegion(Span<const double> high, double total) : high_(high), total_(total) {}
    void nearest(std::vector<double>& x) override { project_capped_simplex(x, high_.data, total_); }
    double gap(const std::vector<double>& g, const std::vector<double>& x) override {
        return filling_gap(high_.size, g.data(), x.data(), high_.data, price(g));
    }
    // Those with a gradient of exactly the price are free too: the last one to be filled is among them.
    void free(const std::vector<double>& g, const std::vector<double>& x, std::vector<Index>& out) override {
        const double level = price(g);
        for (Index j = 0; j < high_.size; j++) {
            const double slope = g[std::size_t(j)] - level, here = x[std::size_t(j)];
            const bool up = slope <= 0.0 && here < high_[j], down = slope >= 0.0 && here > 0.0;
            if ((up || down || (here > 0.0 && here < high_[j])) && high_[j] > 0.0) out.push_back(j);
        }
    }
    void shares(const std::vector<double>& g, const std::vector<double>& x, std::vector<double>& out) override {
        const double level = price(g);
        out.resize(x.size());
        for (std::size_t j = 0; j < x.size(); j++) out[j] = (g[j] - level) * (x[j] - (g[j] > level ? 0.0 : high_.data[j]));
    }
    void best(const std::vector<double>& g, std::vector<double>& atom) override {
        const double level = price(g);
        double left = total_;
        std::fill(atom.begin(), atom.end(), 0.0);
        for (std::size_t j = 0; j < g.size(); j++)
            if (g[j] < level) atom[j] = high_.data[j], left -= atom[j];
        for (std::size_t j = 0; j < g.size(); j++)
            if (g[j] == level) atom[j] = std::min(std::max(left, 0.0), high_.data[j]), left -= atom[j];
        nearest(atom);
    }
    void cut(const std::vector<Index>& columns, const std::vector<double>&) override { some(high_, columns, highs_); }
    double section_gap(const std::vector<double>& g, const std::vector<double>& y) override {
        return filling_gap(static_cast<Index>(y.size()), g.data(), y.data(), highs_.data(), section_price(g, y));
    }
    // Relative to the price of the sum, which may be large compared with what it is about.
    double slope(const std::vector<double>& g, const std::vector<double>& y, const std::vector<double>& to) override {
        return along(g, y, to, section_price(g, y));
    }
    const std::vector<double>& solve(const double* H, const std::vector<double>& g, const std::vector<double>& y, double tol,
                                     const Asked& asked) override {
        qp_.x = y;
        qp_.solve(static_cast<Index>(y.size()), H, g.data(), highs_.data(), tol, asked);
        return qp_.x;
    }

   private:
    Span<const double> high_;
    double total_;
    std::vector<double> highs_;
    Threshold threshold_;
    SumQP qp_;

    double price(const std::vector<double>& g) { return threshold_(high_.size, g.data(), high_.data, total_); }
    double section_price(const std::vector<double>& g, const std::vector<double>& y) {
        return threshold_(static_cast<Index>(y.size()), g.data(), highs_.data(), std::accumulate(y.begin(), y.end(), 0.0));
    }
};

// |x - middle| <= radius.
class BallRegion : public Region {
   public:
    BallRegion(Span<const double> middle, double radius) : middle_(middle), radius_(radius) {}
    void nearest(std::vector<double>& x) override {
        arm(x);
        if (!into_unit_ball(arm_)) return;
        for (std::size_t j = 0; j < x.size(); j++) x[j] = middle_.data[j] + radius_ * arm_[j];
    }
    double gap(const std::vector<double>& g, const std::vector<double>& x) override {
        arm(x);
        into_unit_ball(arm_);
        return radius_ * unit_ball_gap(g, arm_);
    }
    void free(const std::vector<double>&, const std::vector<double>& x, std::vector<Index>& out) override {
        out.resize(x.size());
        std::iota(out.begin(), out.end(), Index(0));
    }
    // The size of the gradient: on a sphere the gap is no sum over coordinates.
    void shares(const std::vector<double>& g, const std::vector<double>&, std::vector<double>& out) override {
        out.resize(g.size());
        for (std::size_t j = 0; j < g.size(); j++) out[j] = std::fabs(g[j]);
    }
    void best(const std::vector<double>& g, std::vector<double>& atom) override {
        double largest = 0.0, squares = 0.0;
        for (double x : g) largest = std::max(largest, std::fabs(x));
        for (double x : g) squares += largest > 0.0 ? (x / largest) * (x / largest) : 0.0;
        for (std::size_t j = 0; j < g.size(); j++)
            atom[j] = middle_.data[j] - (largest > 0.0 ? radius_ * (g[j] / largest / std::sqrt(squares)) : 0.0);
    }
    // The ball of the points that differ from x in these coordinates only.
    void cut(const std::vector<Index>& columns, const std::vector<double>& x) override {
        arm(x);
        for (Index j : columns) arm_[static_cast<std::size_t>(j)] = 0.0;
        some(middle_, columns, middles_);
        section_ = radius_ * std::sqrt(std::max(1.0 - dot(arm_, arm_), 0.0));
    }
    void cut_along(const std::vector<double>& rows, std::size_t k, const std::vector<double>& x) override {
        const Index d = middle_.size;
        arm(x), middles_.resize(k), parts_.resize(k);
        algebra::dots(rows.data(), d, d, static_cast<Index>(k), middle_.data, middles_.data());
        algebra::dots(rows.data(), d, d, static_cast<Index>(k), arm_.data(), parts_.data());
        for (std::size_t a = 0; a < k; a++) algebra::add_one(rows.data() + static_cast<Index>(a) * d, -parts_[a], d, arm_.data());
        section_ = radius_ * std::sqrt(std::max(1.0 - dot(arm_, arm_), 0.0));
    }
    std::vector<double> arm_of(const std::vector<double>& x) override {
        arm(x);
        return arm_;
    }
    double section_gap(const std::vector<double>& g, const std::vector<double>& y) override {
        if (!(section_ > 0.0)) return 0.0;
        arm_.resize(y.size());
        for (std::size_t a = 0; a < y.size(); a++) arm_[a] = (y[a] - middles_[a]) / section_;
        into_unit_ball(arm_);
        return section_ * unit_ball_gap(g, arm_);
    }
    const std::vector<double>& solve(const double* H, const std::vector<double>& g, const std::vector<double>& y, double tol,
                                     const Asked& asked) override {
        qp_.x = y, qp_.multiplier = multiplier;
        const Index m = static_cast<Index>(y.size());
        const double exact = m <= FEW ? EXACT * tol : tol;  // on a sphere a gap of eps is a distance of sqrt(eps), and few cost little
        qp_.solve(m, H, g.data(), middles_.data(), section_, exact, asked);
        multiplier = qp_.multiplier;
        return qp_.x;
    }

   private:
    Span<const double> middle_;
    double radius_, section_ = 0.0;
    std::vector<double> arm_, middles_, parts_;
    BallQP qp_;

    void arm(const std::vector<double>& x) {
        arm_.resize(x.size());
        for (std::size_t j = 0; j < x.size(); j++) arm_[j] = (x[j] - middle_.data[j]) / radius_;
    }
};

// 0 <= x <= high with the sum `total`, and sums over groups of at most room.
class GroupedRegion : public Region {
   public:
    GroupedRegion(Span<const double> high, std::vector<Index> of, Span<const double> room, double total)
        : of_(std::move(of)), caps_{high, {of_.data(), high.size}, room}, total_(total) {}
    void nearest(std::vector<double>& x) override { filling_.nearest(x.data(), caps_, total_); }
    double gap(const std::vector<double>& g, const std::vector<double>& x) override {
        return filling_.gap(g.data(), x.data(), caps_, total_);
    }
    // Those that are not zero, and of those at zero the ones that come first by what they cost.
    void free(const std::vector<double>& g, const std::vector<double>& x, std::vector<Index>& out) override {
        filling_.levels(g.data(), caps_, total_);
        costs_.clear();
        for (Index j = 0; j < caps_.high.size; j++) {
            if (x[at(j)] > 0.0)
                out.push_back(j);
            else if (caps_.high[j] > 0.0)
                costs_.emplace_back(g[at(j)] - filling_.level[at(of_[at(j)])], j);
        }
        const std::size_t many = std::min(std::max(AHEAD, out.size()), costs_.size());
        if (many < costs_.size()) std::nth_element(costs_.begin(), costs_.begin() + static_cast<std::ptrdiff_t>(many), costs_.end());
        for (std::size_t i = 0; i < many; i++) out.push_back(costs_[i].second);
        std::sort(out.begin(), out.end());
    }
    void shares(const std::vector<double>& g, const std::vector<double>& x, std::vector<double>& out) override {
        filling_.levels(g.data(), caps_, total_);
        out.resize(x.size());
        for (std::size_t j = 0; j < x.size(); j++) {
            const double slope = g[j] - filling_.level[at(of_[j])];
            out[j] = std::max(slope * x[j], slope * (x[j] - caps_.high.data[j]));
        }
    }
    void best(const std::vector<double>& g, std::vector<double>& atom) override {
        places_.resize(g.size()), entries_.resize(g.size());
        const Index many = filling_.vertex(g.data(), caps_, total_, 0.0, places_.data(), entries_.data());
        std::fill(atom.begin(), atom.end(), 0.0);
        for (Index i = 0; i < many; i++) atom[at(places_[at(i)])] = entries_[at(i)];
        nearest(atom);
    }
    void cut(const std::vector<Index>& columns, const std::vector<double>& x) override {
        some(caps_.high, columns, highs_), groups_.clear();
        rooms_.assign(caps_.room.data, caps_.room.data + caps_.room.size);
        sums_.assign(rooms_.size(), 0.0);
        for (std::size_t j = 0; j < x.size(); j++) rooms_[at(of_[j])] -= x[j];
        for (Index j : columns) {
            const Index k = of_[at(j)];
            groups_.push_back(k), rooms_[at(k)] += x[at(j)], sums_[at(k)] += x[at(j)];
        }
        for (std::size_t k = 0; k < rooms_.size(); k++) rooms_[k] = std::max(rooms_[k], sums_[k]);
    }
    double section_gap(const std::vector<double>& g, const std::vector<double>& y) override {
        return filling_.gap(g.data(), y.data(), section(), sum(y));
    }
    // Relative to the price of the sum, which may be large compared with what it is about.
    double slope(const std::vector<double>& g, const std::vector<double>& y, const std::vector<double>& to) override {
        return along(g, y, to, filling_.levels(g.data(), section(), sum(y)));
    }
    const std::vector<double>& solve(const double* H, const std::vector<double>& g, const std::vector<double>& y, double tol,
                                     const Asked& asked) override {
        qp_.x = y;
        qp_.solve(H, g.data(), section(), tol, asked);
        return qp_.x;
    }

   private:
    static constexpr std::size_t AHEAD = 40;  // coordinates at zero that are let in together; or as many as there are already
    std::vector<Index> of_;
    Caps caps_;
    double total_;
    std::vector<double> highs_, rooms_, sums_, entries_;
    std::vector<Index> groups_, places_;
    std::vector<std::pair<double, Index>> costs_;
    GroupFilling filling_;
    GroupedQP qp_;

    static double sum(const std::vector<double>& y) { return std::accumulate(y.begin(), y.end(), 0.0); }
    Caps section() const {
        return {{highs_.data(), static_cast<Index>(highs_.size())}, {groups_.data(), static_cast<Index>(groups_.size())},
                {rooms_.data(), static_cast<Index>(rooms_.size())}};
    }
};

// The matrix Q of a quadratic, on all coordinates: nothing is copied.
class WholeMatrix {
   public:
    WholeMatrix(const double* Q, Index d) : Q_(Q), d_(d) {}
    void product(const double* x, double* z) const { algebra::dots(Q_, d_, d_, d_, x, z); }
    bool choose(Region&, const std::vector<double>&, const std::vector<double>&, std::vector<Index>& columns) const {
        columns.resize(static_cast<std::size_t>(d_));
        std::iota(columns.begin(), columns.end(), Index(0));
        return true;
    }
    const double* on(const std::vector<Index>&) { return Q_; }

   private:
    const double* Q_;
    Index d_;
};

// A part of Q, on the coordinates that the region lets in.
struct FreePart {
    Index most;
    std::vector<double> H;

    // False where there are none, or too many to be solved for together.
    bool choose(Region& region, const std::vector<double>& g, const std::vector<double>& x, std::vector<Index>& columns) const {
        columns.clear();
        region.free(g, x, columns);
        return !columns.empty() && static_cast<Index>(columns.size()) <= most;
    }
    const double* finite() const { return all_finite(H.data(), H.size()) ? H.data() : nullptr; }
};

class SomeOfMatrix : public FreePart {
   public:
    SomeOfMatrix(const double* Q, Index d, Index most) : FreePart{most, {}}, Q_(Q), d_(d) {}
    void product(const double* x, double* z) const { algebra::combine(Q_, d_, d_, d_, x, z); }  // it is symmetric
    const double* on(const std::vector<Index>& columns) {
        const std::size_t m = columns.size();
        H.resize(m * m);
        for (std::size_t a = 0; a < m; a++)
            for (std::size_t b = 0; b < m; b++) H[a * m + b] = Q_[columns[a] * d_ + columns[b]];
        return finite();
    }

   private:
    const double* Q_;
    Index d_;
};

// F'F + diag(D); no d x d matrix is made.
template <class Design>
class FactorsAndDiagonal : public FreePart {
   public:
    FactorsAndDiagonal(Design F, const double* D, Index most) : FreePart{most, {}}, F_(F), D_(D) { image_.resize(at(F.n)); }
    void product(const double* x, double* z) {
        F_.product(x, image_.data());
        F_.adjoint(image_.data(), z);
        for (Index j = 0; j < F_.d; j++) z[j] += D_[j] * x[j];
    }
    const double* on(const std::vector<Index>& columns) {
        const std::size_t m = columns.size(), k = at(F_.n);
        B_.resize(k * m), H.assign(m * m, 0.0), scratch_.resize(m);
        for (std::size_t a = 0; a < m; a++) F_.column(columns[a], 1.0, B_.data() + a * k);
        algebra::add_square(static_cast<Index>(m), F_.n, B_.data(), H.data(), scratch_.data());
        for (std::size_t a = 0; a < m; a++) {
            H[a * m + a] += D_[columns[a]];
            for (std::size_t b = 0; b < a; b++) H[b * m + a] = H[a * m + b];
        }
        return finite();
    }

   private:
    Design F_;
    const double* D_;
    std::vector<double> image_, B_, scratch_;
};

}  // namespace greedyhull
