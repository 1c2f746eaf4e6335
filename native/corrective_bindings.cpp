// Bindings of the corrective rounds over budgets, for losses and for quadratics.
#include <memory>
#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "data_bindings.hpp"
#include "corrective.hpp"

namespace greedyhull {

// One type for Python, whatever the data are.
class Rounds : public AnyRounds {
   public:
    virtual void begin(Vector<const Index> columns, Vector<const double> u) = 0;
    virtual nb::tuple sharpen(double mu) = 0;  // the gap there, and a gap that is as good as none
    virtual nb::tuple atoms() const = 0;  // coordinates, scales and weights, the origin with what is left of the budget
};

// X'r in the coordinates of the objective.
template <class D>
const auto& gradient_of(const Corrective<D>& core) {
    if constexpr (is_form<D>)
        return core.residual();
    else if constexpr (is_mapped<D>)
        return core.data().gradient;
    else
        return core.gradient;
}

template <class D>
class RoundsOf : public Held<Rounds, Corrective<D>> {
    using Base = Held<Rounds, Corrective<D>>;
    using Base::core_;

   public:
    RoundsOf(D X, std::unique_ptr<SmoothLoss> loss, Budget budget, Span<const double> scales, double l2, Index batch, Index steps,
             nb::list alive)
        : Base(std::move(alive), X, std::move(loss), budget, scales, l2, batch, steps), d_(X.d), n_(X.n) {}

    void begin(Vector<const Index> columns, Vector<const double> u) override {
        expect(columns.shape(0) == u.shape(0), "begin: as many weights as columns are wanted");
        expect_below(span(columns), d_, "begin: a column is not there");
        core_.columns.assign(columns.data(), columns.data() + columns.shape(0));
        core_.u.assign(u.data(), u.data() + u.shape(0));
        nb::gil_scoped_release free;
        core_.begin();
    }

    nb::tuple sharpen(double mu) override {
        double gap;
        {
            nb::gil_scoped_release free;
            core_.sharpen(mu);
            gap = core_.look();
        }
        return nb::make_tuple(gap, core_.loss().slack());
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
    Index d_, n_;
};

// A loss is (kind, parameter, y, p), or a function; points are a matrix with a point in each row, or None for coordinates.
template <class D>
std::unique_ptr<Rounds> rounds_of(D X, nb::list alive, nb::object loss, bool quadratic, bool intercept, bool positive, bool whole,
                                  Vector<const double> scales, double l2, Index batch, Index steps, nb::object points) {
    const auto on = [&](auto data) -> std::unique_ptr<Rounds> {
        expect(scales.shape(0) == 1 || static_cast<Index>(scales.shape(0)) == data.d, "one scale a column is wanted");
        const Index rows = data_rows(data);
        auto terms = any_loss(loss, rows, quadratic, intercept, alive);
        const bool ridge_in_rows = rows < data.n;
        if (ridge_in_rows) terms = std::make_unique<RidgedLoss>(std::move(terms), rows);
        alive.append(nb::cast(scales));
        return std::make_unique<RoundsOf<decltype(data)>>(data, std::move(terms), Budget{positive, whole}, span(scales),
                                                          ridge_in_rows ? 0.0 : l2, batch, steps, alive);
    };
    if constexpr (!D::sparse)
        if (quadratic && points.is_none() && is_tall(X.n, X.d)) return on(tall_of(X));
    if (points.is_none()) return on(X);
    return on(Mapped<D>::of(X, points_of(points, X.d, alive), std::sqrt(l2)));
}

template <class D>
std::unique_ptr<Rounds> form_of(D Q, nb::list alive, Vector<const double> b, bool positive, bool whole,
                                Vector<const double> scales, Index batch, nb::object points) {
    if constexpr (!D::sparse)
        if (!Q.by_column()) std::swap(Q.row_stride, Q.column_stride);  // Q' = Q
    expect(Q.n == Q.d && static_cast<Index>(b.shape(0)) == Q.d, "a square matrix and as many numbers b are wanted");
    const auto form = Form<D>::of(Q, span(b), points.is_none() ? Points{} : points_of(points, Q.d, alive));
    expect(scales.shape(0) == 1 || static_cast<Index>(scales.shape(0)) == form.d, "one scale an atom is wanted");
    alive.append(nb::cast(b)), alive.append(nb::cast(scales));
    return std::make_unique<RoundsOf<Form<D>>>(form, std::make_unique<FormLoss>(span(b)), Budget{positive, whole}, span(scales), 0.0,
                                               batch, Index{1}, alive);
}

// SciPy's BLAS, loaded where it is first needed.
bool bound_by_python() {
    nb::gil_scoped_acquire held;
    nb::module_::import_("greedyhull.kernels.lapack");  // which calls bind_blas, or raises
    return blas::functions.bound;
}

void add_rounds(nb::module_& m) {
    algebra::bind_blas = bound_by_python;
    rounds_class<Rounds>(m, "Rounds")
        .def("begin", &Rounds::begin, nb::arg().noconvert(), nb::arg().noconvert())
        .def("sharpen", &Rounds::sharpen)
        .def("atoms", &Rounds::atoms);
    each_design([&](auto kind) {
        using D = typename decltype(kind)::type;
        def_design(m, "rounds", rounds_of<D>);
        def_design(m, "form", form_of<D>);
    });
}

}  // namespace greedyhull
