// Weights under caps on groups, as Python asks for them: vertices, levels, nearest points and quadratics.
#include "grouped_door.hpp"

#include "door.hpp"
#include "grouped_qp.hpp"

namespace greedyhull {

namespace {

Caps caps_of(Index d, const Vector<const double>& high, const Vector<const Index>& of, const Vector<const double>& room,
             const char* message) {
    expect(span(high).size == d && span(of).size == d, message);
    expect_below(span(of), span(room).size, message);
    return {span(high), span(of), span(room)};
}

Index vertex(Vector<const double> g, Vector<const double> high, Vector<const Index> of, Vector<const double> room, double total,
             double least, Vector<Index> places, Vector<double> entries) {
    const Index d = span(g).size;
    expect(span(places).size == d && span(entries).size == d, "grouped_vertex: shapes differ");
    const Caps caps = caps_of(d, high, of, room, "grouped_vertex: shapes differ");
    return GroupFilling().vertex(g.data(), caps, total, least, places.data(), entries.data());
}

double levels(Vector<const double> g, Vector<const double> high, Vector<const Index> of, Vector<const double> room, double total,
              Vector<double> level) {
    expect(span(level).size == span(room).size, "grouped_levels: shapes differ");
    GroupFilling filling;
    const double price = filling.levels(g.data(), caps_of(span(g).size, high, of, room, "grouped_levels: shapes differ"), total);
    std::copy(filling.level.begin(), filling.level.end(), level.data());
    return price;
}

void nearest(Vector<double> x, Vector<const double> high, Vector<const Index> of, Vector<const double> room, double total) {
    GroupFilling().nearest(x.data(), caps_of(span(x).size, high, of, room, "grouped_nearest: shapes differ"), total);
}

void qp(Table2<const double> H, Vector<const double> c, Vector<double> x, Vector<const double> high, Vector<const Index> of,
        Vector<const double> room, double tol) {
    const Index m = span(x).size;
    expect(matrix(H).rows == m && matrix(H).columns == m && span(c).size == m && m > 0, "grouped_qp: shapes differ");
    const Caps caps = caps_of(m, high, of, room, "grouped_qp: shapes differ");
    GroupedQP found;
    found.x.assign(x.data(), x.data() + m);
    found.solve(H.data(), c.data(), caps, tol, {});
    std::copy(found.x.begin(), found.x.end(), x.data());
}

}  // namespace

void add_grouped(nb::module_& m) {
    def(m, "grouped_vertex", vertex);
    def(m, "grouped_levels", levels);
    def(m, "grouped_nearest", nearest);
    def(m, "grouped_qp", qp);
}

}  // namespace greedyhull
