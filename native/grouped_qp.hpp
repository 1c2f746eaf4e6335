// Weights under caps on groups: vertices, projections, quadratics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "box_qp.hpp"
#include "polyhedral_qp.hpp"

namespace greedyhull {

// Weights with upper bounds, a given sum, and caps on the sums of groups: what is filled first, up to
// which gradient each group takes weights, and the nearest such weights.

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

// Convex quadratics over weights with upper bounds, a given sum and caps on the sums of groups. An active
// set method guesses which bounds and caps hold and corrects itself; mostly an interior point method tells it where to begin.

class GroupedQP {
   public:
    std::vector<double> x;  // before: where c is the gradient, a point of the set; after: the solution

    // The duality gap is at most tol afterwards unless rounding ends it first. The quadratic never rises.
    void solve(const double* H, const double* c, const Caps& caps, double tol, const Asked& asked) {
        H_ = H, c_ = c, m_ = caps.high.size, tol_ = tol, start_ = x;
        own_ = caps, caps_ = &own_;
        total_ = std::accumulate(x.begin(), x.end(), 0.0);
        for (auto* v : {&move_, &image_, &there_, &grad_, &bends_}) v->resize(at(m_));
        first_ = filling_.levels(c, caps, total_);
        least_ = filling_.gap(c, x.data(), caps, total_);
        if (!(tol < least_ && least_ < INFINITY)) return;
        steep_ = 0.0;
        double flat = INFINITY;
        for (Index j = 0; j < m_; j++) steep_ = std::max(steep_, H[j * m_ + j]), flat = std::min(flat, H[j * m_ + j]);
        for (Index j = 0; j < m_; j++) bends_[at(j)] = std::max(H[j * m_ + j], QP_RIDGE * steep_ + 1e-300);
        curved_ = flat > FLAT * steep_;
        sort_out();
        if (curved_ && guess() && active_set()) return;
        if (!(asked && asked())) interior(asked);
    }

   private:
    static constexpr int QUICK = 12;       // rounds of the active set method
    static constexpr double FLAT = 1e-11;  // of the largest curvature: with less, only the interior point method is used
    static constexpr double FORCED = 1e-13;  // of the total: caps that leave less of it leave no choice
    static constexpr Index MUCH = 16;      // one in so many coordinates of a first guess may be wrong
    const double *H_ = nullptr, *c_ = nullptr;
    Caps own_{};
    const Caps* caps_ = nullptr;
    Index m_ = 0;
    double tol_ = 0.0, total_ = 0.0, least_ = 0.0, first_ = 0.0, steep_ = 0.0, sum_price_ = 0.0;
    bool curved_ = false, forced_ = false;
    GroupFilling filling_;
    ScaledFactor factor_;
    std::vector<double> start_, move_, image_, there_, grad_, bends_, prices_, down_, S_, off_, columns_, sums_;
    std::vector<int> sides_, next_;    // -1 where the lower bound should hold, 1 where the upper, 0 where neither
    std::vector<char> tight_, later_;  // groups whose cap should hold
    std::vector<Index> free_, wide_, rows_;
    std::vector<Index> row_of_;  // of a tight group with free coordinates, its row after that of the sum

    Index group(Index j) const { return caps_->of[j]; }

    void image_of(const std::vector<double>& point) {
        for (Index j = 0; j < m_; j++) move_[at(j)] = point[at(j)] - start_[at(j)];
        algebra::combine(H_, m_, m_, m_, move_.data(), image_.data());
    }

    // Take a point if it is better; whether it is good enough.
    bool offer(std::vector<double> point) {
        if (!all_finite(point.data(), point.size())) return false;
        filling_.nearest(point.data(), *caps_, total_);
        image_of(point);
        double rise = 0.0;  // relative to the price of the sum, which may be large compared with what it is about
        for (Index j = 0; j < m_; j++) {
            rise += move_[at(j)] * (c_[j] - first_ + 0.5 * image_[at(j)]);
            image_[at(j)] += c_[j];
        }
        const double gap = filling_.gap(image_.data(), point.data(), *caps_, total_);
        if (gap < least_ && rise <= 0.0) x = point, least_ = gap;
        return least_ <= tol_;
    }

    // The bounds and caps that hold at the start; false where it is a vertex, which does not tell where the minimum is.
    bool guess() {
        sides_.resize(at(m_)), tight_.assign(at(caps_->room.size), 0);
        sums_.assign(tight_.size(), 0.0);
        Index between = 0, rows = 1;
        for (Index j = 0; j < m_; j++) {
            sides_[at(j)] = start_[at(j)] <= 0.0 ? -1 : start_[at(j)] >= caps_->high[j] ? 1 : 0;
            between += sides_[at(j)] == 0, sums_[at(group(j))] += start_[at(j)];
        }
        for (std::size_t k = 0; k < tight_.size(); k++)
            tight_[k] = sums_[k] > 0.0 && sums_[k] >= caps_->room.data[k] * (1.0 - GROUP_NEAR), rows += tight_[k];
        return between > rows;
    }

    // From the face that `sides_` and `tight_` name; whether a point that is good enough was found.
    bool active_set() {
        Index most = std::max<Index>(2, m_ / MUCH);
        for (int k = 0; k < QUICK; k++) {
            if (!on_face()) return false;
            const Index wrong = corrected();
            bool within = true;
            for (Index j = 0; j < m_; j++) within &= there_[at(j)] >= 0.0 && there_[at(j)] <= caps_->high[j];
            for (std::size_t i = 0; i < sums_.size(); i++) within &= sums_[i] <= caps_->room.data[i] + 1e-11 * total_;
            if ((wrong == 0 || within) && offer(there_)) return true;
            if (wrong == 0 || wrong > most) return false;
            sides_.swap(next_), tight_.swap(later_);
            most = std::min(most, std::max<Index>(wrong, 2));
        }
        return false;
    }

    // next_ and later_ <- what the signs of reduced gradients and prices at there_ ask for; how many differ.
    Index corrected() {
        next_.resize(at(m_)), later_.resize(tight_.size());
        Index wrong = 0;
        for (Index j = 0; j < m_; j++) {
            const double r = grad_[at(j)] - sum_price_ - prices_[at(group(j))], to = there_[at(j)] - r / bends_[at(j)];
            next_[at(j)] = to <= 0.0 ? -1 : to >= caps_->high[j] ? 1 : 0;
            wrong += next_[at(j)] != sides_[at(j)];
        }
        for (std::size_t k = 0; k < tight_.size(); k++) {
            later_[k] = tight_[k] ? prices_[k] <= 0.0 : sums_[k] > 0.0 && sums_[k] >= caps_->room.data[k];
            wrong += later_[k] != tight_[k];
        }
        return wrong;
    }

    // there_ <- the minimiser where coordinates and groups have the ends that were guessed, with prices and the gradient there.
    bool on_face() {
        free_.clear(), there_ = start_, row_of_.assign(tight_.size(), -1), prices_.assign(tight_.size(), 0.0);
        for (Index j = 0; j < m_; j++) {
            if (sides_[at(j)] == 0)
                free_.push_back(j);
            else
                there_[at(j)] = sides_[at(j)] > 0 ? caps_->high[j] : 0.0;
        }
        if (free_.empty() || !factor_.make(m_, H_, free_)) return false;
        image_of(there_);
        const std::size_t k = free_.size();
        Index rows = 1;
        for (Index j : free_)
            if (tight_[at(group(j))] && row_of_[at(group(j))] < 0) row_of_[at(group(j))] = rows++;
        down_.resize(k), columns_.assign(at(rows) * k, 0.0);
        for (std::size_t a = 0; a < k; a++) {
            down_[a] = -(c_[free_[a]] + image_[at(free_[a])]);
            columns_[a] = 1.0;
            if (const Index row = row_of_[at(group(free_[a]))]; row > 0) columns_[at(row) * k + a] = 1.0;
        }
        factor_.solve(down_.data());
        for (Index i = 0; i < rows; i++) factor_.solve(columns_.data() + at(i) * k);
        if (!find_prices(at(rows), k)) return false;
        for (std::size_t a = 0; a < k; a++) {
            double step = down_[a];
            for (std::size_t i = 0; i < at(rows); i++) step += off_[i] * columns_[i * k + a];
            there_[at(free_[a])] += step;
        }
        image_of(there_);
        for (Index j = 0; j < m_; j++) grad_[at(j)] = c_[j] + image_[at(j)];
        sums_.assign(tight_.size(), 0.0);
        for (Index j = 0; j < m_; j++) sums_[at(group(j))] += there_[at(j)];
        price_closed_groups();
        return all_finite(there_.data(), there_.size()) && std::isfinite(sum_price_);
    }

    // off_ <- the prices of the sum and of tight groups, so that rows are met; where rows depend on others they get what they can.
    bool find_prices(std::size_t rows, std::size_t k) {
        S_.assign(rows * rows, 0.0), off_.assign(rows, 0.0);
        std::vector<double> rest(rows, 0.0);
        rest[0] = total_;
        for (std::size_t i = 0; i < tight_.size(); i++)
            if (row_of_[i] > 0) rest[at(row_of_[i])] = caps_->room.data[i];
        const auto each = [&](Index j, auto&& what) {
            what(std::size_t(0));
            if (const Index row = row_of_[at(group(j))]; row > 0) what(at(row));
        };
        for (Index j = 0; j < m_; j++) each(j, [&](std::size_t i) { rest[i] -= there_[at(j)]; });
        for (std::size_t a = 0; a < k; a++)
            each(free_[a], [&](std::size_t i) {
                rest[i] -= down_[a];
                for (std::size_t q = 0; q < rows; q++) S_[i * rows + q] += columns_[q * k + a];
            });
        std::vector<double> scale(rows), M(rows * rows);
        for (std::size_t i = 0; i < rows; i++) {
            if (!(S_[i * rows + i] > 0.0)) return false;
            scale[i] = 1.0 / std::sqrt(S_[i * rows + i]);
        }
        for (std::size_t i = 0; i < rows; i++)
            for (std::size_t q = 0; q < rows; q++) M[i * rows + q] = i == q ? 1.0 + QP_RIDGE : S_[i * rows + q] * scale[i] * scale[q];
        if (!algebra::cholesky(static_cast<Index>(rows), M.data())) return false;
        std::vector<double> step(rows);
        for (int twice = 0; twice < 2; twice++) {  // what the ridge left is taken off
            for (std::size_t i = 0; i < rows; i++) {
                step[i] = rest[i];
                for (std::size_t q = 0; q < rows; q++) step[i] -= S_[i * rows + q] * off_[q];
                step[i] *= scale[i];
            }
            algebra::cholesky_solve(static_cast<Index>(rows), M.data(), step.data());
            for (std::size_t i = 0; i < rows; i++) off_[i] += scale[i] * step[i];
        }
        sum_price_ = off_[0];
        for (std::size_t i = 0; i < tight_.size(); i++)
            if (row_of_[i] > 0) prices_[i] = off_[at(row_of_[i])];
        if (forced_) {  // then a price may be put on the sum or on all groups alike
            double most = 0.0;
            for (const double price : prices_) most = std::max(most, price);
            for (double& price : prices_) price -= most;
            sum_price_ += most;
        }
        return true;
    }

    // Prices of tight groups without a free coordinate: the least that keep their coordinates where they are.
    void price_closed_groups() {
        for (std::size_t k = 0; k < tight_.size(); k++) {
            if (!tight_[k] || row_of_[k] > 0) continue;
            double most = INFINITY, least = -INFINITY;
            for (Index j = 0; j < m_; j++) {
                if (at(group(j)) != k) continue;
                const double cut = grad_[at(j)] - sum_price_;
                if (sides_[at(j)] < 0)
                    most = std::min(most, cut);
                else
                    least = std::max(least, cut);
            }
            prices_[k] = std::min(least <= most ? std::min(std::max(0.0, least), most) : most, 0.0);
        }
    }

    // wide_ <- coordinates that are not held at an end, rows_ <- groups whose caps can hold something back. Where all that there
    // is room for is filled, these caps are equations, and `forced_` is true.
    void sort_out() {
        const double* room = caps_->room.data;
        std::vector<double> held(at(caps_->room.size), 0.0);
        std::vector<char> holds(held.size(), 0);
        wide_.clear(), rows_.clear(), sides_.resize(at(m_)), tight_.assign(held.size(), 0);
        for (Index j = 0; j < m_; j++)
            if (caps_->high[j] > 0.0 && room[group(j)] > FORCED * total_) wide_.push_back(j), held[at(group(j))] += caps_->high[j];
        double most = 0.0;
        for (std::size_t k = 0; k < held.size(); k++) {
            holds[k] = std::min(held[k], total_) > room[k] && room[k] > FORCED * total_;
            most += holds[k] ? room[k] : held[k];
            if (holds[k]) rows_.push_back(static_cast<Index>(k));
        }
        forced_ = !(most > total_ * (1.0 + FORCED));
        if (!forced_) return;
        const auto kept = std::remove_if(wide_.begin(), wide_.end(), [&](Index j) { return !holds[at(group(j))]; });
        wide_.erase(kept, wide_.end());
    }

    void interior(const Asked& asked) {
        if (wide_.empty()) return;
        const std::size_t n = wide_.size(), q = forced_ ? 0 : rows_.size(), equations = forced_ ? rows_.size() : 1;
        std::vector<double> H(n * n), c(n), G(q * n, 0.0), E(equations * n, forced_ ? 0.0 : 1.0), e(equations, 0.0);
        std::vector<double> low(n + q, 0.0), high(n + q), here(n);
        std::vector<Index> row(tight_.size(), -1);
        for (std::size_t i = 0; i < rows_.size(); i++) row[at(rows_[i])] = static_cast<Index>(i);
        for (std::size_t i = 0; i < q; i++) low[n + i] = -INFINITY, high[n + i] = caps_->room.data[at(rows_[i])];
        algebra::combine(H_, m_, m_, m_, start_.data(), image_.data());
        for (std::size_t a = 0; a < n; a++) {
            const Index j = wide_[a], i = row[at(group(j))];
            for (std::size_t b = 0; b < n; b++) H[a * n + b] = H_[j * m_ + wide_[b]];
            c[a] = c_[j] - image_[at(j)], here[a] = start_[at(j)], high[a] = caps_->high[j];
            if (i >= 0) (forced_ ? E : G)[at(i) * n + a] = 1.0;
            e[forced_ ? at(i) : 0] += here[a];
        }
        const Index N = static_cast<Index>(n), Q = static_cast<Index>(q), R = static_cast<Index>(equations);
        RowsPath path({{H.data(), N, N}, {c.data(), N}, {G.data(), Q, N}, {E.data(), R, N}, {e.data(), R}, {low.data(), N + Q},
                       {high.data(), N + Q}}, {here.data(), N});
        path.follow(tol_, asked);
        if (!path.finite()) return;
        std::vector<double> point = start_;
        for (std::size_t a = 0; a < n; a++) point[at(wide_[a])] = path.t[a];
        for (const double sure : {1.0, 1e-2, 1e-4}) {
            if (!curved_) break;
            const double steep = steep_ / sure;
            for (Index j = 0; j < m_; j++) sides_[at(j)] = forced_ && start_[at(j)] > 0.5 * caps_->high[j] ? 1 : -1;
            tight_.assign(tight_.size(), 0);
            for (std::size_t a = 0; a < n; a++)
                sides_[at(wide_[a])] = steep * path.t[a] < path.zl[a] ? -1 : steep * (high[a] - path.t[a]) < path.zh[a] ? 1 : 0;
            for (std::size_t i = 0; i < rows_.size(); i++)
                tight_[at(rows_[i])] = forced_ || steep * (high[n + i] - path.t[n + i]) < path.zh[n + i];
            if (active_set() || (asked && asked())) return;
        }
        offer(point);
    }
};

}  // namespace greedyhull
