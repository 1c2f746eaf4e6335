// The ways in which the matrix Q of a quadratic may be given, and the part of it that a round works on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "designs.hpp"
#include "regions.hpp"

namespace greedyhull {

// Q itself, on all coordinates: nothing is copied.
class WholeMatrix {
   public:
    WholeMatrix(const double* Q, Index d) : Q_(Q), d_(d) {}
    void product(const double* x, double* z) const { algebra::dots(Q_, d_, d_, d_, x, z); }
    bool choose(Region&, const std::vector<double>&, const std::vector<double>&, std::vector<Index>& columns) const {
        columns.resize(static_cast<std::size_t>(d_));
        std::iota(columns.begin(), columns.end(), Index(0));
        return true;
    }
    const double* on(const std::vector<Index>&) { return Q_; }

   private:
    const double* Q_;
    Index d_;
};

// Those coordinates that the region lets in; false where there are none, or too many to be solved for together.
inline bool choose_free(Region& region, const std::vector<double>& g, const std::vector<double>& x, Index most,
                        std::vector<Index>& columns) {
    columns.clear();
    region.free(g, x, columns);
    return !columns.empty() && static_cast<Index>(columns.size()) <= most;
}

// Q itself, on the coordinates that the region lets in.
class SomeOfMatrix {
   public:
    SomeOfMatrix(const double* Q, Index d, Index most) : Q_(Q), d_(d), most_(most) {}
    void product(const double* x, double* z) const { algebra::combine(Q_, d_, d_, d_, x, z); }  // it is symmetric
    bool choose(Region& region, const std::vector<double>& g, const std::vector<double>& x, std::vector<Index>& columns) const {
        return choose_free(region, g, x, most_, columns);
    }
    const double* on(const std::vector<Index>& columns) {
        const std::size_t m = columns.size();
        H_.resize(m * m);
        for (std::size_t a = 0; a < m; a++)
            for (std::size_t b = 0; b < m; b++) H_[a * m + b] = Q_[columns[a] * d_ + columns[b]];
        return all_finite(H_.data(), H_.size()) ? H_.data() : nullptr;
    }

   private:
    const double* Q_;
    Index d_, most_;
    std::vector<double> H_;
};

// F'F + diag(D), on the coordinates that the region lets in; no d x d matrix is made.
template <class Design>
class FactorsAndDiagonal {
   public:
    FactorsAndDiagonal(Design F, const double* D, Index most) : F_(F), D_(D), most_(most) { image_.resize(at(F.n)); }
    void product(const double* x, double* z) {
        F_.product(x, image_.data());
        F_.adjoint(image_.data(), z);
        for (Index j = 0; j < F_.d; j++) z[j] += D_[j] * x[j];
    }
    bool choose(Region& region, const std::vector<double>& g, const std::vector<double>& x, std::vector<Index>& columns) const {
        return choose_free(region, g, x, most_, columns);
    }
    const double* on(const std::vector<Index>& columns) {
        const std::size_t m = columns.size(), k = at(F_.n);
        B_.resize(k * m), H_.assign(m * m, 0.0), scratch_.resize(m);
        for (std::size_t a = 0; a < m; a++) F_.column(columns[a], 1.0, B_.data() + a * k);
        algebra::add_square(static_cast<Index>(m), F_.n, B_.data(), H_.data(), scratch_.data());
        for (std::size_t a = 0; a < m; a++) {
            H_[a * m + a] += D_[columns[a]];
            for (std::size_t b = 0; b < a; b++) H_[b * m + a] = H_[a * m + b];
        }
        return all_finite(H_.data(), H_.size()) ? H_.data() : nullptr;
    }

   private:
    Design F_;
    const double* D_;
    Index most_;
    std::vector<double> image_, B_, H_, scratch_;
    static std::size_t at(Index j) { return static_cast<std::size_t>(j); }
};

}  // namespace greedyhull
