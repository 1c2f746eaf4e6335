// Bindings of the corrective rounds over budgets, for losses and for quadratics.
#include <functional>
#include <memory>
#include <nanobind/stl/unique_ptr.h>
#include <string>

#include "bindings.hpp"
#include "data_bindings.hpp"
#include "rounds_bindings.hpp"

namespace greedyhull {

template <class D>
struct is_dense : std::false_type {};
template <class T>
struct is_dense<Dense<T>> : std::true_type {};

template <class T>
Tall<T> tall_of(const Dense<T>& X) {
    return Tall<T>::of(X);
}

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
    if constexpr (is_dense<D>::value)
        if (quadratic && points.is_none() && is_tall(X.n, X.d)) return on(tall_of(X));
    if (points.is_none()) return on(X);
    return on(Mapped<D>::of(X, points_of(points, X.d, alive), std::sqrt(l2)));
}

template <class D>
std::unique_ptr<Rounds> form_of(D Q, nb::list alive, Vector<const double> b, bool positive, bool whole,
                                Vector<const double> scales, Index batch, nb::object points) {
    if constexpr (is_dense<D>::value)
        if (!Q.by_column()) std::swap(Q.row_stride, Q.column_stride);  // Q' = Q
    expect(Q.n == Q.d && static_cast<Index>(b.shape(0)) == Q.d, "a square matrix and as many numbers b are wanted");
    const auto form = Form<D>::of(Q, span(b), points.is_none() ? Points{} : points_of(points, Q.d, alive));
    expect(scales.shape(0) == 1 || static_cast<Index>(scales.shape(0)) == form.d, "one scale an atom is wanted");
    alive.append(nb::cast(b)), alive.append(nb::cast(scales));
    return std::make_unique<RoundsOf<Form<D>>>(form, std::make_unique<FormLoss>(span(b)), Budget{positive, whole}, span(scales), 0.0,
                                               batch, Index{1}, alive);
}

template <class D>
void add_rounds_of(nb::module_& m) {
    def_design(m, "rounds", rounds_of<D>);
    def_design(m, "form", form_of<D>);
}

// SciPy's BLAS, loaded where it is first needed.
bool bound_by_python() {
    nb::gil_scoped_acquire held;
    nb::module_::import_("greedyhull.kernels.lapack");  // which calls bind_blas, or raises
    return blas::functions.bound;
}

void add_rounds(nb::module_& m) {
    algebra::bind_blas = bound_by_python;
    nb::class_<Rounds>(m, "Rounds")
        .def("begin", &Rounds::begin, nb::arg().noconvert(), nb::arg().noconvert())
        .def("look", &Rounds::look)
        .def("sharpen", &Rounds::sharpen)
        .def("value", &Rounds::value)
        .def("advance", &Rounds::advance)
        .def("atoms", &Rounds::atoms)
        .def("seen", &Rounds::seen)
        .def("state", &Rounds::state)
        .def("restore", &Rounds::restore);
    add_rounds_of<Dense<double>>(m);
    add_rounds_of<Dense<float>>(m);
    add_rounds_of<ByColumn<double, std::uint32_t>>(m);
    add_rounds_of<ByColumn<double, std::uint64_t>>(m);
    add_rounds_of<ByColumn<float, std::uint32_t>>(m);
    add_rounds_of<ByColumn<float, std::uint64_t>>(m);
}

}  // namespace greedyhull
