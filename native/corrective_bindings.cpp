// Bindings of the corrective rounds over budgets, for losses and for quadratics.
#include <functional>
#include <memory>
#include <nanobind/stl/unique_ptr.h>
#include <string>

#include "bindings.hpp"
#include "data_bindings.hpp"
#include "rounds_bindings.hpp"

namespace greedyhull {

struct Problem {  // what all data have in common: loss, budget, scales, numbers
    Index n;
    nb::object loss;  // (kind, parameter, y, p), or a function
    bool quadratic, intercept, positive, whole;
    Vector<const double> scales;
    double l2;
    Index batch, steps;
    nb::object points;  // a matrix with a point in each row, or None where the atoms are coordinates
};

template <class D>
std::unique_ptr<Rounds> rounds_with(D X, const Problem& about, nb::list alive) {
    expect(about.scales.shape(0) == 1 || static_cast<Index>(about.scales.shape(0)) == X.d, "one scale a column is wanted");
    const Index rows = data_rows(X);
    auto loss = any_loss(about.loss, rows, about.quadratic, about.intercept, alive);
    const bool ridge_in_rows = rows < X.n;
    if (ridge_in_rows) loss = std::make_unique<RidgedLoss>(std::move(loss), rows);
    alive.append(nb::cast(about.scales));
    return std::make_unique<RoundsOf<D>>(X, std::move(loss), Budget{about.positive, about.whole}, span(about.scales),
                                         ridge_in_rows ? 0.0 : about.l2, about.batch, about.steps, alive);
}

template <class D>
std::unique_ptr<Rounds> rounds_on(D X, const Problem& about, nb::list alive) {
    if (about.points.is_none()) return rounds_with(X, about, alive);
    return rounds_with(Mapped<D>::of(X, points_of(about.points, X.d, alive), std::sqrt(about.l2)), about, alive);
}

template <class T>
std::unique_ptr<Rounds> dense_rounds(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, nb::object loss, bool quadratic,
                                     bool intercept, bool positive, bool whole, Vector<const double> scales, double l2,
                                     Index batch, Index steps, nb::object points) {
    nb::list alive;
    const Dense<T> data = dense_design(X, alive);
    const Problem about{data.n, loss, quadratic, intercept, positive, whole, scales, l2, batch, steps, points};
    if (quadratic && points.is_none() && is_tall(data.n, data.d)) return rounds_with(Tall<T>::of(data), about, alive);
    return rounds_on(data, about, alive);
}

template <class T, class I>
std::unique_ptr<Rounds> sparse_rounds(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Index n,
                                      nb::object loss, bool quadratic, bool intercept, bool positive, bool whole,
                                      Vector<const double> scales, double l2, Index batch, Index steps, nb::object points) {
    nb::list alive;
    return rounds_on(sparse_design(starts, places, entries, n, alive),
                     Problem{n, loss, quadratic, intercept, positive, whole, scales, l2, batch, steps, points}, alive);
}

template <class T>
void add_rounds_of(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    m.def("dense_rounds", dense_rounds<T>, plain, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), plain, nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none());
    m.def("sparse_rounds", sparse_rounds<T, std::uint32_t>, plain, plain, plain, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), plain, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    m.def("sparse_rounds", sparse_rounds<T, std::uint64_t>, plain, plain, plain, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), plain, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
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
    add_rounds_of<double>(m);
    add_rounds_of<float>(m);
}

}  // namespace greedyhull

namespace greedyhull {

struct FormAbout {  // what dense and sparse forms have in common
    Vector<const double> b;
    bool positive, whole;
    Vector<const double> scales;
    Index batch;
    nb::object points;
};

template <class D>
std::unique_ptr<Rounds> form_rounds(D Q, const FormAbout& about, nb::list alive) {
    expect(Q.n == Q.d && static_cast<Index>(about.b.shape(0)) == Q.d, "a square matrix and as many numbers b are wanted");
    const Points points = about.points.is_none() ? Points{} : points_of(about.points, Q.d, alive);
    const auto form = Form<D>::of(Q, span(about.b), points);
    expect(about.scales.shape(0) == 1 || static_cast<Index>(about.scales.shape(0)) == form.d, "one scale an atom is wanted");
    alive.append(nb::cast(about.b)), alive.append(nb::cast(about.scales));
    return std::make_unique<RoundsOf<Form<D>>>(form, std::make_unique<FormLoss>(span(about.b)), Budget{about.positive, about.whole},
                                               span(about.scales), 0.0, about.batch, Index{1}, alive);
}

template <class T>
std::unique_ptr<Rounds> dense_form(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> Q, Vector<const double> b, bool positive,
                                   bool whole, Vector<const double> scales, Index batch, nb::object points) {
    nb::list alive;
    Dense<T> data = dense_design(Q, alive);
    if (!data.by_column()) std::swap(data.row_stride, data.column_stride);  // Q' = Q
    return form_rounds(data, {b, positive, whole, scales, batch, points}, alive);
}

template <class T, class I>
std::unique_ptr<Rounds> sparse_form(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries,
                                    Vector<const double> b, bool positive, bool whole, Vector<const double> scales, Index batch,
                                    nb::object points) {
    nb::list alive;
    return form_rounds(sparse_design(starts, places, entries, static_cast<Index>(b.shape(0)), alive),
                       {b, positive, whole, scales, batch, points}, alive);
}

template <class T>
void add_forms_of(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    m.def("dense_form", dense_form<T>, plain, plain, nb::arg(), nb::arg(), plain, nb::arg(), nb::arg().none());
    m.def("sparse_form", sparse_form<T, std::uint32_t>, plain, plain, plain, plain, nb::arg(), nb::arg(), plain, nb::arg(),
          nb::arg().none());
    m.def("sparse_form", sparse_form<T, std::uint64_t>, plain, plain, plain, plain, nb::arg(), nb::arg(), plain, nb::arg(),
          nb::arg().none());
}

void add_forms(nb::module_& m) {
    add_forms_of<double>(m);
    add_forms_of<float>(m);
}

}  // namespace greedyhull
