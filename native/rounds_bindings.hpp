// The object `Rounds` that Python holds: it keeps its arrays alive, is told where to stand and how far to go.
#pragma once

#include <memory>

#include "corrective.hpp"
#include "data_bindings.hpp"

namespace greedyhull {

// One type for Python, whatever the data are.
class Rounds {
   public:
    virtual ~Rounds() = default;
    virtual void begin(Vector<const Index> columns, Vector<const double> u) = 0;
    virtual double look() = 0;
    virtual nb::tuple sharpen(double mu) = 0;  // the gap there, and a gap that is as good as none
    virtual double value() const = 0;  // of f where the rounds stand
    virtual nb::tuple advance(Index rounds, double absolute, double relative, double floor, double lower, nb::callable asked) = 0;
    virtual nb::tuple atoms() const = 0;  // coordinates, scales and weights, the origin with what is left of the budget
    virtual nb::tuple seen() const = 0;   // z, the value there, the residual and the gradient
    virtual nb::dict state() const = 0;
    virtual void restore(nb::dict state) = 0;
};

// X'r in the coordinates of the objective.
template <class D>
const std::vector<double>& gradient_of(const Corrective<D>& core) {
    return core.gradient;
}
template <class D>
const std::vector<double>& gradient_of(const Corrective<Mapped<D>>& core) {
    return core.data().gradient;
}
template <class D>
const Numbers& gradient_of(const Corrective<Form<D>>& core) {
    return core.residual();
}

template <class D>
class RoundsOf : public Rounds {
   public:
    RoundsOf(D X, std::unique_ptr<SmoothLoss> loss, Budget budget, Span<const double> scales, double l2, Index batch, Index steps,
             nb::list alive)
        : alive_(std::move(alive)), core_(X, std::move(loss), budget, scales, l2, batch, steps), d_(X.d), n_(X.n) {}

    void begin(Vector<const Index> columns, Vector<const double> u) override {
        expect(columns.shape(0) == u.shape(0), "begin: as many weights as columns are wanted");
        expect_below(span(columns), d_, "begin: a column is not there");
        core_.columns.assign(columns.data(), columns.data() + columns.shape(0));
        core_.u.assign(u.data(), u.data() + u.shape(0));
        nb::gil_scoped_release free;
        core_.begin();
    }

    double look() override {
        nb::gil_scoped_release free;
        return core_.look();
    }

    double value() const override { return core_.value(); }

    nb::tuple sharpen(double mu) override {
        double gap;
        {
            nb::gil_scoped_release free;
            core_.sharpen(mu);
            gap = core_.look();
        }
        return nb::make_tuple(gap, core_.loss().slack());
    }

    nb::tuple advance(Index rounds, double absolute, double relative, double floor, double lower, nb::callable asked) override {
        return advanced(core_, {rounds, absolute, relative, floor, 0.0, lower}, asked);
    }

    nb::tuple atoms() const override {
        std::vector<Index> at;
        std::vector<double> scale, weight;
        double rest = 1.0;
        for (std::size_t a = 0; a < core_.u.size(); a++) {
            const double x = core_.u[a];
            if (x == 0.0) continue;
            at.push_back(core_.columns[a]), weight.push_back(std::fabs(x)), rest -= std::fabs(x);
            scale.push_back(std::copysign(core_.scale_of(core_.columns[a]), x));
        }
        if (!core_.budget().whole && (rest > REST || at.empty())) at.push_back(0), scale.push_back(0.0), weight.push_back(rest);
        return nb::make_tuple(as_array(at), as_array(scale), as_array(weight));
    }

    nb::tuple seen() const override {
        const Index rows = data_rows(core_.data());
        return nb::make_tuple(as_array(core_.z, rows), core_.value(), as_array(core_.residual(), rows),
                              as_array(gradient_of(core_)));
    }

    nb::dict state() const override {
        nb::dict out;
        out["columns"] = as_array(core_.columns), out["u"] = as_array(core_.u), out["z"] = as_array(core_.z);
        out["hessian"] = as_array(core_.has_hessian ? core_.H : Numbers());
        out["rows"] = as_array(core_.has_hessian ? core_.H_rows : Numbers());
        const std::vector<double> told = {core_.last_gap, double(core_.sampling), double(core_.has_hessian),
                                          double(core_.sampled_hessian), core_.loss().b, double(core_.cold), core_.best_gap, core_.best_value,
                                          double(core_.idle)};
        out["told"] = as_array(told);
        return out;
    }

    void restore(nb::dict state) override {
        const auto columns = as_vector<Index>(state["columns"]);
        const auto u = as_vector<double>(state["u"]), z = as_vector<double>(state["z"]), H = as_vector<double>(state["hessian"]),
                   rows = as_vector<double>(state["rows"]), told = as_vector<double>(state["told"]);
        const std::size_t m = columns.size(), n = static_cast<std::size_t>(n_);
        expect(u.size() == m && z.size() == n && told.size() == 9 && H.size() <= m * m && (rows.empty() || rows.size() == n),
               "restore: the saved parts do not fit together");
        expect_below(Span<const Index>{columns.data(), static_cast<Index>(m)}, d_, "restore: a column is not there");
        core_.columns = columns, core_.u = u;
        core_.z.assign(z.begin(), z.end()), core_.H.assign(H.begin(), H.end()), core_.H_rows.assign(rows.begin(), rows.end());
        core_.last_gap = told[0], core_.sampling = told[1] != 0.0, core_.sampled_hessian = told[3] != 0.0;
        core_.has_hessian = told[2] != 0.0 && (core_.loss().quadratic || (H.size() == m * m && (rows.size() == n || told[3] != 0.0)));
        core_.loss().b = told[4], core_.cold = told[5] != 0.0;
        core_.best_gap = told[6], core_.best_value = told[7], core_.idle = static_cast<Index>(told[8]);
        nb::gil_scoped_release free;
        core_.take_up();
    }

   private:
    nb::list alive_;  // the arrays that pointers lead to
    Corrective<D> core_;
    Index d_, n_;
};

}  // namespace greedyhull
