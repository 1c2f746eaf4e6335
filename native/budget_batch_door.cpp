// The door to the loop over many quadratics that share their Hessian.
#include "budget_batch_door.hpp"

#include "budget_batch.hpp"
#include "door.hpp"

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
