// The numbers that the rounds of the corrective solver decide by; docs/numbers.md says why they are what they are.
#pragma once

#include "arrays.hpp"

namespace greedyhull {

constexpr double EARLY = 0.03;        // of the value: above such a gap the best columns join whatever they promise
constexpr double PROMISING = 0.05;    // of the gap: what a column must promise, later, to join
constexpr double KEEN = 0.3;          // of the gap: a column that promises so much will be needed
constexpr double INNER = 0.1;         // of the gap: to what the working columns are solved for in a round
constexpr double EXACT = 1e-6;        // of the gap: to what a quadratic in few weights is, which costs no more than roughly
constexpr double ROUGH = 0.003;       // the same in many
constexpr double ROUGH_STEP = 0.03;   // the same of a Newton step in many: the next step mends what is left
constexpr double FINEST = 1e-10;      // the same where all columns are worked on, and no others are to come
constexpr double AIMED = 0.03;        // of the gap that is asked for: closer is of no use there
constexpr Index CHEAP = 20000;        // rows times weights: so few are reweighted exactly as well
constexpr double SLOW = 0.3;          // of the last gap: where a round leaves more, rows are sampled no longer
constexpr double DECREASE = 0.25;     // of what its slope promises, a step must do
constexpr double STALE = 0.1;         // by which share a row's curvature may move before the Hessian follows
constexpr Index CROWDED = 3;          // times as many columns as have weight or may join: then those without weight leave
constexpr Index CROWDED_STEP = 1;     // the same where each Newton step makes the Hessian of all of them anew
constexpr Index SAMPLE = 8;           // one row in so many makes the Hessian, early
constexpr Index A_ROW_EACH = 10;      // times as many rows as columns must be left in a sample
constexpr Index MANY_ROWS = 4000;     // fewer than this are never sampled
constexpr Index GROW_FROM = 16000;    // rows: of so many, a part is solved for first
constexpr double GROWN = 0.03;        // of the value at zero: to what it is, about what a part can tell
constexpr Index GROW_ROUNDS = 30;     // at most
constexpr double STEADY = 1e-4;       // of the mean curvature: added where few rows bend
constexpr double REST = 1e-14;        // of the budget: less than this is rounding
constexpr int TRIES = 12;             // shorter steps, before a round gives up

}  // namespace greedyhull
