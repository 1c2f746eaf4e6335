// Bindings of quadratic problems: budgets, rows, faces, caps on groups.
#include "bindings.hpp"
#include "budget_batch.hpp"
#include "face_steps.hpp"
#include "grouped_qp.hpp"
#include "polyhedral_qp.hpp"

namespace greedyhull {

namespace {

void batch(Table2<const double> H, bool positive, bool whole, Table2<double> U, Table2<double> G, Vector<const double> tol,
           Vector<const Index> without, Vector<double> near, bool afresh, Index rounds, Vector<Index> made) {
    const Index m = matrix(H).rows, t = matrix(U).rows;
    expect(matrix(H).columns == m && matrix(U).columns == m && matrix(G).columns == m && matrix(G).rows == t &&
               span(tol).size == t && span(without).size == t && span(near).size == m && span(made).size == t && m > 0,
           "budget_batch: shapes differ");
    budget_batch(matrix(H), Budget{positive, whole}, matrix(U), matrix(G), span(tol), span(without), span(near), afresh,
                 rounds, span(made));
}

}  // namespace

void add_budget_batch(nb::module_& m) { def(m, "budget_batch", batch); }

}  // namespace greedyhull

namespace greedyhull {

namespace {

bool path(Table2<const double> H, Vector<const double> c, Table2<const double> G, Table2<const double> E, Vector<const double> e,
          Vector<const double> low, Vector<const double> high, Vector<double> t, Vector<double> prices, Vector<double> lower,
          Vector<double> upper, double tol) {
    const Index n = static_cast<Index>(c.shape(0)), m = static_cast<Index>(G.shape(0)), q = static_cast<Index>(E.shape(0));
    expect(n > 0 && matrix(H).rows == n && matrix(H).columns == n && matrix(G).columns == n && matrix(E).columns == n &&
               span(e).size == q && span(low).size == n + m && span(high).size == n + m && span(t).size == n + m &&
               span(prices).size == q + m && span(lower).size == n + m && span(upper).size == n + m,
           "rows_path: shapes differ");
    RowsPath found({matrix(H), span(c), matrix(G), matrix(E), span(e), span(low), span(high)}, {t.data(), n});
    found.follow(tol);
    std::copy(found.t.begin(), found.t.end(), t.data());
    std::copy(found.y.begin(), found.y.end(), prices.data());
    std::copy(found.v.begin(), found.v.end(), prices.data() + q);
    std::copy(found.zl.begin(), found.zl.end(), lower.data());
    std::copy(found.zh.begin(), found.zh.end(), upper.data());
    return found.finite();
}

bool faces(Table2<const double> H, Vector<const double> c, Table2<const double> G, Table2<const double> E, Vector<const double> e,
           Vector<const double> low, Vector<const double> high, Vector<double> t, Vector<double> prices, Vector<double> pulls) {
    const Index n = static_cast<Index>(c.shape(0)), m = static_cast<Index>(G.shape(0)), q = static_cast<Index>(E.shape(0));
    expect(n > 0 && matrix(H).rows == n && matrix(H).columns == n && matrix(G).columns == n && matrix(E).columns == n &&
               span(e).size == q && span(low).size == n + m && span(high).size == n + m && span(t).size == n + m &&
               span(prices).size == q + m && span(pulls).size == n + m,
           "rows_faces: shapes differ");
    RowsFaces found({matrix(H), span(c), matrix(G), matrix(E), span(e), span(low), span(high)}, {t.data(), n});
    if (!found.follow()) return false;
    std::copy(found.t.begin(), found.t.end(), t.data());
    std::copy(found.prices.begin(), found.prices.end(), prices.data());
    std::copy(found.z.begin(), found.z.end(), pulls.data());
    return true;
}

}  // namespace

void add_rows_interior(nb::module_& m) {
    def(m, "rows_faces", faces);
    def(m, "rows_path", path);
}

}  // namespace greedyhull

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
