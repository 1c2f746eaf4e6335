// How a stochastic step chooses its atom: by the estimate of the gradient alone, or by values of the batch as well (Jones).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "atoms.hpp"

namespace greedyhull {

// Frank-Wolfe: the atom with the least <g, .>.
struct ByGradient {
    explicit ByGradient(Index) {}
    template <class Rows, class Terms, class Batches>
    void see(const Rows&, const Terms&, const Batches&, Index, Index, const double*) {}
    void go(const Point& p, const double* g, double eta) const { advance(p, g, eta); }
};

// Jones, for squares over atoms +-high_j e_j: the atom with the least <g, d - x> + (eta/2) |d - x|_H^2, H = A_B' P A_B of the
// batch. That is, up to what all atoms share, (eta/2) high_j^2 H_jj +- high_j (g_j - eta (Hx)_j).
struct ByValues {
    std::vector<double> pull, diagonal;  // Hx and diag H
    explicit ByValues(Index d) : pull(static_cast<std::size_t>(d)), diagonal(pull.size()) {}

    // The batch lies in [begin, end) of the draws; z are its products with x.
    template <class Rows, class Terms, class Batches>
    void see(const Rows& rows, const Terms& f, const Batches& b, Index begin, Index end, const double* z) {
        std::fill(pull.begin(), pull.end(), 0.0);
        std::fill(diagonal.begin(), diagonal.end(), 0.0);
        for (Index q = begin; q < end; q++) {
            const Index i = b.index[q];
            const double share = f.share(i) / static_cast<double>(end - begin);
            rows.spread(i, share * z[q - begin], pull.data());
            rows.spread_squares(i, share, diagonal.data());
        }
    }

    void go(const Point& p, const double* g, double eta) const {
        double least = std::numeric_limits<double>::infinity();
        Index best = 0;
        bool negative = false;
        for (Index j = 0; j < p.x.size; j++) {
            const auto at = static_cast<std::size_t>(j);
            const double high = p.high[j], lean = high * (g[j] - eta * pull[at]);
            const bool turned = p.kind == L1_BALL && lean > 0.0;
            const double score = 0.5 * eta * high * high * diagonal[at] + (turned ? -lean : lean);
            if (score < least) best = j, negative = turned, least = score;
        }
        step_to(p, best, negative, eta);
    }
};

}  // namespace greedyhull
