// The points of a hull, one in each row: dense, or compressed by row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algebra.hpp"

namespace greedyhull {

struct Points {
    const double* rows = nullptr;  // dense, contiguous; null where only entries are stored
    const Index* starts = nullptr;
    const std::int32_t* short_places = nullptr;  // one of the two, as SciPy has them
    const Index* long_places = nullptr;
    const double* entries = nullptr;
    Index count = 0, across = 0;

    bool given() const { return count > 0; }
    bool sparse() const { return rows == nullptr; }

    // f(place, entry) for what is stored of point j.
    template <class F>
    void each(Index j, F f) const {
        if (rows) {
            const double* row = rows + j * across;
            for (Index k = 0; k < across; k++) f(k, row[k]);
        } else if (short_places) {
            for (Index t = starts[j]; t < starts[j + 1]; t++) f(static_cast<Index>(short_places[t]), entries[t]);
        } else {
            for (Index t = starts[j]; t < starts[j + 1]; t++) f(long_places[t], entries[t]);
        }
    }

    double dot(Index j, const double* g) const {
        double total = 0.0;
        if (rows)
            algebra::dots(rows + j * across, across, across, 1, g, &total);
        else
            each(j, [&](Index k, double x) { total += x * g[k]; });
        return total;
    }

    // scores_j <- <point j, g>.
    void scores(const double* g, double* scores) const {
        if (rows) return algebra::dots(rows, across, across, count, g, scores);
        for (Index j = 0; j < count; j++) scores[j] = dot(j, g);
    }

    // out <- X times point j.
    template <class D>
    void image(const D& X, Index j, double* out) const {
        if (rows) return X.product(rows + j * across, out);
        std::fill(out, out + X.n, 0.0);
        each(j, [&](Index k, double x) { X.add_column(k, x, out); });
    }
};

}  // namespace greedyhull
