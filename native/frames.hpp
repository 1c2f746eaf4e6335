// The directions that a round in coordinates solves for: unit vectors of the coordinates in which f can fall, or, in a ball of many
// dimensions, the span of the gradients seen so far. solvers/parts/directions.py has the same two.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "curved_columns.hpp"
#include "regions.hpp"

namespace greedyhull {

constexpr Index SPARE_COLUMNS = 4;      // one in so many columns may be idle before they leave, where the Hessian changes
constexpr double NEW_DIRECTION = 1e-8;  // a vector of which a smaller share lies outside a span adds no direction to it

template <class D>
class UnitFrame {
   public:
    CurvedColumns<D> curved;
    Index most = 1;  // coordinates that are solved for together: their Hessian is kept, and factorised

    void clear() { curved.columns.clear(), curved.known = false; }
    std::size_t size() const { return curved.columns.size(); }
    void take_up(const D& X) { curved.build(X); }

    // Let all coordinates join that can lower f at once, those with the largest shares of the gap where there are too many, which
    // is said. Some that cannot may stay: to take them out and in again costs more than they do.
    bool choose(const D& X, Region& region, const std::vector<double>& slopes, const std::vector<double>& x, bool quadratic) {
        wanted_.clear();
        region.free(slopes, x, wanted_);
        const bool many = static_cast<Index>(wanted_.size()) > most;
        if (many) {
            region.shares(slopes, x, shares_);
            std::stable_sort(wanted_.begin(), wanted_.end(), [&](Index a, Index b) { return shares_[at(a)] > shares_[at(b)]; });
            wanted_.resize(at(most));
            std::sort(wanted_.begin(), wanted_.end());
        }
        held_.assign(x.size(), 0);
        for (Index j : curved.columns) held_[at(j)] = 1;
        const bool joins = std::any_of(wanted_.begin(), wanted_.end(), [&](Index j) { return !held_[at(j)]; });
        const std::size_t have = size(), need = wanted_.size();
        const bool crowded = quadratic ? have > at(CROWDED) * need : have > need + need / at(SPARE_COLUMNS);
        if (joins && quadratic && !crowded && have + need <= at(most)) {
            for (Index j : wanted_) held_[at(j)] = 0;
            for (Index j : curved.columns)
                if (held_[at(j)]) wanted_.push_back(j);
        }
        if (joins || crowded) curved.hold(X, wanted_, quadratic);
        return many;
    }

    void cut(Region& region, const std::vector<double>& x) { region.cut(curved.columns, x); }
    void read(const std::vector<double>& x, std::vector<double>& y) const {
        y.resize(size());
        for (std::size_t a = 0; a < y.size(); a++) y[a] = x[at(curved.columns[a])];
    }
    void write(std::vector<double>& x, const std::vector<double>& y) const {
        for (std::size_t a = 0; a < y.size(); a++) x[at(curved.columns[a])] = y[a];
    }

    // As it is saved.
    const std::vector<Index>& index() const { return curved.columns; }
    std::vector<double> rows() const { return {}; }
    bool restore(const std::vector<Index>& index, const std::vector<double>& rows, Index) {
        curved.columns = index;
        return rows.empty();
    }

   private:
    std::vector<Index> wanted_;
    std::vector<double> shares_;
    std::vector<char> held_;
    static std::size_t at(Index j) { return static_cast<std::size_t>(j); }
};

// The images of a few directions, as data with a column for each.
struct Images {
    static constexpr bool sparse = false;
    const double* Z;
    Index n, d;
    void column(Index j, double, double* out) const { std::copy(Z + j * n, Z + (j + 1) * n, out); }
};

template <class D>
class SpanFrame {
   public:
    CurvedColumns<Images> curved;
    Index most = 1;  // directions

    void clear() { curved.columns.clear(), curved.known = false, rows_.clear(), images_.clear(); }
    std::size_t size() const { return curved.columns.size(); }

    void take_up(const D& X) {
        images_.clear();
        for (std::size_t a = 0; a < size(); a++) append_image(X, a);
        curved.build(seen(X));
    }

    // Let the gradient join; a span that is full begins anew with x and the directions that joined last.
    bool choose(const D& X, Region& region, const std::vector<double>& slopes, const std::vector<double>& x, bool quadratic) {
        const std::size_t d = x.size();
        if (static_cast<Index>(size()) >= most) {
            const std::size_t kept = static_cast<std::size_t>(most / 3);
            const std::vector<double> last(rows_.end() - static_cast<std::ptrdiff_t>(kept * d), rows_.end());
            clear();
            join(X, region.arm_of(x));
            for (std::size_t a = 0; a < kept; a++) join(X, std::vector<double>(last.data() + a * d, last.data() + (a + 1) * d));
        } else if (size() == 0) {
            join(X, region.arm_of(x));
        }
        join(X, slopes);
        std::vector<Index> all(rows_.size() / d);
        for (std::size_t a = 0; a < all.size(); a++) all[a] = static_cast<Index>(a);
        if (all.size() > size()) curved.hold(seen(X), all, quadratic);
        return false;
    }

    void cut(Region& region, const std::vector<double>& x) { region.cut_along(rows_, size(), x); }
    void read(const std::vector<double>& x, std::vector<double>& y) const {
        y.resize(size());
        const Index d = static_cast<Index>(x.size());
        algebra::dots(rows_.data(), d, d, static_cast<Index>(size()), x.data(), y.data());
    }
    void write(std::vector<double>& x, const std::vector<double>& y) const {
        std::vector<double> here;
        read(x, here);
        for (std::size_t a = 0; a < y.size(); a++)
            algebra::add_one(rows_.data() + a * x.size(), y[a] - here[a], static_cast<Index>(x.size()), x.data());
    }

    // As it is saved.
    const std::vector<Index>& index() const { return curved.columns; }
    std::vector<double> rows() const { return rows_; }
    bool restore(const std::vector<Index>& index, const std::vector<double>& rows, Index d) {
        curved.columns = index, rows_ = rows;
        for (std::size_t a = 0; a < index.size(); a++)
            if (index[a] != static_cast<Index>(a)) return false;
        return rows.size() == index.size() * static_cast<std::size_t>(d);
    }

   private:
    std::vector<double> rows_, images_, rest_, part_;  // directions, contiguous, and their images

    Images seen(const D& X) const { return {images_.data(), X.n, X.n > 0 ? static_cast<Index>(images_.size()) / X.n : 0}; }

    void append_image(const D& X, std::size_t a) {
        const std::size_t n = static_cast<std::size_t>(X.n);
        images_.resize((a + 1) * n);
        X.product(rows_.data() + a * static_cast<std::size_t>(X.d), images_.data() + a * n);
    }

    // The direction of v, if v lies outside by more than rounding; twice is enough for orthogonality to rounding.
    void join(const D& X, const std::vector<double>& v) {
        const std::size_t d = v.size(), k = rows_.size() / d;
        const Index width = static_cast<Index>(d);
        double largest = 0.0;
        for (double entry : v) largest = std::max(largest, std::fabs(entry));
        if (!(largest > 0.0 && largest < INFINITY)) return;
        rest_ = v, part_.resize(k);
        for (double& entry : rest_) entry /= largest;
        double norm = std::sqrt(dot(rest_, rest_));
        for (int twice = 0; twice < 2; twice++) {
            for (double& entry : rest_) entry /= norm;
            algebra::dots(rows_.data(), width, width, static_cast<Index>(k), rest_.data(), part_.data());
            for (std::size_t a = 0; a < k; a++) algebra::add_one(rows_.data() + a * d, -part_[a], width, rest_.data());
            norm = std::sqrt(dot(rest_, rest_));
            if (!(norm > NEW_DIRECTION)) return;
        }
        for (double& entry : rest_) entry /= norm;
        rows_.insert(rows_.end(), rest_.begin(), rest_.end());
        append_image(X, k);
    }
};

}  // namespace greedyhull
