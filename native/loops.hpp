// The loop over rounds of any kind, and the gap at which it ends.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "arrays.hpp"

namespace greedyhull {

// Where to end: after so many rounds, or with a gap of max(absolute, relative max(|value|, floor)). `rounding` is what a gap may be
// off by where the driver has looked; who steers by the aim leaves it out.
struct Aim {
    Index rounds;
    double absolute, relative, floor, rounding;
    double lower = -INFINITY;  // what f is known to be nowhere below: the gap is no more than what the value is above it
    double gap(double value) const { return std::max(absolute, relative * std::max(std::fabs(value), floor)); }
};

constexpr Index IDLE = 5;           // rounds without progress: then rounding has the last word, and somebody else may try
constexpr double PROGRESS = 1e-12;  // by which share the value has to fall, or by a tenth the gap

struct RoundRow {  // what the trace says of a round, at its beginning
    double value, gap, seconds;
    Index atoms;
};

enum class Ending { gap, rounds, asked, stuck, lost };  // `lost`: numbers have left their range

// What was best so far, and for how many rounds nothing was better. A run is saved with it.
struct Patience {
    double best_gap = INFINITY, best_value = INFINITY;
    Index idle = 0;  // rounds since the last progress

    bool stalled(double gap, double value) {
        const bool progress = gap <= 0.9 * best_gap || value < best_value - PROGRESS * std::fabs(best_value);
        idle = progress ? 0 : idle + 1;
        if (progress) best_gap = std::min(gap, best_gap), best_value = value;
        return idle > IDLE;
    }
    double slack() const { return 0.0; }  // a gap that is as good as none, where smoothing has one
};

struct Here {  // where rounds stand
    double value, gap;
    Index atoms;
};

// Rounds from where `core` stands, after a look. Its `next(aim, asked)` is one round and the look after it, and says whether
// anything changed; `asked` is called between rounds and says whether to end.
template <class C>
Ending run_rounds(C& core, const Aim& aim, const std::function<bool()>& asked, std::vector<RoundRow>& trace) {
    const auto start = std::chrono::steady_clock::now();
    for (Index k = 0;; k++) {
        const Here here = core.here();
        if (!std::isfinite(here.gap) || !std::isfinite(here.value)) return Ending::lost;
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        trace.push_back({here.value, here.gap, seconds.count(), here.atoms});
        const double enough = aim.gap(here.value);
        if (k > 0 && std::min(here.gap, here.value - aim.lower) <= std::max(enough, core.slack())) return Ending::gap;
        if (k >= aim.rounds) return Ending::rounds;
        if (k > 0 && asked()) return Ending::asked;
        const Patience before = core;
        if (core.stalled(here.gap, here.value) || !core.next(enough, asked)) {
            static_cast<Patience&>(core) = before;  // who asks again gets the same answer, resumed or not
            return Ending::stuck;
        }
    }
}

}  // namespace greedyhull
