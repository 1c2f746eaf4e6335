// Passes over rows of shards, as Python asks for them.
#include "shard_rows_door.hpp"

#include "door.hpp"
#include "shard_rows.hpp"

namespace greedyhull {

namespace {

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
    expect(span(columns).size > room && span(values).size > room && room <= std::numeric_limits<std::uint32_t>::max(), "pick_rows: there is no room for the entries");
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

void add_shard_rows(nb::module_& m) {
    sparse_kernels<double, std::uint32_t>(m);
    sparse_kernels<double, std::uint64_t>(m);
    sparse_kernels<float, std::uint32_t>(m);
    sparse_kernels<float, std::uint64_t>(m);
    def(m, "dense_column_facts", dense_facts<double>);
    def(m, "dense_column_facts", dense_facts<float>);
}

}  // namespace greedyhull
