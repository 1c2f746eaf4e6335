// The directions that a round in coordinates solves for, and their Hessian.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "corrective.hpp"
#include "regions.hpp"
#include "working_columns.hpp"

namespace greedyhull {

// Working columns with the Hessian of a loss on them, which follows the curvature of the rows.
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
        if (known && !all_stay) shrink(H, order(H), kept);
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
        const std::size_t have = known ? order(H) : 0;
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

    void renew(const std::vector<double>& c, bool sample) {
        known = true, from_sample = sample;
        if (!sample) {
            Z_.hessian(c.data(), nullptr, 0, H), rows = c;
            return;
        }
        some_ = sampled(static_cast<Index>(c.size())), change_.assign(c.size(), 0.0);
        for (Index i : some_) change_[at(i)] = static_cast<double>(SAMPLE) * c[at(i)];
        Z_.hessian(change_.data(), &some_, 0, H);
    }
};

// The directions that a round in coordinates solves for: unit vectors of the coordinates in which f can fall, or, in a ball of many
// dimensions, the span of the gradients seen so far.

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
};

// The images of a few directions, as data with a column for each.
struct Images {
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
