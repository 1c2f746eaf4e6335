// Stochastic Frank-Wolfe and Jones steps between two evaluations of the gap: slopes, atoms, steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "losses.hpp"
#include "rows.hpp"

namespace greedyhull {

// The derivative of the loss in z; `shape` holds the numbers that the loss depends on.
inline double slope(int loss, const double* shape, double z, double y) {
    switch (loss) {
        case SQUARED: return z - y;
        case LOGISTIC: {
            const double m = y * z, e = std::exp(-std::fabs(m));
            return -y * ((m >= 0.0 ? e : 1.0) / (1.0 + e));
        }
        case SQUARED_HINGE: return -y * std::max(1.0 - y * z, 0.0);
        case HUBER: return std::min(std::max(z - y, -shape[0]), shape[0]);
        case POISSON: return z <= shape[0] ? std::exp(z) - y : std::numeric_limits<double>::infinity();
        case HINGE: return z > y ? std::max(-y, 0.0) : z < y ? std::min(-y, 0.0) : 0.0;
        default: return z - y > shape[2] ? shape[1] : z - y < -shape[2] ? shape[0] : 0.0;  // linear between kinks
    }
}

// Sets by the numbers that solvers/parts/compiled_stochastic.py gives them.
enum Kind { L1_BALL, SIMPLEX, BOX, L2_BALL, VERTICES };

// A set and a point of it. Atoms that are coordinates have numbers (+e_1 ... +e_d, -e_1 ... -e_d, scaled): alpha[place[atom]]
// is the weight of one, and the first used[0] places are taken.
struct Point {
    int kind;
    Span<const double> low, high;
    Matrix<const double> rows;
    Span<double> x, alpha;
    Span<Index> atoms, place, used;
};

// alpha <- (1 - eta) alpha + eta at `atom`, which may be new.
inline void reweight(const Point& p, Index atom, double eta) {
    for (Index i = 0; i < p.used[0]; i++) p.alpha[i] *= 1.0 - eta;
    if (p.place[atom] < 0) {
        p.place[atom] = p.used[0];
        p.atoms[p.used[0]] = atom;
        p.alpha[p.used[0]] = 0.0;
        p.used[0] += 1;
    }
    p.alpha[p.place[atom]] += eta;
}

// x <- (1 - eta) x +- eta high_best e_best.
inline void step_to(const Point& p, Index best, bool negative, double eta) {
    for (Index j = 0; j < p.x.size; j++) p.x[j] *= 1.0 - eta;
    p.x[best] += eta * (negative ? -p.high[best] : p.high[best]);
    reweight(p, negative ? best + p.x.size : best, eta);
}

inline void to_coordinate(const Point& p, const double* g, double eta) {
    const Index d = p.x.size;
    Index best = 0;
    if (p.kind == L1_BALL) {  // +-high_j e_j, scored by low_j |g_j|
        for (Index j = 1; j < d; j++)
            if (std::fabs(g[j]) * p.low[j] > std::fabs(g[best]) * p.low[best]) best = j;
    } else {  // high_j e_j
        for (Index j = 1; j < d; j++)
            if (g[j] < g[best]) best = j;
    }
    step_to(p, best, p.kind == L1_BALL && g[best] > 0.0, eta);
}

inline void to_sphere(const Point& p, const double* g, double eta) {
    double largest = 0.0, squares = 0.0;
    for (Index j = 0; j < p.x.size; j++) largest = std::max(largest, std::fabs(g[j]));
    if (largest > 0.0)
        for (Index j = 0; j < p.x.size; j++) squares += (g[j] / largest) * (g[j] / largest);
    const double length = std::sqrt(squares);
    for (Index j = 0; j < p.x.size; j++) {
        const double u = largest > 0.0 ? g[j] / largest / length : (j == 0 ? 1.0 : 0.0);
        p.x[j] = (1.0 - eta) * p.x[j] + eta * (p.low[j] - p.high[j] * u);
    }
}

// x <- (1 - eta) x + eta d, where d is the atom with the least <g, .>.
inline void advance(const Point& p, const double* g, double eta) {
    if (p.kind == L1_BALL || p.kind == SIMPLEX) {
        to_coordinate(p, g, eta);
    } else if (p.kind == BOX) {
        for (Index j = 0; j < p.x.size; j++) p.x[j] = (1.0 - eta) * p.x[j] + eta * (g[j] > 0.0 ? p.low[j] : p.high[j]);
    } else if (p.kind == L2_BALL) {
        to_sphere(p, g, eta);
    } else {
        const DenseRows<double> given{p.rows};
        double least = std::numeric_limits<double>::infinity();
        Index best = 0;
        for (Index i = 0; i < p.rows.rows; i++) {
            const double score = given.product(i, g);
            if (score < least) best = i, least = score;
        }
        for (Index j = 0; j < p.x.size; j++) p.x[j] = (1.0 - eta) * p.x[j] + eta * p.rows(best, j);
    }
}

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

// Targets, n times the weights of the terms (one number where they are equal), the loss.
struct Terms {
    Span<const double> y, shares;
    bool weighted;
    int loss;
    Span<const double> shape;
    double share(Index i) const { return shares[weighted ? i : 0]; }
    double slope(double z, Index i) const { return greedyhull::slope(loss, shape.data, z, y[i]); }
};

// The batch of step t ends at ends[t] in `index`; eta[t] is its step size.
struct Batches {
    Span<const Index> index, ends;
    Span<const double> eta;
};

// z_q <- <a_i, x> for a batch; nothing waits here, so that rows are fetched several at once.
template <class Rows>
void products(const Rows& rows, const Batches& b, Index begin, Index end, const double* x, double* z) {
    for (Index q = begin; q < end; q++) z[q - begin] = rows.product(b.index[q], x);
}

// g <- keep g + base + here grad f_B(x) - there grad f_B(point), then a step; `point` is the last x where it follows.
struct Difference {
    Span<const double> keep, here, there, base;
    Span<double> point;
    bool follows;
    Span<double> g;
};

template <class Choice, class Rows>
void difference_steps(const Rows& rows, const Terms& f, const Batches& b, const Difference& e, const Point& p) {
    std::vector<double> z(static_cast<std::size_t>(b.index.size)), z_there(z.size());
    Choice choice(p.x.size);
    Index begin = 0;
    for (Index t = 0; t < b.eta.size; t++) {
        const Index end = b.ends[t];
        for (Index j = 0; j < e.g.size; j++) e.g[j] = e.keep[t] * e.g[j] + e.base[j];
        products(rows, b, begin, end, p.x.data, z.data());
        if (e.there[t] != 0.0) products(rows, b, begin, end, e.point.data, z_there.data());
        for (Index q = begin; q < end; q++) {
            const Index i = b.index[q];
            double r = e.here[t] * f.slope(z[static_cast<std::size_t>(q - begin)], i);
            if (e.there[t] != 0.0) r -= e.there[t] * f.slope(z_there[static_cast<std::size_t>(q - begin)], i);
            rows.spread(i, r * (f.share(i) / static_cast<double>(end - begin)), e.g.data);
        }
        if (e.follows) std::copy(p.x.data, p.x.data + p.x.size, e.point.data);
        choice.see(rows, f, b, begin, end, z.data());
        choice.go(p, e.g.data, b.eta[t]);
        begin = end;
    }
}

// A table of slopes and its mean A'table. With `both` each step has a batch to estimate with, g = A_B'(r_B - table_B) + mean,
// and one to renew the table; else the mean is renewed at the batch and is the estimate.
struct Table {
    bool both;
    Span<double> table, mean, g;
};

template <class Choice, class Rows>
void table_steps(const Rows& rows, const Terms& f, const Batches& b, const Table& e, const Point& p) {
    std::vector<double> z(static_cast<std::size_t>(b.index.size));
    const double n = static_cast<double>(f.y.size);
    Choice choice(p.x.size);
    Index begin = 0;
    for (Index t = 0; t < b.eta.size; t++) {
        const Index end = b.ends[t], size = (end - begin) / (e.both ? 2 : 1);
        if (e.both) {
            std::copy(e.mean.data, e.mean.data + e.mean.size, e.g.data);
            products(rows, b, begin, begin + size, p.x.data, z.data());
            choice.see(rows, f, b, begin, begin + size, z.data());
            for (Index q = begin; q < begin + size; q++) {
                const Index i = b.index[q];
                const double r = f.slope(z[static_cast<std::size_t>(q - begin)], i), many = static_cast<double>(size);
                rows.spread(i, r * (f.share(i) / many) - e.table[i] * (n / many), e.g.data);
            }
        }
        products(rows, b, end - size, end, p.x.data, z.data());
        if (!e.both) choice.see(rows, f, b, begin, end, z.data());
        for (Index q = end - size; q < end; q++) {
            const Index i = b.index[q];
            const double r = f.slope(z[static_cast<std::size_t>(q - end + size)], i) * (f.share(i) / n);
            rows.spread(i, r - e.table[i], e.mean.data);
            e.table[i] = r;
        }
        choice.go(p, e.both ? e.g.data : e.mean.data, b.eta[t]);
        begin = end;
    }
}

// The best coordinate of every block of `width`: low_j |g_j| is the score of the l1 ball, -g_j that of the simplex.
struct Leaders {
    const Point& p;
    Span<double> g;
    Index width;
    std::vector<double> top;
    std::vector<Index> first;

    Leaders(const Point& point, Span<double> gradient, Index w) : p(point), g(gradient), width(w) {
        const Index blocks = (g.size + width - 1) / width;
        top.resize(static_cast<std::size_t>(blocks));
        first.resize(static_cast<std::size_t>(blocks));
        for (Index block = 0; block < blocks; block++) look_through(block);
    }
    double score(Index j) const { return p.kind == L1_BALL ? std::fabs(g[j]) * p.low[j] : -g[j]; }
    // The first coordinate of those that tie.
    void look_through(Index block) {
        const Index begin = block * width;
        Index best = begin;
        for (Index j = begin + 1; j < std::min(begin + width, g.size); j++)
            if (score(j) > score(best)) best = j;
        top[static_cast<std::size_t>(block)] = score(best);
        first[static_cast<std::size_t>(block)] = best;
    }
    void changed(Index j) {
        const auto own = static_cast<std::size_t>(j / width);
        const double now = score(j);
        if (now > top[own] || (now == top[own] && j < first[own])) {
            top[own] = now;
            first[own] = j;
        } else if (first[own] == j && now < top[own]) {
            look_through(j / width);
        }
    }
    Index best() const { return first[static_cast<std::size_t>(std::max_element(top.begin(), top.end()) - top.begin())]; }
};

// table_steps with one batch a step, over coordinate atoms, in O(entries of the batch + atoms + sqrt d) instead of O(d): only
// the rows' own coordinates of the mean change, and only coordinates of atoms are not zero in x.
template <class T, class I>
void wide_table_steps(const SparseRows<T, I>& rows, const Terms& f, const Batches& b, Span<double> table, Span<double> mean,
                      Index width, const Point& p) {
    std::vector<double> z(static_cast<std::size_t>(b.index.size));
    const double n = static_cast<double>(f.y.size);
    const Index d = p.x.size;
    Leaders leaders(p, mean, width);
    Index begin = 0;
    for (Index t = 0; t < b.eta.size; t++) {
        const Index end = b.ends[t];
        products(rows, b, begin, end, p.x.data, z.data());
        for (Index q = begin; q < end; q++) {
            const Index i = b.index[q];
            const double r = f.slope(z[static_cast<std::size_t>(q - begin)], i) * (f.share(i) / n), change = r - table[i];
            table[i] = r;
            for (Index e = rows.X.starts[i]; e < rows.X.starts[i + 1]; e++) {
                const Index j = static_cast<Index>(rows.X.places[e]);
                mean[j] += change * static_cast<double>(rows.X.entries[e]);
                leaders.changed(j);
            }
        }
        const Index chosen = leaders.best();
        for (Index a = 0; a < p.used[0]; a++) {
            const Index atom = p.atoms[a];
            if (atom >= 0 && (atom < d || p.place[atom - d] < 0)) p.x[atom % d] *= 1.0 - b.eta[t];  // both signs: once
        }
        const bool negative = p.kind == L1_BALL && mean[chosen] > 0.0;
        p.x[chosen] += b.eta[t] * (negative ? -p.high[chosen] : p.high[chosen]);
        reweight(p, negative ? chosen + d : chosen, b.eta[t]);
        begin = end;
    }
}

// Floyd's rule on batches whose q-th entry was drawn below n - b + q + 1: one that repeats an earlier one becomes n - b + q.
inline void without_repeats(Span<Index> index, Span<const Index> begins, Span<const Index> lengths, Index n) {
    for (Index t = 0; t < begins.size; t++) {
        Index* batch = index.data + begins[t];
        for (Index q = 1; q < lengths[t]; q++)
            if (std::find(batch, batch + q, batch[q]) != batch + q) batch[q] = n - lengths[t] + q;
    }
}

}  // namespace greedyhull
