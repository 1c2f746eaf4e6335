// e^x for x <= 0 in plain arithmetic, so that loops over it are vectorised; std::exp is called one number at a time.
#pragma once

#include <cstdint>
#include <cstring>

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

}  // namespace greedyhull
