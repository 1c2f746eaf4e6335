// Conjugate gradients on faces, as Python asks for them: arrays are changed in place.
#include "face_steps_door.hpp"

#include "door.hpp"
#include "face_steps.hpp"

namespace greedyhull {

namespace {

Faces faces(const Vector<const Index>& starts, const Vector<const Index>& places, const Vector<const double>& entries,
            const Vector<const double>& free, const Vector<const double>& tight, const Table2<double>& factor) {
    const Faces all{span(starts), span(places), span(entries), span(free), span(tight), matrix(factor)};
    bool grow = all.starts.size == all.d() + 1 && all.starts[0] == 0 && all.starts[all.d()] == all.places.size;
    for (Index j = 0; grow && j < all.d(); j++) grow = all.starts[j] <= all.starts[j + 1];
    expect(grow && all.places.size == all.entries.size && all.factor.rows == all.m() && all.factor.columns == all.m(),
           "faces: shapes differ");
    expect_below(all.places, all.m(), "faces: a row is numbered beyond the last one");
    return all;
}

bool factor(Vector<const Index> starts, Vector<const Index> places, Vector<const double> entries, Vector<const double> free,
            Vector<const double> tight, Table2<double> out) {
    return faces(starts, places, entries, free, tight, out).factorise();
}

void shift(Vector<const Index> starts, Vector<const Index> places, Vector<const double> entries, Vector<const double> free,
           Vector<const double> tight, Table2<double> known, Vector<const double> off, Vector<double> x) {
    const Faces on = faces(starts, places, entries, free, tight, known);
    expect(span(off).size == on.m() && span(x).size == on.d(), "face_shift: shapes differ");
    on.shift(off.data(), x.data());
}

double project(Vector<const Index> starts, Vector<const Index> places, Vector<const double> entries, Vector<const double> free,
               Vector<const double> tight, Table2<double> known, Vector<double> r, Vector<double> y) {
    const Faces on = faces(starts, places, entries, free, tight, known);
    expect(span(r).size == on.d() && span(y).size == on.m(), "face_project: shapes differ");
    std::vector<double> q;
    return on.project(r.data(), y.data(), q);
}

double step(Vector<const Index> starts, Vector<const Index> places, Vector<const double> entries, Vector<const double> free,
            Vector<const double> tight, Table2<double> known, Vector<const double> bend, Vector<double> p, Vector<double> x,
            Vector<double> g, Vector<double> r, Vector<double> y, double square, double least) {
    const Faces on = faces(starts, places, entries, free, tight, known);
    const Index d = on.d();
    expect(span(bend).size == d && span(p).size == d && span(x).size == d && span(g).size == d && span(r).size == d &&
               span(y).size == on.m(),
           "face_step: shapes differ");
    return on.step(bend.data(), p.data(), x.data(), g.data(), r.data(), y.data(), square, least);
}

}  // namespace

void add_face_steps(nb::module_& m) {
    def(m, "face_factor", factor);
    def(m, "face_shift", shift);
    def(m, "face_project", project);
    def(m, "face_step", step);
}

}  // namespace greedyhull
