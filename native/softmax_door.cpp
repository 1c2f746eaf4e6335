// Passes over scores of several classes, as Python asks for them.
#include "softmax_door.hpp"

#include "door.hpp"
#include "softmax.hpp"

namespace greedyhull {

namespace {

template <class T>
void pieces(Vector<const Index> labels, Table2<const T> z, Vector<const double> b, Vector<double> terms, Table2<T> slopes,
            Table2<T> s) {
    const auto at = matrix(z), to = matrix(slopes), also = matrix(s);
    const Index n = at.rows, c = at.columns;
    expect(span(labels).size == n && span(b).size == c && span(terms).size == n && to.rows == n && to.columns == c &&
               also.rows == n && also.columns == c,
           "softmax_pieces: shapes differ");
    expect_below(span(labels), c, "softmax_pieces: there is no such class");
    softmax::pieces<T>(c, span(labels), at.data, b.data(), terms.data(), to.data, also.data);
}

void intercepts(Vector<const Index> labels, Table2<const double> z, Vector<const double> p, Vector<const double> shares,
                Vector<double> b) {
    const auto at = matrix(z);
    expect(at.rows > 0 && at.columns > 0 && span(labels).size == at.rows && span(p).size == at.rows && span(shares).size == at.columns &&
               span(b).size == at.columns,
           "find_intercepts: shapes differ");
    expect_below(span(labels), at.columns, "find_intercepts: there is no such class");
    softmax::Intercepts(span(labels), at, span(p), span(shares)).find(b.data());
}

}  // namespace

void add_softmax(nb::module_& m) {
    def(m, "softmax_pieces", pieces<double>);
    def(m, "softmax_pieces", pieces<float>);
    def(m, "find_intercepts", intercepts);
}

}  // namespace greedyhull
