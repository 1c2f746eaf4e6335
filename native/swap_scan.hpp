// The two coordinates of the next swap in a budget: where a unit of weight is worth most, and where it is worth least. A swap
// is one pass over the gradient, so the search for the next one rides on the update of the last.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "algebra.hpp"

namespace greedyhull {

#if defined(__GNUC__)
#define GREEDYHULL_LARGER(a, b) ((a) > (b) ? (a) : (b))
#else
inline algebra::Four larger(algebra::Four a, const algebra::Four& b) {
    for (Index k = 0; k < algebra::LANES; k++) a.x[k] = a.x[k] > b.x[k] ? a.x[k] : b.x[k];
    return a;
}
#define GREEDYHULL_LARGER(a, b) larger(a, b)
#endif

constexpr Index SWAP_BLOCK = 64;  // entries that share a maximum; the entry itself is then looked for in one block

// G <- G + a p - b q, and the maxima of each block: tops of max(-G, both G), owns of side G + bar. A coordinate without weight
// has side 0 and bar minus infinity. Lengths are multiples of four; what is not there is padded.
GREEDYHULL_CLONES inline void swap_pass(Index m, double a, const double* p, double b, const double* q, double* G, double both,
                                        const double* side, const double* bar, double* tops, double* owns) {
    using namespace algebra;
    const double none = -INFINITY;
    const double lowest[LANES] = {none, none, none, none};
    for (Index from = 0, k = 0; from < m; from += SWAP_BLOCK, k++) {
        const Index to = std::min(from + SWAP_BLOCK, m);
        Four top = GREEDYHULL_LOAD(Doubles, lowest), own = top;
        Index i = from;
        for (; i + LANES <= to; i += LANES) {
            Four g = GREEDYHULL_LOAD(Doubles, G + i);
            g = g + (a * GREEDYHULL_LOAD(Doubles, p + i) + (-b) * GREEDYHULL_LOAD(Doubles, q + i));
            GREEDYHULL_STORE(G + i, g);
            const Four down = -1.0 * g, up = both * g;
            const Four reach = GREEDYHULL_LARGER(down, up);
            top = GREEDYHULL_LARGER(reach, top);
            const Four mine = GREEDYHULL_LOAD(Doubles, side + i) * g + GREEDYHULL_LOAD(Doubles, bar + i);
            own = GREEDYHULL_LARGER(mine, own);
        }
        tops[k] = std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
        owns[k] = std::max(std::max(own[0], own[1]), std::max(own[2], own[3]));
        for (; i < to; i++) {
            const double g = G[i] += a * p[i] - b * q[i];
            const double reach = -g > both * g ? -g : both * g, mine = side[i] * g + bar[i];
            tops[k] = reach > tops[k] ? reach : tops[k], owns[k] = mine > owns[k] ? mine : owns[k];
        }
    }
}

// Keeps signs of the weights and the maxima between swaps.
class SwapScan {
   public:
    double top = 0.0, own = 0.0;  // the largest of -score, and of the scores of those with weight
    Index to = -1, from = -1;     // their coordinates, the first of several; -1 where there is none

    void begin(Index m, bool positive, const double* x, double* G) {
        m_ = m, both_ = positive ? -1.0 : 1.0;
        const auto size = static_cast<std::size_t>(m), blocks = static_cast<std::size_t>((m + SWAP_BLOCK - 1) / SWAP_BLOCK);
        side_.resize(size), bar_.resize(size), zero_.assign(size, 0.0), tops_.resize(blocks), owns_.resize(blocks);
        for (Index i = 0; i < m; i++) weigh(i, x[i]);
        pass(0.0, nullptr, 0.0, nullptr, G);
    }

    void weigh(Index i, double x) {  // the weight of i is now x
        const auto at = static_cast<std::size_t>(i);
        side_[at] = x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
        bar_[at] = x == 0.0 ? -INFINITY : 0.0;
    }

    // G <- G + a p - b q, p or q null for zero, and where the next swap leads.
    void pass(double a, const double* p, double b, const double* q, double* G) {
        swap_pass(m_, a, p ? p : zero_.data(), b, q ? q : zero_.data(), G, both_, side_.data(), bar_.data(), tops_.data(), owns_.data());
        const Index t = first(tops_, top), f = first(owns_, own);
        to = from = -1;
        if (t >= 0)
            for (Index i = t; i < m_ && to < 0; i++)
                if ((-G[i] > both_ * G[i] ? -G[i] : both_ * G[i]) == top) to = i;
        if (f >= 0)
            for (Index i = f; i < m_ && from < 0; i++)
                if (side_[static_cast<std::size_t>(i)] * G[i] + bar_[static_cast<std::size_t>(i)] == own) from = i;
    }

   private:
    Index m_ = 0;
    double both_ = 1.0;
    std::vector<double> side_, bar_, zero_, tops_, owns_;

    // Where the block with the largest maximum begins.
    static Index first(const std::vector<double>& maxima, double& most) {
        Index found = -1;
        most = -INFINITY;
        for (std::size_t k = 0; k < maxima.size(); k++)
            if (maxima[k] > most) most = maxima[k], found = static_cast<Index>(k) * SWAP_BLOCK;
        return found;
    }
};

}  // namespace greedyhull
