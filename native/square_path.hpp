// Least squares over budgets of many radii: the points of the path sum |v_j| = r, followed from kink to kink.
//
// At a point of the path all active columns have the same price, g_a = -s_a price, and no other has a higher one. As r grows
// they move along H_AA^-1 s; at a kink a column joins or leaves. Only columns that wait are watched on the way. At the end the
// whole gradient is looked at: what was overlooked, or is rounding, is the drift, taken for part of the linear term and worked
// off on the way to the next radius. Whatever was overlooked, the gap is that of the point itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "budget_qp.hpp"
#include "square_data.hpp"

namespace greedyhull {

constexpr Index ALL = 160;           // columns: so few wait together
constexpr Index BATCH = 20;          // columns that may join at a look, at least
constexpr double PAUSE = 0.7;        // of the price: when it has fallen so far, the whole gradient is looked at
constexpr double NEAR = 0.5;         // of the price: columns that are worth less do not wait
constexpr double SPARE = 0.5;         // of the fall of the price that is expected: columns that would catch up with it wait
constexpr Index WAITING_SHARE = 3;         // times as many columns as are active or new: then those that wait in vain leave
constexpr double SAME = 1e-10;       // of the price: a drift below is rounding
constexpr double NOTHING = 1e-13;    // of the first price: the same
constexpr double LEAST_PRICE = 1e-7;        // of the first price: below it, a point inside the budget is good enough
constexpr double LEAP = 0.5;          // of the gap that is wanted: where a step past kinks would leave no more, it is made
constexpr Index STILL = 50;           // kinks without a step: then they lead nowhere
constexpr Index LOOKS = 4;           // at one radius, before a quadratic program is solved
constexpr Index PROGRAM = 1000;       // columns that such a program may have
constexpr Index ROUNDS = 60;         // of these

class SquarePath : public SquareTrail {
   public:
    std::vector<Index> columns;  // those that wait
    std::vector<double> v;       // their coordinates

    SquarePath(std::unique_ptr<SquareData> data, bool positive) : data_(std::move(data)), positive_(positive) {
        size = data_->d, f0 = data_->f0;
        reset();
    }

    void each(const std::function<void(Index, double)>& take) const override {
        for (std::size_t a = 0; a < v.size(); a++)
            if (v[a] != 0.0) take(columns[a], v[a]);
    }

    SquareStage to(double r, double tol, bool lazy, const std::function<bool()>& asked) override {
        if (r < NEAR * norm_) reset();  // else the path is followed back
        if (norm_ > 0.0 && norm_ <= r && (lazy || price_ <= LEAST_PRICE * first)) {
            const SquareStage stays = seen(r);
            if (stays.gap <= (lazy ? LEAP : 1.0) * tol * stays.lost) return stays;
        }
        double last = INFINITY, best = INFINITY;
        Index vain = 0;
        if (norm_ > 0.0) settle(r);
        for (Index looks = 0, idle = 0; idle <= ROUNDS && looks < 10 * ROUNDS; looks++) {
            if ((idle >= LOOKS || !(price_ > 0.0)) && waiting() > PROGRAM) return seen(r);
            const bool solved = idle >= LOOKS || !(price_ > 0.0);
            if (solved)
                solve(r, tol);
            else if ((looks > 0 || !leap(r, tol)) && !walk(r, asked))
                idle = LOOKS;
            within(r);
            look();
            const SquareStage stage = seen(r);
            const bool here = norm_ >= 0.998 * r || price_ <= LEAST_PRICE * first;
            const bool fits = stage.value <= tol * stage.lost;  // more of the radius would be of no use
            if (((here || fits) && stage.gap <= tol * stage.lost) || asked()) return stage;
            vain = stage.gap <= 0.9 * best ? 0 : vain + (here || solved);
            best = std::min(best, stage.gap);
            if (vain > 5) return stage;
            settle(r);
            if (here) idle = idle < LOOKS && !(stage.gap < 0.5 * last) ? LOOKS : idle + 1, last = stage.gap;
        }
        return seen(r);
    }

   private:
    std::unique_ptr<SquareData> data_;
    bool positive_, drifts_ = false;
    std::vector<Index> place_, active_, spot_;  // where a column waits; who is active, by place; where in that list, or -1
    std::vector<Index> near_;                    // who may join before the next look, by place
    std::vector<double> g_, c_, drift_, H_, sign_, x_, y_, speed_, rate_, row_, to_;
    std::vector<char> barred_;  // columns that depend on the active ones
    Index room_ = 0;
    SquareFactor factor_;
    BudgetQP qp_;
    double price_ = 0.0, norm_ = 0.0, pause_ = PAUSE, enough_ = 0.0;

    Index waiting() const { return static_cast<Index>(columns.size()); }
    double worth(double g) const { return positive_ ? std::max(-g, 0.0) : std::fabs(g); }
    double dearest() const {
        double most = 0.0;
        for (double g : g_) most = std::max(most, worth(g));
        return most;
    }

    void reset() {
        columns.clear(), v.clear(), active_.clear(), sign_.clear(), spot_.clear(), c_.clear(), drift_.clear(), barred_.clear();
        place_.assign(at(data_->d), -1);
        data_->keep({});
        factor_.clear();
        g_ = data_->g0, drifts_ = false, norm_ = 0.0, pause_ = PAUSE, price_ = first = dearest();
        near_.clear(), enough_ = NEAR * price_;
        wait(enough_, BATCH);
    }

    void look() {
        data_->look(columns, v, g_.data());
        double slope = 0.0;
        norm_ = 0.0;
        for (std::size_t a = 0; a < v.size(); a++) norm_ += std::fabs(v[a]), slope += v[a] * g_[at(columns[a])];
        price_ = norm_ > 0.0 ? std::max(-slope / norm_, 0.0) : dearest();  // that of the mean active column
    }

    // Rounding, or a walk that ended early, must not leave the budget.
    void within(double r) {
        double used = 0.0;
        for (double x : v) used += std::fabs(x);
        if (used > r)
            for (double& x : v) x *= r / used;
    }

    SquareStage seen(double r) const {
        double linear = 0.0, slope = 0.0;
        for (std::size_t a = 0; a < columns.size(); a++)
            linear += v[a] * data_->g0[at(columns[a])], slope += v[a] * g_[at(columns[a])];
        return stage_of(linear, slope, dearest(), norm_, r);
    }

    // Before a walk to radius r: who may join on the way waits, and what differs from the path is drift.
    void settle(double r) {
        double total = 0.0;
        for (double q : factor_.q) total += q * q;
        const double fall = total > 0.0 ? std::max(r - norm_, 0.0) / total : 0.0;
        enough_ = std::max(price_ - SPARE * fall, NEAR * price_);
        wait(enough_, std::max<Index>(BATCH, static_cast<Index>(active_.size()) / 4));
        const double least = std::max(SAME * price_, NOTHING * first);
        drifts_ = false;
        for (Index a = 0; a < waiting(); a++) {
            const double g = g_[at(columns[at(a)])];
            const double path = spot_[at(a)] >= 0 ? -sign_[at(spot_[at(a)])] * price_
                                                  : std::clamp(g, -price_, positive_ ? INFINITY : price_);
            drift_[at(a)] = std::fabs(g - path) > least ? g - path : 0.0, c_[at(a)] = path;
            drifts_ = drifts_ || drift_[at(a)] != 0.0;
        }
        pause_ = drifts_ ? PAUSE : 0.6 * pause_;  // where nothing was overlooked, the next look comes later
        std::fill(barred_.begin(), barred_.end(), 0);
    }

    // Let columns wait that are worth `enough`, the best of them where these are too many.
    void wait(double enough, Index least) {
        std::vector<std::pair<double, Index>> found;
        const bool all = data_->d <= ALL;
        for (Index j = 0; j < data_->d; j++)
            if (place_[at(j)] < 0 && (all || worth(g_[at(j)]) >= enough)) found.push_back({-worth(g_[at(j)]), j});
        const std::size_t most = static_cast<std::size_t>(all ? data_->d : least);
        if (found.size() > most) std::nth_element(found.begin(), found.begin() + static_cast<long>(most), found.end()), found.resize(most);
        if (found.empty()) return;
        if (!all) leave(enough);
        std::sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.second < b.second; });
        const Index kept = waiting();
        for (const auto& one : found) {
            place_[at(one.second)] = waiting();
            columns.push_back(one.second), v.push_back(0.0), spot_.push_back(-1), drift_.push_back(0.0), barred_.push_back(0);
            c_.push_back(g_[at(one.second)]);
        }
        if (waiting() > room_) widen(kept);
        data_->join(columns, kept, H_.data(), room_);
        for (Index a = kept; a < waiting(); a++)
            for (Index b = 0; b < kept; b++) H_[at(b * room_ + a)] = H_[at(a * room_ + b)];
    }

    void widen(Index kept) {
        const Index room = std::max<Index>(waiting(), std::min<Index>(data_->d, 2 * room_ + BATCH));
        std::vector<double> wide(at(room * room));
        for (Index a = 0; a < kept; a++) std::copy_n(H_.data() + a * room_, kept, wide.data() + a * room);
        H_.swap(wide), room_ = room;
    }

    // Where most wait in vain, only the active ones and those worth `enough` stay.
    void leave(double enough) {
        std::vector<Index> stay;
        for (Index a = 0; a < waiting(); a++) stay.push_back(spot_[at(a)] >= 0 || worth(g_[at(columns[at(a)])]) >= enough);
        if (waiting() < WAITING_SHARE * std::max<Index>(BATCH, std::count(stay.begin(), stay.end(), 1))) return;
        stay.clear();
        for (Index a = 0; a < waiting(); a++) {
            const Index j = columns[at(a)];
            if (spot_[at(a)] >= 0 || worth(g_[at(j)]) >= enough)
                stay.push_back(a);
            else
                place_[at(j)] = -1;
        }
        for (std::size_t a = 0; a < stay.size(); a++) {
            const std::size_t from = at(stay[a]);
            columns[a] = columns[from], v[a] = v[from], c_[a] = c_[from], drift_[a] = drift_[from], spot_[a] = spot_[from];
            place_[at(columns[a])] = static_cast<Index>(a);
            if (spot_[a] >= 0) active_[at(spot_[a])] = static_cast<Index>(a);
            double* row = H_.data() + static_cast<Index>(a) * room_;
            const double* old = H_.data() + stay[a] * room_;
            for (std::size_t b = 0; b < stay.size(); b++) row[b] = old[stay[b]];
        }
        for (auto* x : {&v, &c_, &drift_}) x->resize(stay.size());
        columns.resize(stay.size()), spot_.resize(stay.size()), barred_.assign(stay.size(), 0);
        data_->keep(stay);
    }

    bool activate(Index a, double sign, bool force = false) {
        row_.resize(active_.size());
        for (std::size_t b = 0; b < active_.size(); b++) row_[b] = H_[at(a * room_ + active_[b])];
        if (!factor_.join(row_.data(), H_[at(a * room_ + a)], sign, 1e-10, force)) return false;
        spot_[at(a)] = static_cast<Index>(active_.size()), active_.push_back(a), sign_.push_back(sign);
        return true;
    }
    void release(Index spot) {
        const Index a = active_[at(spot)];
        if (std::find(near_.begin(), near_.end(), a) == near_.end()) near_.push_back(a);
        factor_.leave(spot);
        v[at(a)] = 0.0, spot_[at(a)] = -1;
        active_.erase(active_.begin() + spot), sign_.erase(sign_.begin() + spot);
        for (std::size_t b = at(spot); b < active_.size(); b++) spot_[at(active_[b])] = static_cast<Index>(b);
        std::fill(barred_.begin(), barred_.end(), 0);
    }

    // To radius r in one step on the active columns, past all kinks; false where that is seen not to be good enough.
    bool leap(double r, double tol) {
        if (active_.empty()) return false;
        near_.clear();
        speeds(r);
        double norm = 0.0, slope = 0.0, most = 0.0;
        to_.assign(columns.size(), 0.0);
        for (std::size_t a = 0; a < active_.size(); a++) {
            const std::size_t here = at(active_[a]);
            const double x = v[here] + speed_[here];
            to_[here] = x * sign_[a] > 0.0 ? x : 0.0;
            norm += std::fabs(to_[here]);
        }
        for (std::size_t a = 0; a < columns.size(); a++) to_[a] *= norm > r ? r / norm : 1.0, speed_[a] = to_[a] - v[a];
        data_->product(columns, speed_, H_.data(), room_, rate_.data());
        for (std::size_t a = 0; a < columns.size(); a++) {
            const double g = c_[a] + drift_[a] + rate_[a];
            slope += to_[a] * g, most = std::max(most, worth(g));
        }
        if (!(slope + r * most <= LEAP * tol * seen(r).lost)) return false;
        for (Index a = static_cast<Index>(active_.size()) - 1; a >= 0; a--)
            if (to_[at(active_[at(a)])] == 0.0) release(a);
        v = to_;
        return true;
    }

    struct Kink {
        double time;
        Index column;  // by its place among those that wait; -1: none
        int what;      // -1, +1: it joins with this sign; 0: it leaves
    };

    // From kink to kink to radius r, or to where the price has fallen so far that somebody should look; false where it gets stuck.
    bool walk(double r, const std::function<bool()>& asked) {
        const double pause = price_ > LEAST_PRICE * first && waiting() < data_->d ? pause_ * price_ : 0.0;
        Index still = 0;
        gather();
        for (Index k = 0; k < 8 * (waiting() + 8); k++) {
            if (active_.empty() && !begin()) return false;
            const double by = speeds(r);
            Kink next = first_kink(by);
            const bool low = price_ + next.time * by < pause;
            if (low) next = {(pause - price_) / by, -1, 0};
            if (!(next.time >= 0.0)) return false;  // not a number
            move(next.time, by);
            if (next.column < 0 || asked()) return true;
            if (next.what == 0)
                release(spot_[at(next.column)]);
            else if (!activate(next.column, next.what) && !exchange(next.column, next.what))
                barred_[at(next.column)] = 1;
            still = next.time > 0.0 ? 0 : still + 1;
            if (still > STILL) return false;
        }
        return true;
    }

    // The columns that may join before the next look.
    void gather() {
        near_.clear();
        for (Index a = 0; a < waiting(); a++)
            if (spot_[at(a)] < 0 && (data_->d <= ALL || worth(c_[at(a)]) >= enough_)) near_.push_back(a);
    }

    // A column that depends on the active ones takes the place of the one that first has no weight left: along the way neither
    // the gradient changes nor what is used of the budget.
    bool exchange(Index a, double sign) {
        factor_.dependence(x_);
        double most = INFINITY;
        Index goes = -1;
        for (std::size_t b = 0; b < active_.size(); b++) {
            const double room = v[at(active_[b])] / (sign * x_[b]);
            if (room >= 0.0 && room < most) most = room, goes = static_cast<Index>(b);
        }
        if (goes < 0) return false;
        for (std::size_t b = 0; b < active_.size(); b++) v[at(active_[b])] -= most * sign * x_[b];
        release(goes);
        if (!activate(a, sign, true)) return false;
        v[at(a)] = most * sign;
        return true;
    }

    bool begin() {
        Index best = -1;
        for (Index a = 0; a < waiting(); a++)
            if (!barred_[at(a)] && worth(c_[at(a)]) > 0.0 && (best < 0 || worth(c_[at(a)]) > worth(c_[at(best)]))) best = a;
        if (best < 0) return false;
        const bool taken = activate(best, c_[at(best)] < 0.0 ? 1.0 : -1.0);
        barred_[at(best)] = !taken;
        return taken;
    }

    // How fast everything moves if radius r is to be reached, and the drift gone, at time one; returns the speed of the price.
    double speeds(double r) {
        const std::size_t k = active_.size();
        x_ = factor_.q, y_.assign(k, 0.0);
        double gives = 0.0, shifts = 0.0, used = 0.0;
        for (double q : factor_.q) gives += q * q;
        if (drifts_) {
            for (std::size_t a = 0; a < k; a++) y_[a] = drift_[at(active_[a])];
            factor_.forth(y_.data());
            for (std::size_t a = 0; a < k; a++) shifts += factor_.q[a] * y_[a];
        }
        for (std::size_t a = 0; a < k; a++) used += sign_[a] * v[at(active_[a])];
        const double by = -(r - used + shifts) / gives;
        for (std::size_t a = 0; a < k; a++) x_[a] = -by * x_[a] - y_[a];
        factor_.back(x_.data());
        speed_.assign(columns.size(), 0.0);
        for (std::size_t a = 0; a < k; a++) speed_[at(active_[a])] = x_[a];
        rate_.resize(columns.size());
        data_->rates(columns, near_, speed_, H_.data(), room_, rate_.data());
        if (drifts_)
            for (const Index a : near_) rate_[at(a)] += drift_[at(a)];
        return by;
    }

    Kink first_kink(double by) const {
        Kink next{1.0, -1, 0};
        if (price_ + by < 0.0) next.time = std::max(price_ / -by, 0.0);  // no price is left: the budget is not wanted
        for (std::size_t k = 0; k < active_.size(); k++) {
            const double x = v[at(active_[k])], speed = speed_[at(active_[k])];
            if (speed * sign_[k] < 0.0 && -x / speed < next.time) next = {std::max(-x / speed, 0.0), active_[k], 0};
        }
        for (const Index a : near_) {
            const double c = c_[at(a)], rate = rate_[at(a)];
            if (spot_[at(a)] < 0 && !barred_[at(a)]) {
                const double up = rate - by, down = -rate - by;
                if (!positive_ && up > 0.0 && (price_ - c) < next.time * up) next = {std::max((price_ - c) / up, 0.0), a, -1};
                if (down > 0.0 && (price_ + c) < next.time * down) next = {std::max((price_ + c) / down, 0.0), a, 1};
            }
        }
        return next;
    }

    void move(double time, double by) {
        price_ = std::max(price_ + time * by, 0.0);
        for (const Index a : near_)
            if (spot_[at(a)] < 0) c_[at(a)] += time * rate_[at(a)];
        for (std::size_t a = 0; drifts_ && a < columns.size(); a++) drift_[a] *= 1.0 - time;
        for (std::size_t a = 0; a < active_.size(); a++) {
            const std::size_t here = at(active_[a]);
            v[here] += time * speed_[here], c_[here] = -sign_[a] * price_;
            if (v[here] * sign_[a] < 0.0) v[here] = 0.0;
        }
    }

    // Where kinks lead nowhere: the quadratic program on all columns that wait, in shares of the radius.
    void solve(double r, double tol) {
        const std::size_t m = columns.size();
        std::vector<double> H(m * m);
        for (std::size_t a = 0; a < m; a++)
            for (std::size_t b = 0; b < m; b++) H[a * m + b] = r * H_[a * at(room_) + b] * r;
        qp_.u = v, qp_.g.resize(m);
        for (std::size_t a = 0; a < m; a++) qp_.u[a] /= r, qp_.g[a] = r * g_[at(columns[a])];
        const SquareStage stage = seen(r);
        qp_.solve(Budget{positive_, false}, static_cast<Index>(m), H.data(), std::max(0.3 * tol * stage.lost, 1e-3 * stage.gap));
        factor_.clear(), active_.clear(), sign_.clear(), std::fill(spot_.begin(), spot_.end(), -1);
        for (std::size_t a = 0; a < m; a++) {
            v[a] = r * qp_.u[a];
            if (v[a] != 0.0 && !activate(static_cast<Index>(a), v[a] > 0.0 ? 1.0 : -1.0, true)) v[a] = 0.0;
        }
    }
};

}  // namespace greedyhull
