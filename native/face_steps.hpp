// Conjugate gradients on a face of bounds and rows: what one step does besides the product with the Hessian.
#pragma once

#include <algorithm>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"

namespace greedyhull {

// The rows by columns, which coordinates are free and which rows are tight (1 or 0), and the factor of BB'.
struct Faces {
    Span<const Index> starts, places;
    Span<const double> entries, free, tight;
    Matrix<double> factor;

    Index d() const { return free.size; }
    Index m() const { return tight.size; }

    bool factorise() const {
        static constexpr double RIDGE = 1e-13;
        const Index n = m();
        std::fill(factor.data, factor.data + n * n, 0.0);
        for (Index j = 0; j < d(); j++)
            if (free[j] != 0.0)
                for (Index a = starts[j]; a < starts[j + 1]; a++)
                    for (Index b = starts[j]; b < starts[j + 1]; b++)
                        if (places[b] <= places[a])
                            factor(places[a], places[b]) += entries[a] * entries[b] * tight[places[a]] * tight[places[b]];
        for (Index i = 0; i < n; i++) factor(i, i) = factor(i, i) > 0.0 ? factor(i, i) * (1.0 + RIDGE) : 1.0;
        return algebra::cholesky(n, factor.data);
    }

    // r <- its projection; y <- y + its prices. `q` is scratch.
    double project(double* r, double* y, std::vector<double>& q) const {
        q.assign(static_cast<std::size_t>(m()), 0.0);
        for (Index j = 0; j < d(); j++) {
            r[j] *= free[j];
            for (Index a = starts[j]; a < starts[j + 1]; a++) q[static_cast<std::size_t>(places[a])] += entries[a] * r[j];
        }
        for (Index i = 0; i < m(); i++) q[static_cast<std::size_t>(i)] *= tight[i];
        algebra::cholesky_solve(m(), factor.data, q.data());
        for (Index i = 0; i < m(); i++) y[i] += q[static_cast<std::size_t>(i)] *= tight[i];
        double square = 0.0;
        for (Index j = 0; j < d(); j++) {
            double pull = 0.0;
            for (Index a = starts[j]; a < starts[j + 1]; a++) pull += entries[a] * q[static_cast<std::size_t>(places[a])];
            r[j] -= pull * free[j];
            square += r[j] * r[j];
        }
        return square;
    }

    void shift(const double* off, double* x) const {
        std::vector<double> q(static_cast<std::size_t>(m()));
        for (Index i = 0; i < m(); i++) q[static_cast<std::size_t>(i)] = off[i] * tight[i];
        algebra::cholesky_solve(m(), factor.data, q.data());
        for (Index i = 0; i < m(); i++) q[static_cast<std::size_t>(i)] *= tight[i];
        for (Index j = 0; j < d(); j++)
            for (Index a = starts[j]; a < starts[j + 1]; a++) x[j] += entries[a] * q[static_cast<std::size_t>(places[a])] * free[j];
    }

    double step(const double* bend, double* p, double* x, double* g, double* r, double* y, double square, double least) const {
        double curved, length;
        algebra::dots(p, 0, d(), 1, bend, &curved);
        algebra::dots(p, 0, d(), 1, p, &length);
        if (!(curved > least * length && square > 0.0)) return -1.0;
        const double pace = square / curved;
        for (Index j = 0; j < d(); j++) x[j] += pace * p[j], g[j] += pace * bend[j], r[j] += pace * bend[j];
        std::vector<double> q;
        const double fresh = project(r, y, q), keep = fresh / square;
        for (Index j = 0; j < d(); j++) p[j] = keep * p[j] - r[j];
        return fresh;
    }
};

}  // namespace greedyhull
