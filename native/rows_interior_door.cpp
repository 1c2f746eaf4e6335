// Quadratics over bounds and rows, as Python asks for them: the point is changed in place, multipliers are written.
#include "rows_interior_door.hpp"

#include "door.hpp"
#include "rows_faces.hpp"
#include "rows_interior.hpp"

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
