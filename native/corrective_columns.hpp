// Which columns a round of the corrective solver works on: the best ones join, and where too many wait in vain, these leave.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "corrective.hpp"

namespace greedyhull {

// Let the best columns join; where too many wait in vain, those leave first. Says whether any are new.
template <class D>
bool Corrective<D>::join(double gap, bool early) {
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
template <class D>
Index Corrective<D>::keen(double gap) const {
    Index count = 0;
    for (Index j = 0; j < X_.d; j++) count += place_[static_cast<std::size_t>(j)] < 0 && promise(j) > -here_ + KEEN * gap;
    return count;
}

// The best columns above `enough`, `room` at most: of all of them, or of those that are not working yet.
template <class D>
void Corrective<D>::pick(bool all, double enough, Index room) {
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

template <class D>
void Corrective<D>::leave() {
    std::vector<Index> stay;
    for (std::size_t a = 0; a < u.size(); a++) {
        place_[static_cast<std::size_t>(columns[a])] = -1;
        if (u[a] != 0.0) stay.push_back(static_cast<Index>(a));
    }
    const std::size_t old = u.size(), m = stay.size();
    if (has_hessian && H.size() == old * old) {
        Numbers less(m * m);
        for (std::size_t a = 0; a < m; a++)
            for (std::size_t b = 0; b < m; b++)
                less[a * m + b] = H[static_cast<std::size_t>(stay[a]) * old + static_cast<std::size_t>(stay[b])];
        H.swap(less);
    }
    for (std::size_t a = 0; a < m; a++) {
        columns[a] = columns[static_cast<std::size_t>(stay[a])], u[a] = u[static_cast<std::size_t>(stay[a])];
        place_[static_cast<std::size_t>(columns[a])] = static_cast<Index>(a);
    }
    columns.resize(m), u.resize(m);
    if (m == 0) has_hessian = false;
}

}  // namespace greedyhull
