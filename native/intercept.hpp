// What an intercept that follows the weights takes away from a Hessian.
#pragma once

#include <cstddef>
#include <vector>

#include "scratch.hpp"

namespace greedyhull {

constexpr double BLURRED = 1e-4;  // of a Hessian's diagonal: where an intercept leaves less, Python goes on
constexpr double SEVERAL = 8.0;   // rows that bend, at least, for that to be rounding

// out <- H - xx'/total with x = Z'c and total = sum c, for H = Z' diag(c) Z. False where a mean far above the spread leaves
// rounding only; of a few rows that bend, little may be left indeed.
template <class Columns>
bool take_intercept(const Numbers& H, Columns& Z, Span<const double> c, std::vector<double>& x, Numbers& out) {
    const std::size_t m = x.size();
    double total = 0.0, squares = 0.0;
    for (Index i = 0; i < c.size; i++) total += c[i], squares += c[i] * c[i];
    const bool many = total * total > SEVERAL * squares;
    out = H;
    Z.adjoint(c.data, x.data());
    if (!(total > 0.0)) return true;
    for (std::size_t a = 0; a < m; a++) {
        for (std::size_t b = 0; b < m; b++) out[a * m + b] -= x[a] * x[b] / total;
        if (many && out[a * m + a] < BLURRED * H[a * m + a]) return false;
    }
    return true;
}

}  // namespace greedyhull
