// Passes over observed entries, as Python asks for them.
#include "observed_door.hpp"

#include "door.hpp"
#include "observed.hpp"

namespace greedyhull {

namespace {

Places places(Span<const Index> starts, Span<const std::uint32_t> columns, Index rows, Index width, Index entries) {
    bool ordered = starts.size == rows + 1 && starts[0] == 0 && starts[rows] == columns.size && columns.size == entries;
    for (Index i = 0; ordered && i < rows; i++) ordered = starts[i] <= starts[i + 1];
    expect(ordered, "observed: starts, columns, entries and factors do not fit together");
    expect_below(columns, width, "observed: there is no such column");
    return {starts, columns};
}

template <class T>
void entries(Vector<const Index> starts, Vector<const std::uint32_t> columns, Table2<const T> U, Table2<const T> V,
             Vector<T> out) {
    const auto u = matrix(U), v = matrix(V);
    expect(u.columns == v.columns, "observed_entries: the factors have different ranks");
    observed_entries(places(span(starts), span(columns), u.rows, v.rows, span(out).size), u.columns, u.data, v.data, out.data());
}

template <class T>
void products(Vector<const Index> starts, Vector<const std::uint32_t> columns, Vector<const T> c, Table2<const T> U,
              Table2<const T> V, Table2<T> left, Table2<T> right) {
    const auto u = matrix(U), v = matrix(V), l = matrix(left), t = matrix(right);
    expect(u.columns == v.columns && l.columns == u.columns && t.columns == u.columns && l.rows == u.rows && t.rows == v.rows,
           "observed_products: shapes differ");
    const Places at = places(span(starts), span(columns), u.rows, v.rows, span(c).size);
    std::fill(t.data, t.data + t.rows * t.columns, T(0));
    observed_products(at, u.columns, c.data(), u.data, v.data, l.data, t.data);
}

}  // namespace

void add_observed(nb::module_& m) {
    def(m, "observed_entries", entries<double>);
    def(m, "observed_entries", entries<float>);
    def(m, "observed_products", products<double>);
    def(m, "observed_products", products<float>);
}

}  // namespace greedyhull
