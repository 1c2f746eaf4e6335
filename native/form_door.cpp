// Corrective rounds on quadratics w'Qw/2 - b'w, as Python asks for them.
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "corrective_door.hpp"
#include "rounds_door.hpp"

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
