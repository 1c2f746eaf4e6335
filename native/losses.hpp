// Value, residual and curvature of each loss, smooth or smoothed, with and without an intercept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"
#include "buffer_pool.hpp"
#include "cpu_dispatch.hpp"
#include "threads.hpp"

namespace greedyhull {

// e^x for x <= 0 in plain arithmetic, so that loops over it are vectorised. To about one unit in the last place; below e^-708, the least normal number, it is that number.
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

// sum log(1 + exp(-yz)), to a few eps; residual <- -y/(1 + exp(yz)), curvature <- exp(yz)/(1 + exp(yz))^2.
template <class Y, class T>
double logistic_pieces(Span<const Y> y, Span<const T> z, Span<T> residual, Span<T> curvature) {
    double total = 0.0, excess = 0.0;
    for (Index i = 0; i < z.size; i++) {
        const double label = static_cast<double>(y[i]), m = label * static_cast<double>(z[i]);
        const double e = std::exp(-std::fabs(m));
        const double inverse = 1.0 / (1.0 + e);
        excess += e * (1.0 + excess);  // prod(1 + e) - 1, no digit lost: one logarithm for 32 factors
        if ((i & 31) == 31) {
            total += std::log1p(excess);
            excess = 0.0;
        }
        if (m >= 0.0) {
            residual[i] = static_cast<T>(-label * e * inverse);
        } else {
            total -= m;
            residual[i] = static_cast<T>(-label * inverse);
        }
        curvature[i] = static_cast<T>(e * inverse * inverse);
    }
    return total + std::log1p(excess);
}

// phi(z) = sum_i p_i l(z_i, y_i), or its minimum over an intercept b added to every z_i.
class SmoothLoss {
   public:
    bool quadratic = false, intercept = false;
    bool nonnegative = false;  // whether no value is below zero
    bool edged = false;        // whether it is finite above zero only
    bool settled = true;  // whether the last search for an intercept came to its end
    double b = 0.0;  // the last intercept: the search for the next one begins there
    bool at_b = false;  // b is the intercept of the next z: a run that is taken up again must not search for it anew
    virtual ~SmoothLoss() = default;
    // r <- gradient, c <- diagonal of the Hessian; returns phi(z).
    virtual double pieces(Span<const double> z, double* r, double* c) = 0;
    // The same loss on some of the rows, their weights scaled up so that they stand for all; null where it cannot be had.
    virtual std::unique_ptr<SmoothLoss> on(const std::vector<Index>&) const { return nullptr; }
    // Of losses that are smoothed: smooth less from now on, and say by what factor curvatures rise.
    virtual double sharpen(double) { return 1.0; }
    // A gap that is as good as none: what smoothing costs is more.
    virtual double slack() const { return 0.0; }
};


// How much of a step from z to `to` is taken at first. Newton steps double what a row has at most, so that one that is left
// with almost nothing, as rows with little weight are, would come back slowly and keep the gap wide.
inline double inside(const SmoothLoss& loss, const double* z, const double* to, Index rows) {
    double t = 1.0;
    if (loss.edged)
        for (Index i = 0; i < rows; i++)
            if (to[i] < 1e-3 * z[i]) t = std::min(t, 0.99 * z[i] / (z[i] - to[i]));  // almost to the edge of the domain
    return t;
}

constexpr Index TERM = 4;  // entries of a matrix could be read in the time of one term

// The terms of a loss: value, slope and curvature at one z. They are small structs, so that their loops are compiled for each.
struct Squares {
    void operator()(double z, double y, double& value, double& slope, double& bend) const {
        const double e = z - y;
        value = 0.5 * e * e, slope = e, bend = 1.0;
    }
};

struct SquaredHinges {
    void operator()(double z, double y, double& value, double& slope, double& bend) const {
        const double margin = 1.0 - y * z, e = margin > 0.0 ? margin : 0.0;
        value = 0.5 * e * e, slope = -y * e, bend = margin > 0.0 ? 1.0 : 0.0;
    }
};

struct Hubers {
    double delta;
    void operator()(double z, double y, double& value, double& slope, double& bend) const {
        const double e = z - y, size = std::fabs(e), near = size < delta ? size : delta;
        value = near * (size - 0.5 * near), slope = e < -delta ? -delta : e > delta ? delta : e;
        bend = size <= delta ? 1.0 : 0.0;
    }
};

struct Poissons {
    void operator()(double z, double y, double& value, double& slope, double& bend) const {
        const double rate = z <= 300.0 ? std::exp(z) : INFINITY;  // its square must not overflow
        value = rate - y * z, slope = rate - y, bend = rate;
    }
};

struct NegativeLogs {
    void operator()(double z, double y, double& value, double& slope, double& bend) const {
        value = z > 0.0 ? y - std::log(z) : INFINITY, slope = -1.0 / z, bend = 1.0 / (z * z);
    }
};

struct Powers {
    double power;
    void operator()(double z, double y, double& value, double& slope, double& bend) const {
        const double e = z - y, size = std::fabs(e), most = std::pow(size, power - 2.0);
        value = most * size * size / power, slope = most * e, bend = (power - 1.0) * most;
    }
};

// log(1 + e^-yz) has its own pass: its exponentials are vectorised, and few logarithms are taken.
struct Logistics {};

// Terms whose slope is straight between corners.
template <class Term>
constexpr bool straight = std::is_same_v<Term, Hubers> || std::is_same_v<Term, SquaredHinges>;

// Terms that may be below zero.
template <class Term>
constexpr bool signed_value = std::is_same_v<Term, Poissons> || std::is_same_v<Term, NegativeLogs>;

template <class Term>
class Separable : public SmoothLoss {
   public:
    Separable(Term term, Span<const double> y, Span<const double> p, bool with_intercept) : term_(term), y_(y), p_(p) {
        quadratic = std::is_same_v<Term, Squares>, intercept = with_intercept, nonnegative = !signed_value<Term>;
        edged = std::is_same_v<Term, NegativeLogs>;
    }
    double pieces(Span<const double> z, double* r, double* c) override {
        if (!intercept) return at(z, 0.0, r, c);
        const double value = settle(z, r, c);
        at_b = false;
        return value;
    }
    std::unique_ptr<SmoothLoss> on(const std::vector<Index>& rows) const override {
        auto part = std::make_unique<Separable<Term>>(term_, y_, p_, intercept);
        const double times = static_cast<double>(y_.size) / static_cast<double>(rows.size());
        part->own_y_.reserve(rows.size());
        for (const Index i : rows) part->own_y_.push_back(y_[i]), part->own_p_.push_back(times * weight(i));
        part->y_ = {part->own_y_.data(), static_cast<Index>(rows.size())};
        part->p_ = {part->own_p_.data(), static_cast<Index>(rows.size())};
        part->b = b;
        return part;
    }

   protected:
    Term term_;
    Span<const double> y_, p_;  // p has one entry where all terms weigh the same

    double weight(Index i) const { return p_.size == 1 ? p_[0] : p_[i]; }

   private:
    Numbers own_y_, own_p_;  // of a loss on some rows

    // At z + shift, by threads where there are many rows; `part` is for some of them.
    double at(Span<const double> z, double shift, double* r, double* c) const {
        double total = 0.0;
        threads::sums(z.size, TERM * z.size, 1, &total, [&](Index from, Index to, double* out) {
            *out = part(z, from, to, shift, r, c);
        });
        return total;
    }
    double part(Span<const double> z, Index first, Index last, double shift, double* r, double* c) const {
        double total = 0.0;
        for (Index from = first; from < last; from += 4096) {  // sums of blocks: errors grow with their number
            const Index to = std::min(from + 4096, last);
            double part = 0.0;
            for (Index i = from; i < to; i++) {
                double value, slope, bend;
                const double p = weight(i);
                term_(z[i] + shift, y_[i], value, slope, bend);
                r[i] = p == 0.0 ? 0.0 : p * slope, c[i] = p == 0.0 ? 0.0 : p * bend;
                part += p == 0.0 ? 0.0 : p * value;
            }
            total += part;
        }
        return total;
    }

    // The sums of slopes, of curvatures and of |slopes| over some rows, at z + b. Where terms cost next to nothing they are
    // computed again; else r and c have them.
    void slopes(Span<const double> z, Index from, Index to, const double* r, const double* c, double* out) const {
        double first = 0.0, second = 0.0, third = 0.0;
        for (Index i = from; i < to; i++) {
            if constexpr (straight<Term>) {
                double value, slope, bend;
                term_(z[i] + b, y_[i], value, slope, bend);
                const double p = weight(i);
                first += p * slope, second += p * bend, third += std::fabs(p * slope);
            } else {
                first += r[i], second += c[i], third += std::fabs(r[i]);
            }
        }
        out[0] = first, out[1] = second, out[2] = third;
    }

    // Of e^z the best intercept has a formula, relative to the largest z; Newton steps would go down by one each.
    double shift_of_rates(Span<const double> z) const {
        double top = -INFINITY, counts = 0.0, rates = 0.0;
        for (Index i = 0; i < z.size; i++) top = std::max(top, z[i]);
        for (Index i = 0; i < z.size; i++) counts += weight(i) * y_[i], rates += weight(i) * std::exp(z[i] - top);
        return std::log(counts) - std::log(rates) - top;
    }

    // Of squares it is a mean; what is left of it, all rounding, is taken off twice: off the errors, and off the residual.
    double centre(Span<const double> z, double* r, double* c) {
        double mean = 0.0, left = 0.0, value = 0.0;
        const auto total = [&](double& out, auto term) {
            threads::sums(z.size, TERM * z.size, 1, &out, [&](Index from, Index to, double* sum) {
                for (Index i = from; i < to; i++) *sum += term(i);
            });
        };
        total(mean, [&](Index i) { return weight(i) * (z[i] - y_[i]); });
        b = -mean, settled = true;
        total(left, [&](Index i) { return c[i] = weight(i), r[i] = c[i] * ((z[i] - y_[i]) - mean); });
        total(value, [&](Index i) { return r[i] -= c[i] * left, ((z[i] - y_[i]) - mean) * r[i]; });
        return 0.5 * value;
    }

    // The best intercept by Newton steps within a bracket that closes, from the last one. The sum of the slopes rises with b.
    // Infinite where it is not found: a value and a residual at another intercept would prove nothing.
    double settle(Span<const double> z, double* r, double* c) {
        if constexpr (std::is_same_v<Term, Squares>) return centre(z, r, c);
        if constexpr (std::is_same_v<Term, Poissons>) b = at_b ? b : shift_of_rates(z);
        double low = -INFINITY, high = INFINITY, value = 0.0, slope = 0.0, bend = 0.0;
        bool found = false;
        for (int k = 0; k < 200 && !found; k++) {
            double sums[3] = {};
            if constexpr (!straight<Term>) value = at(z, b, r, c);
            threads::sums(z.size, TERM * z.size, 3, sums, [&](Index from, Index to, double* out) { slopes(z, from, to, r, c, out); });
            slope = sums[0], bend = sums[1];
            const double size = sums[2];
            if (!std::isfinite(slope)) {
                settled = false;
                return INFINITY;
            }
            found = at_b || std::fabs(slope) <= 1e-15 * size;
            if (found) break;
            (slope > 0.0 ? high : low) = b;
            const bool newton = bend > 0.0 && (k < 6 || k % 2 == 1);  // where slopes are exponentials its steps are about one
            double next = newton ? b - slope / bend : INFINITY;
            const double reach = 2.0 * std::fabs(b) + 1.0;
            if (!(next > low && next < high && std::isfinite(next)))
                next = std::isfinite(low) && std::isfinite(high) ? 0.5 * (low + high) : slope > 0.0 ? b - reach : b + reach;
            found = std::fabs(next - b) <= 4e-16 * std::fabs(b);
            if (!found) b = next;
        }
        if constexpr (straight<Term>) value = at(z, b, r, c);
        double far = std::fabs(b);
        for (Index i = 0; i < z.size; i++) far = std::max(far, std::fabs(z[i]));
        const double hair = bend > 0.0 ? slope / bend : INFINITY;  // what b is off by, to first order
        const bool rounding = std::fabs(hair) <= 16.0 * 2.3e-16 * far;
        if (rounding)  // what is left of the sum, taken off where the curvature is
            for (Index i = 0; i < z.size; i++) r[i] -= c[i] * hair;
        settled = found || rounding;
        return settled ? value : INFINITY;
    }
};

// One block of at most 256 margins m = y(z + shift): e <- e^-|m|, negative <- max(-m, 0). A choice is made between numbers that
// are there, never between computations: a loop with a branch in it would not be vectorised.
GREEDYHULL_CLONES inline void logistic_block(Index n, const double* GREEDYHULL_RESTRICT z, const double* GREEDYHULL_RESTRICT y,
                                             double shift, double* GREEDYHULL_RESTRICT r, double* GREEDYHULL_RESTRICT c,
                                             double* GREEDYHULL_RESTRICT e, double* GREEDYHULL_RESTRICT negative) {
    for (Index i = 0; i < n; i++) e[i] = -std::fabs(y[i] * (z[i] + shift));
    falling_exponentials(n, e);
    for (Index i = 0; i < n; i++) {
        const double m = y[i] * (z[i] + shift), inverse = 1.0 / (1.0 + e[i]), above = m >= 0.0 ? e[i] : 1.0;
        negative[i] = m < 0.0 ? -m : 0.0;
        r[i] = -y[i] * (above * inverse);
        c[i] = e[i] * inverse * inverse;
    }
}

// sum log(1 + e_i) + negative_i over a block, in eight lanes: of each, one logarithm of prod(1 + e), no digit lost.
GREEDYHULL_CLONES inline double sum_of_block(Index n, const double* e, const double* negative) {
    double excess[8] = {}, below[8] = {}, total = 0.0;
    Index i = 0;
    for (; i + 8 <= n; i += 8)
        for (Index k = 0; k < 8; k++) excess[k] += e[i + k] * (1.0 + excess[k]), below[k] += negative[i + k];
    for (Index k = 0; i < n; i++, k++) excess[k] += e[i] * (1.0 + excess[k]), below[k] += negative[i];
    for (Index k = 0; k < 8; k++) total += std::log1p(excess[k]) + below[k];
    return total;
}

template <>
inline double Separable<Logistics>::part(Span<const double> z, Index first, Index last, double shift, double* r,
                                         double* c) const {
    double total = 0.0, e[256], negative[256];
    const bool same = p_.size == 1;
    for (Index from = first; from < last; from += 256) {
        const Index n = std::min<Index>(256, last - from);
        logistic_block(n, z.data + from, y_.data + from, shift, r + from, c + from, e, negative);
        if (same) {
            const double p = p_[0];
            for (Index i = from; i < from + n; i++) r[i] *= p, c[i] *= p;
            total += p * sum_of_block(n, e, negative);
        } else {
            double part = 0.0;
            for (Index i = 0; i < n; i++) {
                const double p = p_[from + i];
                part += p * (std::log1p(e[i]) + negative[i]);
                r[from + i] *= p, c[from + i] *= p;
            }
            total += part;
        }
    }
    return total;
}

// A loss on the first rows, and a ridge on those below: their residual is z itself. Its value is left out, as that of any ridge.
class RidgedLoss : public SmoothLoss {
   public:
    RidgedLoss(std::unique_ptr<SmoothLoss> inner, Index rows) : inner_(std::move(inner)), rows_(rows) {
        quadratic = inner_->quadratic, intercept = inner_->intercept, edged = inner_->edged;
    }
    double pieces(Span<const double> z, double* r, double* c) override {
        inner_->b = b, inner_->at_b = at_b, at_b = false;
        const double value = inner_->pieces({z.data, rows_}, r, c);
        b = inner_->b, settled = inner_->settled;
        for (Index i = rows_; i < z.size; i++) r[i] = z[i], c[i] = 1.0;
        return value;
    }

   private:
    std::unique_ptr<SmoothLoss> inner_;
    Index rows_;
};

// The numbers of the losses, in Python too. Stochastic steps know the slopes of the first five, and those of the last two.
enum Loss { SQUARED, LOGISTIC, SQUARED_HINGE, HUBER, POISSON, NEGATIVE_LOG, POWER, SOFTENED, HINGE, KINKED };

// The loss of a number; null where it is not one of the first seven.
inline std::unique_ptr<SmoothLoss> loss_named(int kind, double parameter, Span<const double> y, Span<const double> p, bool intercept) {
    switch (kind) {
        case SQUARED: return std::make_unique<Separable<Squares>>(Squares{}, y, p, intercept);
        case LOGISTIC: return std::make_unique<Separable<Logistics>>(Logistics{}, y, p, intercept);
        case SQUARED_HINGE: return std::make_unique<Separable<SquaredHinges>>(SquaredHinges{}, y, p, intercept);
        case HUBER: return std::make_unique<Separable<Hubers>>(Hubers{parameter}, y, p, intercept);
        case POISSON: return std::make_unique<Separable<Poissons>>(Poissons{}, y, p, intercept);
        case NEGATIVE_LOG: return std::make_unique<Separable<NegativeLogs>>(NegativeLogs{}, y, p, intercept);
        case POWER: return std::make_unique<Separable<Powers>>(Powers{parameter}, y, p, intercept);
        default: return nullptr;
    }
}

// Losses with kinks, smoothed: l(e) = max { a e - epsilon |a| - mu a²/2 : low <= a <= high } with e = z - y. The slope a is feasible
// for the dual of the loss with kinks, so that a residual of the smoothed loss bounds that one from below.


struct Softs {
    double low, high, epsilon, mu;
    bool hinge;  // slopes between -y and 0

    double least(double y) const { return hinge ? std::min(-y, 0.0) : low; }
    double most(double y) const { return hinge ? std::max(-y, 0.0) : high; }
    double beyond(double e) const {
        const double by = std::fabs(e) - epsilon;
        return by > 0.0 ? std::copysign(by, e) : 0.0;
    }
    void operator()(double z, double y, double& value, double& slope, double& bend) const {
        const double e = beyond(z - y), free = e / mu, a = std::min(std::max(free, least(y)), most(y));
        value = a * (e - 0.5 * mu * a), slope = a, bend = free == a && (epsilon == 0.0 || e != 0.0) ? 1.0 / mu : 0.0;
    }
};

template <>
inline constexpr bool straight<Softs> = true;

class Softened : public Separable<Softs> {
   public:
    using Separable<Softs>::Separable;

    double pieces(Span<const double> z, double* r, double* c) override {
        const double value = Separable<Softs>::pieces(z, r, c), shift = intercept ? b : 0.0;
        cost_ = 0.0;
        for (Index i = 0; i < z.size; i++) {
            const double y = y_[i], p = weight(i), e = term_.beyond(z[i] + shift - y), least = term_.least(y), most = term_.most(y);
            if (intercept) r[i] = std::min(std::max(r[i], p * least), p * most);  // an intercept is balanced within the intervals
            cost_ += p * (e > 0.0 ? most * e : least * e) - r[i] * e;
        }
        return value;
    }
    double sharpen(double mu) override {
        const double by = term_.mu / mu;
        term_.mu = mu;
        return by;
    }
    double slack() const override { return 0.3 * cost_; }  // a smaller gap is not worth another round

   private:
    double cost_ = 0.0;  // what the loss exceeds the bound by that the residual gives
};

}  // namespace greedyhull
