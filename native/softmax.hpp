// Cross-entropy of several classes in one pass over the scores, and the best intercept of each class.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"
#include "losses.hpp"
#include "threads.hpp"

namespace greedyhull::softmax {

constexpr Index AT_ONCE = 64;  // rows whose exponentials are made together

// e <- z + b less its largest entry, row by row, then its exponential; tops, if wanted, <- those entries.
template <class T>
void exponentials(Index rows, Index c, const T* z, const double* b, double* e, double* tops) {
    for (Index i = 0; i < rows; i++) {
        double top = -std::numeric_limits<double>::infinity();
        for (Index k = 0; k < c; k++) {
            e[i * c + k] = static_cast<double>(z[i * c + k]) + b[k];
            top = std::max(top, e[i * c + k]);
        }
        for (Index k = 0; k < c; k++) e[i * c + k] -= top;
        if (tops) tops[i] = top;
    }
    falling_exponentials(rows * c, e);
}

// Terms log sum exp(z + b) - (z + b)_label, their slopes and the probabilities. What is small keeps its digits: the slope of the
// label is minus the sum of the others, never a probability less one.
template <class T>
void pieces(Index c, Span<const Index> labels, const T* z, const double* b, double* terms, T* slopes, T* s) {
    threads::ranges(labels.size, AT_ONCE, labels.size * c * 8, [&](Index from, Index to) {
        std::vector<double> buffer(static_cast<std::size_t>(AT_ONCE * c));
        double tops[AT_ONCE];
        for (Index start = from; start < to; start += AT_ONCE) {
            const Index rows = std::min(AT_ONCE, to - start);
            exponentials(rows, c, z + start * c, b, buffer.data(), tops);
            for (Index i = 0; i < rows; i++) {
                const Index at = (start + i) * c, label = labels[start + i];
                double* e = buffer.data() + i * c;
                const double own = e[label];
                e[label] = 0.0;
                double rest = 0.0;
                for (Index k = 0; k < c; k++) rest += e[k];
                const double below = static_cast<double>(z[at + label]) + b[label] - tops[i], inverse = 1.0 / (rest + own);
                terms[start + i] = std::log1p(rest + (own - 1.0)) - below;
                for (Index k = 0; k < c; k++) s[at + k] = slopes[at + k] = static_cast<T>(e[k] * inverse);
                slopes[at + label] = static_cast<T>(-rest * inverse);
                s[at + label] = static_cast<T>(own * inverse);
            }
        }
    });
}

// Newton steps for the best intercepts; where classes are all but separated, for scores that are scaled down first.
class Intercepts {
public:
    Intercepts(Span<const Index> labels, Matrix<const double> z, Span<const double> p, Span<const double> shares)
        : n(z.rows), c(z.columns), labels(labels), p(p), shares(shares), z(z.data, z.data + n * c), scaled(this->z.size()),
          here(this->z.size(), size()), there(this->z.size(), size()), terms(static_cast<std::size_t>(n)), slopes(this->z.size()),
          B(size() * size()), step(size()), change(size()), ahead(size()) {
        for (Index i = 0; i < n; i++) {
            double* row = this->z.data() + i * c;
            const double top = *std::max_element(row, row + c);
            for (Index k = 0; k < c; k++) lowest = std::min(lowest, row[k] -= top);
        }
    }

    void find(double* b) {
        std::fill(b, b + c, 0.0);
        scaled = z;
        if (!newton(b, 0.0, FEW)) {
            double heat = 1.0;
            while (heat < -lowest) heat *= COOLER;
            std::fill(b, b + c, 0.0);
            for (; heat > 1.0; heat /= COOLER) {
                for (std::size_t i = 0; i < z.size(); i++) scaled[i] = z[i] / heat;
                for (Index k = 0; k < c; k++) b[k] /= heat;
                newton(b, NEAR, STEPS);
                for (Index k = 0; k < c; k++) b[k] *= heat;
            }
            scaled = z;
            newton(b, 0.0, STEPS);
        }
        double mean = 0.0;
        for (Index k = 0; k < c; k++) mean += b[k] / static_cast<double>(c);
        for (Index k = 0; k < c; k++) b[k] -= mean;
    }

private:
    static constexpr double EPS = std::numeric_limits<double>::epsilon(), COOLER = 4.0, NEAR = 0.05, ENOUGH = 2.0, SLOW = 0.2,
                            FAR = 32.0, FARTHEST = 1e100, NOISE = 4.0, LEAST = 1e-300;
    static constexpr int FEW = 12, STEPS = 60;

    // What is seen at some intercepts: the value, by which share the classes miss theirs, and by which share of what is moved
    // between classes; by how much they miss, what they have, and the probabilities.
    struct Look {
        double value = 0.0, off = 0.0, unsettled = 0.0;
        std::vector<double> missed, moved, met, s;
        Look(std::size_t entries, std::size_t c) : missed(c), moved(c), met(c), s(entries) {}
    };

    Index n, c;
    Span<const Index> labels;
    Span<const double> p, shares;
    std::vector<double> z, scaled;
    Look here, there;
    std::vector<double> terms, slopes, B, step, change, ahead;
    double lowest = 0.0;

    std::size_t size() const { return static_cast<std::size_t>(c); }

    void look(const double* b, Look& at) {
        pieces(c, labels, scaled.data(), b, terms.data(), slopes.data(), at.s.data());
        at.value = at.off = at.unsettled = 0.0;
        for (auto* sums : {&at.missed, &at.moved, &at.met}) std::fill(sums->begin(), sums->end(), 0.0);
        for (Index i = 0; i < n; i++) {
            const double weight = p[i], *slope = slopes.data() + i * c, *s = at.s.data() + i * c;
            at.value += weight * terms[static_cast<std::size_t>(i)];
            for (std::size_t k = 0; k < size(); k++) {
                at.missed[k] += weight * slope[k];
                at.moved[k] += weight * std::fabs(slope[k]);
                at.met[k] += weight * s[k];
            }
        }
        for (std::size_t k = 0; k < size(); k++) {
            const double miss = std::fabs(at.missed[k]);
            at.off = std::max(at.off, miss / shares[static_cast<Index>(k)]);
            at.unsettled = std::max(at.unsettled, miss / std::max(at.moved[k], LEAST));
        }
    }

    double largest(const double* b) const {
        double most = 0.0;
        for (Index k = 0; k < c; k++) most = std::max(most, std::fabs(b[k]));
        return most;
    }

    bool newton(double* b, double near, int steps) {
        look(b, here);
        double longer = 1.0;
        for (int t = 0; t < steps; t++) {
            const double unit = EPS * (1.0 + largest(b)), noise = NOISE * (EPS * std::fabs(here.value) + unit);
            if (here.off <= near || here.unsettled <= ENOUGH * unit) return true;
            bool moved = false;
            for (int kind = newton_step() ? 0 : 2; kind < 3 && !moved; kind++) {
                choose(kind, longer);
                for (std::size_t k = 0; k < size(); k++) ahead[k] = b[k] + change[k];
                look(ahead.data(), there);
                const double fell = here.value - there.value;
                moved = fell > noise || (there.off < here.off && fell >= -noise);
                if (moved) longer = kind == 0 && there.off > SLOW * here.off ? 2.0 * longer : 1.0;
            }
            if (!moved) return true;
            std::copy(ahead.begin(), ahead.end(), b);
            std::swap(here, there);
        }
        return false;
    }

    void choose(int kind, double longer) {
        double low = step[0], high = step[0];
        for (const double d : step) low = std::min(low, d), high = std::max(high, d);
        const double width = high - low, share = width > 0.0 ? std::log1p(width) / width : 1.0;
        for (std::size_t k = 0; k < size(); k++) {
            if (kind == 0) change[k] = std::min(std::max(longer * step[k], -FAR), FAR);
            if (kind == 1) change[k] = share * step[k];
            if (kind == 2) change[k] = std::log(std::max(shares[static_cast<Index>(k)], LEAST) / std::max(here.met[k], LEAST));
        }
    }

    // B <- the Hessian, its diagonal from its other entries; step <- its solution, by Cholesky; false where there is none.
    bool newton_step() {
        const std::size_t m = size();
        std::fill(B.begin(), B.end(), 0.0);
        for (Index i = 0; i < n; i++) {
            const double *row = here.s.data() + i * c, weight = p[i];
            for (std::size_t k = 1; k < m; k++) {
                const double heavy = weight * row[k];
                for (std::size_t l = 0; l < k; l++) B[k * m + l] -= heavy * row[l];
            }
        }
        double trace = 0.0, most = 0.0;
        for (std::size_t k = 0; k < m; k++) {
            double diagonal = 0.0;
            for (std::size_t l = 0; l < m; l++)
                if (l != k) diagonal -= B[std::max(k, l) * m + std::min(k, l)];
            B[k * m + k] = diagonal;
            trace += diagonal, most = std::max(most, diagonal);
        }
        const double constant = trace / static_cast<double>(m * m);
        for (std::size_t k = 0; k < m; k++) {
            for (std::size_t l = 0; l <= k; l++) B[k * m + l] += constant;
            B[k * m + k] += EPS * most;
        }
        if (!algebra::cholesky(c, B.data())) return false;
        for (std::size_t k = 0; k < m; k++) step[k] = -here.missed[k];
        algebra::cholesky_solve(c, B.data(), step.data());
        bool some = false, usable = true;
        for (const double d : step) some |= d != 0.0, usable &= std::fabs(d) < FARTHEST;
        return some && usable;
    }
};

}  // namespace greedyhull::softmax
