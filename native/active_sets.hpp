// Quadratics over the simplex in many weights, badly conditioned: guess which weights are positive, minimise with the others
// at zero and no other constraint, and let signs and prices correct the guess. Swaps would take thousands of steps there. Often
// five to ten guesses end it; nothing promises that, and who asks has other ways.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "algebra.hpp"
#include "scratch.hpp"

namespace greedyhull {

constexpr int MOST_SETS = 12;  // guesses, each a factorisation
constexpr int MOST_RISES = 2;  // how often a guess may be corrected in more places than the one before

class ActiveSets {
   public:
    // Moves u to the minimum over the simplex, and its gradient g along, if the guesses settle: weights that stay zero promise
    // less than `tol` then. Else both stay as they are.
    bool settle(Index size, const double* hessian, double tol, std::vector<double>& u, std::vector<double>& g) {
        m = size, H = hessian, base = g;
        double here = 0.0;
        for (Index i = 0; i < m; i++) here += u[at(i)] * g[at(i)];
        positive.resize(at(m));
        for (Index i = 0; i < m; i++) positive[at(i)] = u[at(i)] > 0.0 || g[at(i)] < here;
        for (Index i = 0; i < m; i++)
            if (u[at(i)] != 0.0) algebra::add_one(H + i * m, -u[at(i)], m, base.data());  // the gradient at zero
        pivot = std::max_element(u.begin(), u.end()) - u.begin();
        Index last = m;
        for (int k = 0, rises = 0; k < MOST_SETS && rises <= MOST_RISES; k++) {
            if (!minimise()) return false;
            const Index wrong = corrected(tol);
            if (wrong == 0) return take(u, g);
            rises += wrong > last, last = wrong;
            pivot = std::max_element(x.begin(), x.end()) - x.begin();
        }
        return false;
    }

   private:
    Index m = 0, pivot = 0;
    const double* H = nullptr;
    std::vector<double> base, x, G, step;
    std::vector<char> positive;
    std::vector<Index> free;
    Numbers M, kept;

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

    // x, the minimum where all but the guessed weights are zero and the sum is one, and the gradient G there. Weights are told
    // from the pivot's, so that what all of them have in common does not drown the rest.
    bool minimise() {
        free.clear();
        for (Index i = 0; i < m; i++)
            if (positive[at(i)] && i != pivot) free.push_back(i);
        const Index k = static_cast<Index>(free.size());
        const double *Hp = H + pivot * m, Hpp = Hp[pivot];
        M.resize(at(k * k)), step.resize(at(k));
        double trace = 0.0;
        for (Index a = 0; a < k; a++) {
            const double *Ha = H + free[at(a)] * m, shared = Hpp - Hp[free[at(a)]];
            double* row = M.data() + a * k;
            for (Index b = 0; b <= a; b++) row[b] = Ha[free[at(b)]] - Hp[free[at(b)]] + shared;
            trace += row[a];
        }
        if (!factorised(k, trace)) return false;
        x.assign(at(m), 0.0), x[at(pivot)] = 1.0;
        G = base;
        algebra::add_one(Hp, 1.0, m, G.data());
        for (int again = 0; again < 2; again++) {  // the second time for what the ridge of the factor has cost
            for (Index a = 0; a < k; a++) step[at(a)] = G[at(pivot)] - G[at(free[at(a)])];
            algebra::cholesky_solve(k, M.data(), step.data());
            double moved = 0.0;
            for (Index a = 0; a < k; a++) {
                if (!std::isfinite(step[at(a)])) return false;
                x[at(free[at(a)])] += step[at(a)], moved += step[at(a)];
                algebra::add_one(H + free[at(a)] * m, step[at(a)], m, G.data());
            }
            x[at(pivot)] -= moved;
            algebra::add_one(Hp, -moved, m, G.data());
        }
        return true;
    }

    bool factorised(Index k, double trace) {
        kept = M;
        for (double ridge = 1e-13; ridge < 1e-6; ridge *= 1e3) {
            for (Index a = 0; a < k; a++) M[at(a * k + a)] += ridge * trace + 1e-300;
            if (algebra::cholesky(k, M.data())) return true;
            M = kept;
        }
        return false;
    }

    // How many of the guesses were wrong: weights that are negative, and others that promise more than `tol`.
    Index corrected(double tol) {
        Index wrong = 0;
        const double price = G[at(pivot)];
        for (Index i = 0; i < m; i++) {
            const bool now = positive[at(i)] || i == pivot ? x[at(i)] > 0.0 : G[at(i)] < price - tol;
            wrong += now != (positive[at(i)] || i == pivot), positive[at(i)] = now;
        }
        return wrong;
    }

    bool take(std::vector<double>& u, std::vector<double>& g) {
        double change = 0.0;
        for (Index i = 0; i < m; i++) change += 0.5 * (x[at(i)] - u[at(i)]) * (g[at(i)] + G[at(i)]);
        if (!(change <= 0.0)) return false;
        u.swap(x), g.swap(G);
        return true;
    }
};

}  // namespace greedyhull
