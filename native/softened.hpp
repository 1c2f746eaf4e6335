// Losses with kinks, smoothed: l(e) = max { a e - epsilon |a| - mu a²/2 : low <= a <= high } with e = z - y. The slope a is feasible
// for the dual of the loss with kinks, so that a residual of the smoothed loss bounds that one from below.
#pragma once

#include <algorithm>
#include <cmath>

#include "losses.hpp"

namespace greedyhull {

constexpr double CLOSED = 0.3;  // of what smoothing costs the certificate: a gap that is not worth another round

struct Softs {
    static constexpr bool quadratic = false;
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
    double slack() const override { return CLOSED * cost_; }

   private:
    double cost_ = 0.0;  // what the loss exceeds the bound by that the residual gives
};

}  // namespace greedyhull
