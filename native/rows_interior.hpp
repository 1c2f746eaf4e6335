// Convex quadratics over bounds and rows, by a primal-dual interior point method with Mehrotra's corrector.
// kernels/rows_interior.py has the formulas; this is the same path, step by step, for problems so small that a call of NumPy
// costs more than its work.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "algebra.hpp"
#include "arrays.hpp"

namespace greedyhull {

// x'Hx/2 + c'x with Ex = e and low <= (x, Gx) <= high; t = (x, Gx) with multipliers zl, zh of its ends, y and v of E and G.
struct RowsProblem {
    Matrix<const double> H;
    Span<const double> c;
    Matrix<const double> G, E;
    Span<const double> e, low, high;
};

class RowsPath {
   public:
    std::vector<double> t, y, v, zl, zh;

    RowsPath(const RowsProblem& problem, Span<const double> x) : p(problem), n(p.c.size), m(p.G.rows), q(p.E.rows) {
        members.resize(at(m));
        for (Index i = 0; i < m; i++)
            for (Index j = 0; j < n; j++)
                if (p.G(i, j) != 0.0) members[at(i)].push_back(j);
        begin(x);
    }

    void follow(double tol) {
        for (Index k = 0; k < N; k++) ends += std::isfinite(p.low[k]), ends += std::isfinite(p.high[k]);
        for (int k = 0; k < MOST && ends > 0; k++) {
            const double gap = look();
            const bool there = gap <= tol && kept() && steady();
            if (there || gap <= BEYOND * tol || !(gap > 0.0) || !apart()) return;
            if (!factorise() || !move(gap / static_cast<double>(ends))) return;
            lagrange();
        }
    }

    bool finite() const { return all_in(t) && all_in(y); }

   private:
    static constexpr int MOST = 60;
    static constexpr double INSIDE = 0.9995, INWARD = 0.2, STEADY = 1e-9, BEYOND = 1e-6, ON = 1e-13, RIDGE = 1e-13;
    const RowsProblem p;
    const Index n, m, q;
    const Index N = n + m;
    Index ends = 0;
    double size = 0.0;
    std::vector<std::vector<Index>> members;  // of each row of G, where it is not zero
    std::vector<double> sl, sh, slope, near_e, near_g, r_e, r_g, theta, right, dt, dl, dh, to_l, to_h, dy, dv;
    std::vector<double> K, across, S;

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    static bool all_in(const std::vector<double>& a) {
        return std::all_of(a.begin(), a.end(), [](double x) { return std::isfinite(x); });
    }
    double row(const Matrix<const double>& A, Index i, const double* x) const {
        double total;
        algebra::dots(A.row(i), 0, n, 1, x, &total);
        return total;
    }
    double activity(Index i, const double* x) const {
        double total = 0.0;
        for (Index j : members[at(i)]) total += p.G(i, j) * x[j];
        return total;
    }

    // x and its activities, drawn well between their ends.
    void begin(Span<const double> x) {
        t.assign(x.data, x.data + n);
        for (Index i = 0; i < m; i++) t.push_back(activity(i, x.data));
        double most = 0.0;
        for (Index k = 0; k < N; k++) {
            const double width = p.high[k] - p.low[k];
            most = std::max(most, std::fabs(t[at(k)]));
            if (std::isfinite(width)) most = std::max(most, width);
        }
        if (most == 0.0) most = 1.0;
        for (Index k = 0; k < N; k++) {
            double& x_k = t[at(k)];
            const double width = p.high[k] - p.low[k];
            const double near = INWARD * (std::isfinite(width) ? width : std::max(std::fabs(x_k), most));
            x_k = std::min(std::max(x_k, p.low[k] + near), p.high[k] - near);
        }
        y.assign(at(q), 0.0), v.assign(at(m), 0.0);
        near_e.assign(at(q), 0.0), near_g.assign(at(m), 0.0);
        for (Index i = 0; i < q; i++)
            for (Index j = 0; j < n; j++) near_e[at(i)] += std::fabs(p.E(i, j)) * std::fabs(t[at(j)]);
        for (Index i = 0; i < m; i++)
            for (Index j : members[at(i)]) near_g[at(i)] += std::fabs(p.G(i, j)) * std::fabs(t[at(j)]);
        lagrange();
        for (Index j = 0; j < n; j++) size += std::fabs(slope[at(j)]);
        size = std::max(size / static_cast<double>(n), 1e-300);
        zl.resize(at(N)), zh.resize(at(N));
        for (Index k = 0; k < N; k++) {
            zl[at(k)] = std::isfinite(p.low[k]) ? std::max(slope[at(k)], 0.0) + size : 0.0;
            zh[at(k)] = std::isfinite(p.high[k]) ? std::max(-slope[at(k)], 0.0) + size : 0.0;
        }
        for (auto* a : {&sl, &sh, &theta, &right, &dt, &dl, &dh, &to_l, &to_h}) a->resize(at(N));
        r_e.resize(at(q)), r_g.resize(at(m)), dy.resize(at(q)), dv.resize(at(m));
    }

    // The gradient of the Lagrangian without the ends: that of the quadratic less E'y and G'v for x, and v for activities.
    void lagrange() {
        slope.resize(at(N));
        algebra::dots(p.H.data, n, n, n, t.data(), slope.data());
        for (Index j = 0; j < n; j++) slope[at(j)] += p.c[j];
        for (Index i = 0; i < q; i++) algebra::add_one(p.E.row(i), -y[at(i)], n, slope.data());
        for (Index i = 0; i < m; i++) {
            for (Index j : members[at(i)]) slope[at(j)] -= v[at(i)] * p.G(i, j);
            slope[at(n + i)] = v[at(i)];
        }
    }

    // Distances, and how far rows are from what they should be; the complementarity gap.
    double look() {
        double gap = 0.0;
        for (Index k = 0; k < N; k++) {
            sl[at(k)] = t[at(k)] - p.low[k], sh[at(k)] = p.high[k] - t[at(k)];
            if (std::isfinite(sl[at(k)])) gap += zl[at(k)] * sl[at(k)];
            if (std::isfinite(sh[at(k)])) gap += zh[at(k)] * sh[at(k)];
        }
        for (Index i = 0; i < q; i++) r_e[at(i)] = p.e[i] - row(p.E, i, t.data());
        for (Index i = 0; i < m; i++) r_g[at(i)] = t[at(n + i)] - activity(i, t.data());
        return gap;
    }
    bool kept() const {
        bool good = true;
        for (Index i = 0; i < q; i++) good &= std::fabs(r_e[at(i)]) <= ON * near_e[at(i)];
        for (Index i = 0; i < m; i++) good &= std::fabs(r_g[at(i)]) <= ON * near_g[at(i)];
        return good;
    }
    bool steady() const {
        double off = 0.0;
        for (Index k = 0; k < N; k++) off += std::fabs(slope[at(k)] - zl[at(k)] + zh[at(k)]);
        return off <= STEADY * size * static_cast<double>(n);
    }
    bool apart() const {
        bool good = true;
        for (Index k = 0; k < N; k++) good &= sl[at(k)] != 0.0 && sh[at(k)] != 0.0;
        return good;
    }

    // The factor of H + diag(theta) + G'diag(theta')G, what a unit of each price of E changes, and their Schur complement.
    bool factorise() {
        for (Index k = 0; k < N; k++) theta[at(k)] = zl[at(k)] / sl[at(k)] + zh[at(k)] / sh[at(k)];
        K.assign(p.H.data, p.H.data + n * n);
        for (Index i = 0; i < m; i++)
            for (Index a : members[at(i)]) {
                const double by = theta[at(n + i)] * p.G(i, a);
                for (Index b : members[at(i)]) {
                    if (b > a) break;
                    K[at(a * n + b)] += by * p.G(i, b);
                }
            }
        for (Index j = 0; j < n; j++) K[at(j * n + j)] = (K[at(j * n + j)] + theta[at(j)]) * (1.0 + RIDGE);
        if (!algebra::cholesky(n, K.data())) return false;
        across.assign(p.E.data, p.E.data + q * n), S.resize(at(q * q));
        for (Index i = 0; i < q; i++) algebra::cholesky_solve(n, K.data(), across.data() + i * n);
        for (Index i = 0; i < q; i++)
            for (Index j = 0; j < q; j++) S[at(i * q + j)] = row(p.E, i, across.data() + j * n) * (i == j ? 1.0 + RIDGE : 1.0);
        return algebra::cholesky(q, S.data());
    }

    // dt, dy and dv for the right-hand side; dt has the changes of activities, too.
    void solve() {
        for (Index j = 0; j < n; j++) dt[at(j)] = right[at(j)];
        for (Index i = 0; i < m; i++) {
            const double by = right[at(n + i)] + theta[at(n + i)] * r_g[at(i)];
            for (Index j : members[at(i)]) dt[at(j)] += by * p.G(i, j);
        }
        algebra::cholesky_solve(n, K.data(), dt.data());
        for (Index i = 0; i < q; i++) dy[at(i)] = r_e[at(i)] - row(p.E, i, dt.data());
        algebra::cholesky_solve(q, S.data(), dy.data());
        for (Index i = 0; i < q; i++) algebra::add_one(across.data() + i * n, dy[at(i)], n, dt.data());
        for (Index i = 0; i < m; i++) {
            dt[at(n + i)] = activity(i, dt.data()) - r_g[at(i)];
            dv[at(i)] = right[at(n + i)] - theta[at(n + i)] * dt[at(n + i)];
        }
    }

    // The longest step, at most about 1, that keeps all numbers at 0 or above; 0/0, of no end, is passed over.
    double reach() const {
        double pace = INSIDE;
        const auto note = [&](double change, double here) {
            const double by = -change / here;
            if (by > pace) pace = by;
        };
        for (std::size_t k = 0; k < at(N); k++)
            note(dt[k], sl[k]), note(-dt[k], sh[k]), note(dl[k], zl[k]), note(dh[k], zh[k]);
        return 1.0 / pace;
    }

    bool move(double mu) {
        for (std::size_t k = 0; k < at(N); k++) right[k] = -slope[k];  // zh - zl - (slope - zl + zh)
        solve();  // the predictor: straight to a gap of zero
        for (std::size_t k = 0; k < at(N); k++)
            dl[k] = -zl[k] - zl[k] / sl[k] * dt[k], dh[k] = zh[k] / sh[k] * dt[k] - zh[k];
        const double far = reach();
        double left = 0.0;
        for (std::size_t k = 0; k < at(N); k++) {
            if (std::isfinite(sl[k])) left += (zl[k] + far * dl[k]) * (sl[k] + far * dt[k]);
            if (std::isfinite(sh[k])) left += (zh[k] + far * dh[k]) * (sh[k] - far * dt[k]);
        }
        const double share = std::max(left, 0.0) / (static_cast<double>(ends) * mu), aim = share * share * share * mu;
        for (std::size_t k = 0; k < at(N); k++) {
            to_l[k] = (aim - dt[k] * dl[k]) / sl[k], to_h[k] = (aim + dt[k] * dh[k]) / sh[k];
            right[k] += to_l[k] - to_h[k];
        }
        solve();
        for (std::size_t k = 0; k < at(N); k++)
            dl[k] = to_l[k] - zl[k] - zl[k] / sl[k] * dt[k], dh[k] = to_h[k] - zh[k] + zh[k] / sh[k] * dt[k];
        const double length = std::min(1.0, INSIDE * reach());
        if (!(length > 1e-12) || !all_in(dt)) return false;
        for (std::size_t k = 0; k < at(N); k++)
            t[k] += length * dt[k], zl[k] += length * dl[k], zh[k] += length * dh[k];
        for (std::size_t i = 0; i < at(q); i++) y[i] += length * dy[i];
        for (std::size_t i = 0; i < at(m); i++) v[i] += length * dv[i];
        return true;
    }
};

}  // namespace greedyhull
