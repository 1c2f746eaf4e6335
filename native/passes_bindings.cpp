// Bindings of passes over data: checks, observed entries, softmax, rows of shards.
#include "bindings.hpp"
#include "passes.hpp"
#include "rows.hpp"
#include "softmax.hpp"

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

const char* const OUTSIDE = "a column of a sparse matrix lies outside its shape";

// `count` rows; starts are in order and lie within the arrays.
template <class T, class I>
Compressed<T, I> rows(const Vector<const Index>& starts, const Vector<const I>& places, const Vector<const T>& entries,
                      Index count) {
    const auto s = span(starts);
    bool ordered = s.size == count + 1 && s[0] >= 0 && s[count] <= span(places).size && span(places).size == span(entries).size;
    for (Index i = 0; ordered && i < count; i++) ordered = s[i] <= s[i + 1];
    expect(ordered, "rows of a sparse matrix do not fit together");
    return {s, span(places), span(entries)};
}

template <class T, class I>
void dot(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const double> w, Vector<double> z) {
    expect(dot_rows(rows<T, I>(starts, places, entries, span(z).size), span(w), span(z)), OUTSIDE);
}

template <class T, class I>
void add(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const double> r, Vector<double> g) {
    expect(add_rows(rows<T, I>(starts, places, entries, span(r).size), span(r), span(g)), OUTSIDE);
}

template <class T, class I>
Index pick(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const std::uint8_t> named,
           Vector<const std::int32_t> number, Vector<Index> heads, Vector<std::uint32_t> columns, Vector<double> values) {
    const Index n = span(heads).size - 1;
    expect(n >= 0 && span(named).size >= (span(number).size + 7) / 8, "pick_rows: shapes differ");
    const auto X = rows<T, I>(starts, places, entries, n);
    const Index room = X.starts[n] - X.starts[0];
    const bool fits = room <= std::numeric_limits<std::uint32_t>::max();
    expect(fits && span(columns).size > room && span(values).size > room, "pick_rows: there is no room for the entries");
    const Index count = pick_rows(X, span(named), span(number), span(heads), span(columns), span(values));
    expect(count != std::numeric_limits<Index>::min(), OUTSIDE);
    return count;
}

template <class T, class I>
Index sparse_facts(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const double> weights,
                   Table2<double> facts) {
    expect(matrix(facts).columns == 3, "sparse_column_facts: there are three of each column");
    const auto X = rows<T, I>(starts, places, entries, span(weights).size);
    const Index bad = sparse_column_facts(X, span(weights), matrix(facts));
    expect(bad != -2, OUTSIDE);
    return bad;
}

template <class T>
Index dense_facts(Table2<const T> X, Vector<const double> weights, Vector<double> largest, Vector<double> squares,
                  Vector<double> mean) {
    const auto A = matrix(X);
    expect(span(weights).size == A.rows && span(largest).size == A.columns && span(squares).size == A.columns &&
               span(mean).size == A.columns,
           "dense_column_facts: shapes differ");
    return dense_column_facts(A, span(weights), span(largest), span(squares), span(mean));
}

template <class T, class I>
void sparse_kernels(nb::module_& m) {
    def(m, "dot_rows", dot<T, I>);
    def(m, "add_rows", add<T, I>);
    def(m, "pick_rows", pick<T, I>);
    def(m, "sparse_column_facts", sparse_facts<T, I>);
}

}  // namespace

void add_passes(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    m.def("all_finite", [](Vector<const double> x) { return all_finite(span(x)); }, plain);
    m.def("square_facts", [](Table2<const double> Q) {
        expect(Q.shape(0) == Q.shape(1), "square_facts: a square matrix is wanted");
        const SquareFacts facts = square_facts(matrix(Q));
        return nb::make_tuple(facts.symmetric, facts.dominant, facts.widest);
    }, plain);
    m.def("is_definite", [](Table2<const double> Q, double shift) {
        expect(Q.shape(0) == Q.shape(1), "is_definite: a square matrix is wanted");
        return is_definite(matrix(Q), shift);
    }, plain, nb::arg());
    def(m, "observed_entries", entries<double>);
    def(m, "observed_entries", entries<float>);
    def(m, "observed_products", products<double>);
    def(m, "observed_products", products<float>);
    def(m, "softmax_pieces", pieces<double>);
    def(m, "softmax_pieces", pieces<float>);
    def(m, "find_intercepts", intercepts);
    sparse_kernels<double, std::uint32_t>(m);
    sparse_kernels<double, std::uint64_t>(m);
    sparse_kernels<float, std::uint32_t>(m);
    sparse_kernels<float, std::uint64_t>(m);
    def(m, "dense_column_facts", dense_facts<double>);
    def(m, "dense_column_facts", dense_facts<float>);
}

}  // namespace greedyhull
