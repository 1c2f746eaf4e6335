// e^x for x <= 0 in plain arithmetic, so that loops over it are vectorised; std::exp is called one number at a time.
#pragma once

#include <cstdint>
#include <cstring>

#include "algebra.hpp"

namespace greedyhull {

// To about one unit in the last place; below e^-708, the least normal number, it is that number.
inline double falling_exponential(double x) {
    constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves the nearest whole number in the low bits
    constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    x = x < -708.0 ? -708.0 : x;
    const double shifted = x * 1.44269504088896340736 + magic;
    const double k = shifted - magic;
    const double r = (x - k * ln2_high) - k * ln2_low;  // |r| <= ln(2)/2, where 13 terms of the series leave 1e-17
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = (p * r) * r + r + 1.0;
    std::uint64_t power, bits;
    std::memcpy(&power, &shifted, 8);
    std::memcpy(&bits, &p, 8);
    bits += power << 52;  // times 2^k
    std::memcpy(&p, &bits, 8);
    return p;
}

// x_i <- e^x_i for x <= 0, the same bits four at a time: where the compiler sees the bound of x, it makes a branch of it and
// no vectors.
GREEDYHULL_CLONES inline void falling_exponentials(Index n, double* x) {
    Index i = 0;
#if defined(__GNUC__)
    using algebra::Four;
    typedef std::int64_t Bits __attribute__((vector_size(32)));
    constexpr double magic = 6755399441055744.0;
    constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    constexpr double terms[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
                                1.0 / 720.0,       1.0 / 120.0,      1.0 / 24.0,      1.0 / 6.0,      0.5};
    const Four least = Four{} - 708.0;
    for (; i + algebra::LANES <= n; i += algebra::LANES) {
        Four at = *reinterpret_cast<algebra::FourDoubles*>(x + i);
        at = at < least ? least : at;
        const Four shifted = at * 1.44269504088896340736 + magic, k = shifted - magic;
        const Four r = (at - k * ln2_high) - k * ln2_low;
        Four p = Four{} + 1.0 / 6227020800.0;
        for (const double term : terms) p = p * r + term;
        p = (p * r) * r + r + 1.0;
        p = reinterpret_cast<Four>(reinterpret_cast<Bits>(p) + (reinterpret_cast<Bits>(shifted) << 52));
        *reinterpret_cast<algebra::FourDoubles*>(x + i) = p;
    }
#endif
    for (; i < n; i++) x[i] = falling_exponential(x[i]);
}

}  // namespace greedyhull
