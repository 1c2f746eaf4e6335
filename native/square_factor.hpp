// The Cholesky factor of a Hessian on active columns that come and go, one at a time: LL' = H_AA, and q = L^-1 s for their signs s.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "algebra.hpp"

namespace greedyhull {

class SquareFactor {
   public:
    Index k = 0;
    std::vector<double> q;

    void clear() { k = 0, q.clear(); }

    // A column joins: `row` has its entries of H with the active columns, `own` that with itself. Where it depends on the
    // others, up to the share `least` of its square, it is refused, or with `force` taken with that share.
    bool join(const double* row, double own, double sign, double least, bool force) {
        if (k == room_) widen();
        double *to = L_.data() + k * room_, square = 0.0, known = 0.0;
        for (Index a = 0; a < k; a++) {
            double sum;
            algebra::dots(L_.data() + a * room_, room_, a, 1, to, &sum);
            to[a] = (row[a] - sum) / L_[static_cast<std::size_t>(a * room_ + a)];
        }
        algebra::dots(to, room_, k, 1, to, &square);
        double rest = own - square;
        if (!(rest > least * own)) {
            if (!force || !(own > 0.0)) return false;
            rest = least * own;
        }
        to[k] = std::sqrt(rest);
        algebra::dots(to, room_, k, 1, q.data(), &known);
        q.push_back((sign - known) / to[k]);
        k++;
        return true;
    }

    // How the column that was refused last depends on the active ones: H_AA^-1 row.
    void dependence(std::vector<double>& x) const {
        x.assign(L_.data() + k * room_, L_.data() + k * room_ + k);
        back(x.data());
    }

    // The column in place `at` leaves: rotations make the rest triangular again, row by row.
    void leave(Index at) {
        cosine_.resize(static_cast<std::size_t>(k)), sine_.resize(static_cast<std::size_t>(k));
        for (Index a = at; a + 1 < k; a++) {
            double *to = L_.data() + a * room_, *from = to + room_;
            std::copy(from, from + a + 2, to);
            for (Index b = at; b < a; b++) turn(b, to[b], to[b + 1]);
            const double length = std::hypot(to[a], to[a + 1]);
            cosine_[static_cast<std::size_t>(a)] = to[a] / length, sine_[static_cast<std::size_t>(a)] = to[a + 1] / length;
            to[a] = length;
            turn(a, q[static_cast<std::size_t>(a)], q[static_cast<std::size_t>(a + 1)]);
        }
        k--;
        q.resize(static_cast<std::size_t>(k));
    }

    // x <- L'^-1 x, and x <- L^-1 x.
    void back(double* x) const {
        for (Index a = k - 1; a >= 0; a--) {
            x[a] /= L_[static_cast<std::size_t>(a * room_ + a)];
            algebra::add_one(L_.data() + a * room_, -x[a], a, x);
        }
    }
    void forth(double* x) const {
        for (Index a = 0; a < k; a++) {
            double known;
            algebra::dots(L_.data() + a * room_, room_, a, 1, x, &known);
            x[a] = (x[a] - known) / L_[static_cast<std::size_t>(a * room_ + a)];
        }
    }

   private:
    Index room_ = 0;
    std::vector<double> L_, cosine_, sine_;

    void turn(Index b, double& x, double& y) const {
        const double c = cosine_[static_cast<std::size_t>(b)], s = sine_[static_cast<std::size_t>(b)], old = x;
        x = c * old + s * y, y = c * y - s * old;
    }
    void widen() {
        const Index room = std::max<Index>(16, 2 * room_);
        std::vector<double> wide(static_cast<std::size_t>(room * room));
        for (Index a = 0; a < k; a++) std::copy_n(L_.data() + a * room_, a + 1, wide.data() + a * room);
        L_.swap(wide), room_ = room;
    }
};

}  // namespace greedyhull
