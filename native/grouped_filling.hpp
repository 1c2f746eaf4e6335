// Weights with upper bounds, a given sum, and caps on the sums of groups, as kernels/grouped_filling.py: what is filled first, up to
// which gradient each group takes weights, and the nearest such weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace greedyhull {

constexpr double GROUP_NEAR = 1e-12;   // a sum that is off by a smaller share of it is put right in one coordinate
constexpr double ROOM_NEAR = 1e-13;    // caps that miss the total by a smaller share are off by rounding
constexpr int GROUP_HALVINGS = 120;    // of an interval of levels: more than a double has bits

struct Caps {
    Span<const double> high;
    Span<const Index> of;  // the group of each coordinate
    Span<const double> room;
};

// The numbers of coordinates in the order of g, of equal ones the first first: mostly a few are asked for.
class InOrder {
   public:
    void begin(const double* g, Index d) {
        heap_.resize(static_cast<std::size_t>(d));
        for (Index j = 0; j < d; j++) heap_[static_cast<std::size_t>(j)] = {g[j], j};
        std::make_heap(heap_.begin(), heap_.end(), later);
    }
    bool next(Index& j) {
        if (heap_.empty()) return false;
        j = heap_.front().second;
        std::pop_heap(heap_.begin(), heap_.end(), later);
        heap_.pop_back();
        return true;
    }

   private:
    using Entry = std::pair<double, Index>;
    std::vector<Entry> heap_;
    static bool later(const Entry& a, const Entry& b) {
        return a.first > b.first || (a.first == b.first && a.second > b.second);
    }
};

class GroupFilling {
   public:
    std::vector<double> level;  // of each group: the gradient at which it is full, the price of the sum where it never is before

    // The price of the sum, and `level`.
    double levels(const double* g, const Caps& caps, double total) {
        const std::size_t m = static_cast<std::size_t>(caps.room.size);
        left_.assign(caps.room.data, caps.room.data + m), used_.assign(m, 0.0), level.assign(m, 0.0), seen_.assign(m, 0);
        order_.begin(g, caps.high.size);
        double filled = 0.0, price = 0.0;
        for (Index j; order_.next(j);) {
            const std::size_t k = static_cast<std::size_t>(caps.of[j]);
            const double take = std::min(std::max(left_[k], 0.0), caps.high[j]);
            left_[k] -= caps.high[j], filled += take, price = g[j];
            if (take > 0.0 || (!seen_[k] && !(caps.room.data[k] > 0.0))) used_[k] += take, level[k] = g[j], seen_[k] = 1;
            if (filled >= total * (1.0 - GROUP_NEAR)) break;
        }
        for (std::size_t k = 0; k < m; k++)
            if (!seen_[k] || !(used_[k] >= caps.room.data[k] * (1.0 - GROUP_NEAR))) level[k] = price;
        return price;
    }

    // <g, x> less its least value over the set with this sum.
    double gap(const double* g, const double* x, const Caps& caps, double total) {
        const double price = levels(g, caps, total);
        left_.assign(caps.room.data, caps.room.data + caps.room.size);
        double gap = 0.0;
        for (Index j = 0; j < caps.high.size; j++) {
            const std::size_t k = static_cast<std::size_t>(caps.of[j]);
            const double slope = g[j] - level[k];
            gap += std::max(slope * x[j], slope * (x[j] - caps.high[j])), left_[k] -= x[j];
        }
        for (std::size_t k = 0; k < left_.size(); k++) gap += (price - level[k]) * left_[k];
        return gap;
    }

    // x <- the point of the set nearest to it; where rounding is all that is off, zeros stay zeros.
    void nearest(double* x, const Caps& caps, double total) {
        const Index d = caps.high.size;
        double off = 0.0;
        near_.resize(static_cast<std::size_t>(d));
        for (Index j = 0; j < d; j++) {
            near_[at(j)] = std::min(std::max(x[j], 0.0), caps.high[j]);
            off = std::max(off, std::fabs(near_[at(j)] - x[j]));
        }
        double short_of = rest(caps, total);
        for (double room : left_) off = std::max(off, -room);
        if (!(std::max(off, std::fabs(short_of)) <= GROUP_NEAR * total)) {
            cut(x, caps, total);
            short_of = rest(caps, total);
        }
        put_right(caps, short_of);
        std::copy(near_.begin(), near_.end(), x);
    }

    // The vertex that is filled in the order of g: its places, ascending, and entries; -1 where the caps leave too little room. Parts
    // of a cap of at most `least` are dropped. Sums are kept in more digits: there are many of them.
    Index vertex(const double* g, const Caps& caps, double total, double least, Index* places, double* entries) {
        const Index d = caps.high.size;
        before_.assign(static_cast<std::size_t>(caps.room.size), 0.0L);
        order_.begin(g, d);
        long double used = 0.0L;
        found_.clear();
        for (Index j; static_cast<double>(used) < total && order_.next(j);) {
            const long double high = caps.high[j];
            if (!(high > 0.0L)) continue;
            long double& before = before_[at(caps.of[j])];
            const long double allowed = std::min(std::max(caps.room[caps.of[j]] - before, 0.0L), high);
            const double entry = static_cast<double>(std::min(std::max(total - used, 0.0L), allowed));
            before += high, used += allowed;
            if (entry > 0.0 && (entry == static_cast<double>(allowed) || entry > least)) found_.emplace_back(j, entry);
        }
        if (static_cast<double>(used) < total * (1.0 - ROOM_NEAR)) return -1;
        std::sort(found_.begin(), found_.end());
        for (std::size_t i = 0; i < found_.size(); i++) places[i] = found_[i].first, entries[i] = found_[i].second;
        return static_cast<Index>(found_.size());
    }

   private:
    InOrder order_;
    std::vector<double> left_, used_, near_, low_, top_, sums_;
    std::vector<char> seen_;
    std::vector<long double> before_;
    std::vector<std::pair<Index, double>> found_;

    static std::size_t at(Index j) { return static_cast<std::size_t>(j); }

    // What near_ leaves of the total, and left_ of each group's room.
    double rest(const Caps& caps, double total) {
        left_.assign(caps.room.data, caps.room.data + caps.room.size);
        double off = total;
        for (Index j = 0; j < caps.high.size; j++) off -= near_[at(j)], left_[at(caps.of[j])] -= near_[at(j)];
        return off;
    }

    // near_ with the sum put right in one coordinate, if one has room for that within its group.
    void put_right(const Caps& caps, double off) {
        for (Index k = 0; k < caps.room.size; k++) {
            if (!(left_[at(k)] < 0.0)) continue;  // over by rounding
            Index place = -1;
            for (Index j = 0; j < caps.high.size; j++)
                if (caps.of[j] == k && (place < 0 || near_[at(j)] > near_[at(place)])) place = j;
            if (place < 0) continue;
            const double change = std::max(left_[at(k)], -near_[at(place)]);
            near_[at(place)] += change, off -= change, left_[at(k)] -= change;
        }
        if (off == 0.0) return;
        Index place = 0;
        double most = -INFINITY;
        for (Index j = 0; j < caps.high.size; j++) {
            const double here = near_[at(j)], up = std::min(caps.high[j] - here, left_[at(caps.of[j])]);
            const double way = off > 0.0 ? std::min(here, up) : here;
            if (way > most) place = j, most = way;
        }
        if (std::fabs(off) <= most) near_[at(place)] += off;
    }

    // sums_ <- those over groups of x less a level each, within the bounds.
    void sums_at(const double* x, const Caps& caps, const std::vector<double>& levels) {
        sums_.assign(at(caps.room.size), 0.0);
        for (Index j = 0; j < caps.high.size; j++)
            sums_[at(caps.of[j])] += std::min(std::max(x[j] - levels[at(caps.of[j])], 0.0), caps.high[j]);
    }

    // near_ <- x less one level for all, or that of its group where this is full, by halving.
    void cut(const double* x, const Caps& caps, double total) {
        double least = INFINITY, most = -INFINITY;
        for (Index j = 0; j < caps.high.size; j++) least = std::min(least, x[j] - caps.high[j]), most = std::max(most, x[j]);
        const std::size_t m = at(caps.room.size);
        const double top = most;
        for (int k = 0; k < GROUP_HALVINGS; k++) {
            const double middle = 0.5 * (least + most);
            if (!(least < middle && middle < most)) break;
            sums_at(x, caps, std::vector<double>(m, middle));
            double all = 0.0;
            for (std::size_t i = 0; i < m; i++) all += std::min(sums_[i], caps.room.data[i]);
            (all > total ? least : most) = middle;
        }
        low_.assign(m, most), top_.assign(m, top);
        sums_at(x, caps, low_);
        std::vector<char> full(m);
        bool any = false;
        for (std::size_t i = 0; i < m; i++) full[i] = sums_[i] > caps.room.data[i], any |= full[i] != 0;
        std::vector<double> middles(m);
        for (int k = 0; k < GROUP_HALVINGS && any; k++) {
            for (std::size_t i = 0; i < m; i++) middles[i] = 0.5 * (low_[i] + top_[i]);
            sums_at(x, caps, middles);
            for (std::size_t i = 0; i < m; i++)
                if (full[i]) (sums_[i] > caps.room.data[i] ? low_[i] : top_[i]) = middles[i];
        }
        for (Index j = 0; j < caps.high.size; j++) {
            const std::size_t k = at(caps.of[j]);
            near_[at(j)] = std::min(std::max(x[j] - (full[k] ? top_[k] : most), 0.0), caps.high[j]);
        }
    }
};

}  // namespace greedyhull
