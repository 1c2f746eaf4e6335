// Bindings of quadratic problems: budgets, boxes, sums, balls, caps on groups, rows, faces.
#include <chrono>

#include "ball_qp.hpp"
#include "bindings.hpp"
#include "box_qp.hpp"
#include "budget_batch.hpp"
#include "face_steps.hpp"
#include "grouped_qp.hpp"
#include "polyhedral_qp.hpp"
#include "sum_qp.hpp"

namespace greedyhull {

namespace {

void simplex_qp(Table2<const double> G, Vector<const double> c, Vector<double> alpha, double tol) {
    const Index m = span(alpha).size;
    expect(matrix(G).rows == m && matrix(G).columns == m && span(c).size == m && m > 0, "simplex_qp: shapes differ");
    BudgetQP qp;
    qp.u.assign(alpha.data(), alpha.data() + m), qp.g.assign(c.data(), c.data() + m);
    qp.solve(Budget{true, true}, m, G.data(), tol);
    std::copy(qp.u.begin(), qp.u.end(), alpha.data());
}

void batch(Table2<const double> H, bool positive, bool whole, Table2<double> U, Table2<double> G, Vector<const double> tol,
           Vector<const Index> without, Vector<double> near, bool afresh, Index rounds, Vector<Index> made) {
    const Index m = matrix(H).rows, t = matrix(U).rows;
    expect(matrix(H).columns == m && matrix(U).columns == m && matrix(G).columns == m && matrix(G).rows == t &&
               span(tol).size == t && span(without).size == t && span(near).size == m && span(made).size == t && m > 0,
           "budget_batch: shapes differ");
    budget_batch(matrix(H), Budget{positive, whole}, matrix(U), matrix(G), span(tol), span(without), span(near), afresh,
                 rounds, span(made));
}

// Ctrl-C, which ends a quadratic problem by an exception.
Asked signals() {
    return [last = std::chrono::steady_clock::now()]() mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(10)) return false;
        nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        last = now;
        return false;
    };
}

// x <- what `solve` leaves in the x of a problem with Hessian H and slopes c; the gap where one is returned.
template <class QP, class F>
double solved(const Table2<const double>& H, const Vector<const double>& c, const Vector<double>& x, const char* message,
              bool same, F solve) {
    const Index m = span(x).size;
    expect(same && matrix(H).rows == m && matrix(H).columns == m && span(c).size == m && m > 0, message);
    QP qp;
    qp.x.assign(x.data(), x.data() + m);
    const double gap = solve(qp, m);
    std::copy(qp.x.begin(), qp.x.end(), x.data());
    return gap;
}

void box_qp(Table2<const double> H, Vector<const double> c, Vector<double> x, Vector<const double> low, Vector<const double> high,
            double tol) {
    const bool same = span(low).size == span(x).size && span(high).size == span(x).size;
    solved<BoxQP>(H, c, x, "box_qp: shapes differ", same, [&](BoxQP& qp, Index m) {
        return qp.solve(m, H.data(), c.data(), low.data(), high.data(), tol, signals()), 0.0;
    });
}

void sum_qp(Table2<const double> H, Vector<const double> c, Vector<double> x, Vector<const double> high, double tol) {
    solved<SumQP>(H, c, x, "sum_qp: shapes differ", span(high).size == span(x).size, [&](SumQP& qp, Index m) {
        return qp.solve(m, H.data(), c.data(), high.data(), tol, signals()), 0.0;
    });
}

double ball_qp(Table2<const double> H, Vector<const double> c, Vector<double> x, Vector<const double> middle, double radius,
               double tol) {
    return solved<BallQP>(H, c, x, "ball_qp: shapes differ", span(middle).size == span(x).size, [&](BallQP& qp, Index m) {
        return qp.solve(m, H.data(), c.data(), middle.data(), radius, tol, signals());
    });
}

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

void grouped_qp(Table2<const double> H, Vector<const double> c, Vector<double> x, Vector<const double> high,
                Vector<const Index> of, Vector<const double> room, double tol) {
    const Caps caps = caps_of(span(x).size, high, of, room, "grouped_qp: shapes differ");
    solved<GroupedQP>(H, c, x, "grouped_qp: shapes differ", true, [&](GroupedQP& qp, Index) {
        return qp.solve(H.data(), c.data(), caps, tol, {}), 0.0;
    });
}

RowsProblem problem(const Table2<const double>& H, const Vector<const double>& c, const Table2<const double>& G,
                    const Table2<const double>& E, const Vector<const double>& e, const Vector<const double>& low,
                    const Vector<const double>& high, const Vector<double>& t, const Vector<double>& prices, const char* message) {
    const Index n = span(c).size, m = matrix(G).rows, q = matrix(E).rows;
    expect(n > 0 && matrix(H).rows == n && matrix(H).columns == n && matrix(G).columns == n && matrix(E).columns == n &&
               span(e).size == q && span(low).size == n + m && span(high).size == n + m && span(t).size == n + m &&
               span(prices).size == q + m,
           message);
    return {matrix(H), span(c), matrix(G), matrix(E), span(e), span(low), span(high)};
}

bool path(Table2<const double> H, Vector<const double> c, Table2<const double> G, Table2<const double> E, Vector<const double> e,
          Vector<const double> low, Vector<const double> high, Vector<double> t, Vector<double> prices, Vector<double> lower,
          Vector<double> upper, double tol) {
    const auto given = problem(H, c, G, E, e, low, high, t, prices, "rows_path: shapes differ");
    expect(span(lower).size == span(t).size && span(upper).size == span(t).size, "rows_path: shapes differ");
    RowsPath found(given, {t.data(), span(c).size});
    found.follow(tol, {});
    std::copy(found.t.begin(), found.t.end(), t.data());
    std::copy(found.v.begin(), found.v.end(), std::copy(found.y.begin(), found.y.end(), prices.data()));
    std::copy(found.zl.begin(), found.zl.end(), lower.data());
    std::copy(found.zh.begin(), found.zh.end(), upper.data());
    return found.finite();
}

bool faces(Table2<const double> H, Vector<const double> c, Table2<const double> G, Table2<const double> E, Vector<const double> e,
           Vector<const double> low, Vector<const double> high, Vector<double> t, Vector<double> prices, Vector<double> pulls) {
    const auto given = problem(H, c, G, E, e, low, high, t, prices, "rows_faces: shapes differ");
    expect(span(pulls).size == span(t).size, "rows_faces: shapes differ");
    RowsFaces found(given, {t.data(), span(c).size});
    if (!found.follow()) return false;
    std::copy(found.t.begin(), found.t.end(), t.data());
    std::copy(found.prices.begin(), found.prices.end(), prices.data());
    std::copy(found.z.begin(), found.z.end(), pulls.data());
    return true;
}

// f(face, ...) with a face as the arrays starts, places, entries, free, tight and factor.
template <class R, class... A>
void def_face(nb::module_& m, const char* name, R (*f)(const Faces&, const A&...)) {
    const auto call = [f](Vector<const Index> starts, Vector<const Index> places, Vector<const double> entries,
                          Vector<const double> free, Vector<const double> tight, Table2<double> factor, A... about) {
        const Faces on{span(starts), span(places), span(entries), span(free), span(tight), matrix(factor)};
        bool grow = on.starts.size == on.d() + 1 && on.starts[0] == 0 && on.starts[on.d()] == on.places.size;
        for (Index j = 0; grow && j < on.d(); j++) grow = on.starts[j] <= on.starts[j + 1];
        expect(grow && on.places.size == on.entries.size && on.factor.rows == on.m() && on.factor.columns == on.m(),
               "faces: shapes differ");
        expect_below(on.places, on.m(), "faces: a row is numbered beyond the last one");
        return f(on, about...);
    };
    const auto plain = nb::arg().noconvert();
    m.def(name, call, plain, plain, plain, plain, plain, plain, argument<A>()..., nb::call_guard<nb::gil_scoped_release>());
}

bool factor(const Faces& on) { return on.factorise(); }

void shift(const Faces& on, const Vector<const double>& off, const Vector<double>& x) {
    expect(span(off).size == on.m() && span(x).size == on.d(), "face_shift: shapes differ");
    on.shift(off.data(), x.data());
}

double project(const Faces& on, const Vector<double>& r, const Vector<double>& y) {
    expect(span(r).size == on.d() && span(y).size == on.m(), "face_project: shapes differ");
    std::vector<double> q;
    return on.project(r.data(), y.data(), q);
}

double step(const Faces& on, const Vector<const double>& bend, const Vector<double>& p, const Vector<double>& x,
            const Vector<double>& g, const Vector<double>& r, const Vector<double>& y, const double& square, const double& least) {
    bool same = span(bend).size == on.d() && span(y).size == on.m();
    for (const auto* part : {&p, &x, &g, &r}) same &= span(*part).size == on.d();
    expect(same, "face_step: shapes differ");
    return on.step(bend.data(), p.data(), x.data(), g.data(), r.data(), y.data(), square, least);
}

}  // namespace

void add_qps(nb::module_& m) {
    def(m, "simplex_qp", simplex_qp);
    def(m, "budget_batch", batch);
    def(m, "box_qp", box_qp);
    def(m, "sum_qp", sum_qp);
    def(m, "ball_qp", ball_qp);
    def(m, "grouped_vertex", vertex);
    def(m, "grouped_levels", levels);
    def(m, "grouped_nearest", nearest);
    def(m, "grouped_qp", grouped_qp);
    def(m, "rows_faces", faces);
    def(m, "rows_path", path);
    def_face(m, "face_factor", factor);
    def_face(m, "face_shift", shift);
    def_face(m, "face_project", project);
    def_face(m, "face_step", step);
}

}  // namespace greedyhull
