// The simplex with caps on groups as its coordinates see it: atoms/geometry/grouped_region.py in the core.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "grouped_qp.hpp"
#include "regions.hpp"

namespace greedyhull {

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

    static std::size_t at(Index j) { return static_cast<std::size_t>(j); }
    static double sum(const std::vector<double>& y) { return std::accumulate(y.begin(), y.end(), 0.0); }
    Caps section() const {
        return {{highs_.data(), static_cast<Index>(highs_.size())}, {groups_.data(), static_cast<Index>(groups_.size())},
                {rooms_.data(), static_cast<Index>(rooms_.size())}};
    }
};

}  // namespace greedyhull
