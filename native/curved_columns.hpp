// Working columns with the Hessian of a loss on them, which follows the curvature of the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "corrective.hpp"
#include "gathered_columns.hpp"

namespace greedyhull {

template <class D>
class CurvedColumns {
   public:
    std::vector<Index> columns;
    Numbers H;                 // Z' diag(c) Z, and
    std::vector<double> rows;  // the c it was made of
    bool known = false, from_sample = false;  // whether H is there, and made of a part of the rows

    // Hold these columns, in this order; what is known of those that stay is kept.
    void hold(const D& X, const std::vector<Index>& wanted, bool quadratic) {
        std::vector<Index> place(static_cast<std::size_t>(X.d), -1), kept, all;
        for (std::size_t a = 0; a < columns.size(); a++) place[at(columns[a])] = static_cast<Index>(a);
        for (Index j : wanted)
            if (place[at(j)] >= 0) kept.push_back(place[at(j)]), all.push_back(j);
        const std::size_t stay = kept.size();
        for (Index j : wanted)
            if (place[at(j)] < 0) all.push_back(j);
        const bool joined = all.size() > stay;
        known = known && stay > 0 && (quadratic || !joined);
        const bool all_stay = stay == columns.size() && std::equal(columns.begin(), columns.end(), all.begin());
        if (known && !all_stay) take(kept);
        columns.swap(all);
        build(X, all_stay ? static_cast<Index>(stay) : 0);
    }
    void build(const D& X, Index kept = 0) {
        ones_.assign(columns.size(), 1.0);
        Z_.build(X, columns, ones_.data(), kept);
    }

    void adjoint(const double* r, double* g) { Z_.adjoint(r, g); }

    // Quadratics: of new columns what is missing is added.
    void complete(const std::vector<double>& c) {
        const std::size_t have = known ? size_of_H() : 0;
        if (have < columns.size()) Z_.hessian(c.data(), nullptr, static_cast<Index>(have), H);
        known = true;
    }

    // Made anew where columns joined or rows are sampled, else corrected on the rows whose curvature moved.
    void follow(const std::vector<double>& c, bool sample, bool afresh) {
        if (afresh || !known || sample || from_sample) return renew(c, sample);
        some_.clear(), change_.resize(c.size());
        double fell = 0.0, most = 0.0;
        for (std::size_t i = 0; i < c.size(); i++) {
            const double by = c[i] - rows[i];
            fell = std::max(fell, rows[i]), most = std::max(most, c[i]);
            if (std::fabs(by) > STALE * rows[i]) some_.push_back(static_cast<Index>(i)), change_[i] = by;
        }
        if (some_.empty()) return;
        // a curvature that has fallen by far, taken away from a sum, would leave rounding only
        if (2 * some_.size() > c.size() || fell > 1e6 * most) return renew(c, false);
        for (Index i : some_) rows[at(i)] = c[at(i)];
        Z_.correct(change_.data(), some_, H);
    }

    // H with what an intercept takes away and a ridge adds; null where an intercept leaves rounding only.
    const double* whole(const std::vector<double>& c, bool intercept, double l2) {
        if (!intercept && l2 == 0.0) return H.data();
        const std::size_t m = columns.size();
        cross_.resize(m);
        if (!intercept)
            reduced_ = H;
        else if (!take_intercept(H, Z_, {c.data(), static_cast<Index>(c.size())}, cross_, reduced_))
            return nullptr;
        for (std::size_t a = 0; a < m; a++) reduced_[a * m + a] += l2;
        return reduced_.data();
    }

   private:
    typename Working<D>::Columns Z_;
    std::vector<Index> some_;
    std::vector<double> ones_, change_, cross_;
    Numbers reduced_;

    static std::size_t at(Index j) { return static_cast<std::size_t>(j); }
    std::size_t size_of_H() const {
        std::size_t m = static_cast<std::size_t>(std::sqrt(static_cast<double>(H.size())));
        while (m * m > H.size()) m--;
        while ((m + 1) * (m + 1) <= H.size()) m++;
        return m;
    }

    void take(const std::vector<Index>& kept) {
        const std::size_t old = size_of_H(), m = kept.size();
        Numbers less(m * m);
        for (std::size_t a = 0; a < m; a++)
            for (std::size_t b = 0; b < m; b++) less[a * m + b] = H[at(kept[a]) * old + at(kept[b])];
        H.swap(less);
    }

    void renew(const std::vector<double>& c, bool sample) {
        known = true, from_sample = sample;
        if (!sample) {
            Z_.hessian(c.data(), nullptr, 0, H), rows = c;
            return;
        }
        some_.clear(), change_.assign(c.size(), 0.0);
        std::uint32_t state = 777;
        for (std::size_t i = 0; i < c.size(); i++) {
            state = state * 1664525u + 1013904223u;
            if ((state >> 8) % SAMPLE == 0) some_.push_back(static_cast<Index>(i)), change_[i] = static_cast<double>(SAMPLE) * c[i];
        }
        Z_.hessian(change_.data(), &some_, 0, H);
    }
};

}  // namespace greedyhull
