// The module, and bindings of passes over sparse data and of stochastic steps. Shapes are compared before loops begin.
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <type_traits>

#include "blas_bindings.hpp"
#include "blas_threads.hpp"
#include "bindings.hpp"
#include "cpu_dispatch.hpp"
#include "losses.hpp"
#include "rows.hpp"
#include "stochastic.hpp"
#include "threads.hpp"

using namespace greedyhull;

namespace {

template <class Y, class T>
double pieces(Vector<const Y> y, Vector<const T> z, Vector<T> residual, Vector<T> curvature) {
    const Index n = static_cast<Index>(z.shape(0));
    expect(span(y).size == n && span(residual).size == n && span(curvature).size == n, "logistic_pieces: lengths differ");
    return logistic_pieces<Y, T>(span(y), span(z), span(residual), span(curvature));
}

template <class T, class I>
Compressed<T, I> compressed(const Vector<const Index>& starts, const Vector<const I>& places, const Vector<const T>& entries) {
    const auto s = span(starts);
    expect(s.size > 0 && s[0] == 0 && s[s.size - 1] <= span(places).size && span(places).size == span(entries).size,
           "a compressed matrix does not fit together");
    return {s, span(places), span(entries)};
}

template <class T, class I>
void add(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const Index> index,
         Vector<const T> c, Vector<T> z) {
    const auto X = compressed<T, I>(starts, places, entries);
    expect(span(index).size == span(c).size, "add_columns: lengths differ");
    expect_below(span(index), X.starts.size - 1, "add_columns: there is no such column");
    add_columns(X, span(index), span(c), span(z));
}

template <class T, class I>
void dots(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const Index> index,
          Vector<const T> r, Vector<double> out) {
    const auto X = compressed<T, I>(starts, places, entries);
    expect(span(index).size == span(out).size, "dot_columns: lengths differ");
    expect_below(span(index), X.starts.size - 1, "dot_columns: there is no such column");
    dot_columns(X, span(index), span(r), span(out));
}

template <class T, class I>
void by_rows(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const double> weights,
             Vector<const Index> number, Table2<double> G) {
    const auto X = compressed<T, I>(starts, places, entries);
    const Index m = matrix(G).rows;
    expect(span(weights).size == X.starts.size - 1 && matrix(G).columns == m, "gram_rows: shapes differ");
    bool numbered = true;
    for (Index j = 0; j < span(number).size; j++) numbered &= span(number)[j] < m;
    expect(numbered, "gram_rows: a column is numbered beyond the matrix");
    std::vector<Index> found(static_cast<std::size_t>(m) + 1);
    std::vector<double> value(found.size());
    gram_rows(X, span(weights), span(number), {found.data(), m}, {value.data(), m}, matrix(G));
}

template <class T, class I>
void by_columns(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Vector<const double> weights,
                Vector<const Index> index, Table2<double> G) {
    const auto X = compressed<T, I>(starts, places, entries);
    const Index m = span(index).size;
    expect(matrix(G).rows == m && matrix(G).columns == m, "gram_columns: shapes differ");
    expect_below(span(index), X.starts.size - 1, "gram_columns: there is no such column");
    std::vector<double> work(static_cast<std::size_t>(span(weights).size), 0.0);
    gram_columns(X, span(weights), span(index), {work.data(), span(weights).size}, matrix(G));
}

// How Python gives stochastic steps their terms (targets, weights and whether they differ, loss and its numbers), batches
// (draws, ends and step sizes), and set and point, as in `Point`.
using TermsGiven = std::tuple<Vector<const double>, Vector<const double>, int, int, Vector<const double>>;
using BatchesGiven = std::tuple<Vector<const Index>, Vector<const Index>, Vector<const double>>;
using PointGiven = std::tuple<int, Vector<const double>, Vector<const double>, Table2<const double>, Vector<double>,
                              Vector<double>, Vector<Index>, Vector<Index>, Vector<Index>>;

Terms terms(const TermsGiven& given) {
    const auto& [y, shares, weighted, loss, shape] = given;
    expect(span(shares).size == (weighted ? span(y).size : 1), "the weights of the terms have another length");
    const bool known = (loss >= SQUARED && loss <= POISSON) || loss == HINGE || loss == KINKED;
    expect(known && span(shape).size >= (loss == KINKED ? 3 : 1), "there is no such loss");
    return {span(y), span(shares), weighted != 0, loss, span(shape)};
}

Batches batches(const BatchesGiven& given, Index n) {
    const auto& [index, ends, eta] = given;
    expect_below(span(index), n, "a batch names a term that is not there");
    Index before = 0;
    bool ordered = span(ends).size == span(eta).size;
    for (Index t = 0; ordered && t < span(ends).size; t++) {
        ordered = span(ends)[t] >= before && span(ends)[t] <= span(index).size;
        before = span(ends)[t];
    }
    expect(ordered, "the ends of the batches are out of order");
    return {span(index), span(ends), span(eta)};
}

// Every atom that has a weight has a place among the weights, and there is room for all of the 2d others.
bool fits(Index d, Index weights, Span<const Index> atoms, Span<const Index> place, Span<const Index> used) {
    if (place.size != 2 * d || used.size != 1 || weights != atoms.size || used[0] < 0 || used[0] > weights) return false;
    Index fresh = 0;
    bool inside = true;
    for (Index i = 0; i < place.size; i++) {
        fresh += place[i] < 0;
        inside &= place[i] < used[0];
    }
    for (Index a = 0; a < used[0]; a++) inside &= atoms[a] < 2 * d;
    return inside && fresh <= weights - used[0];
}

Point point(const PointGiven& given) {
    const auto& [kind, low, high, rows, x, alpha, atoms, place, used] = given;
    const Index d = span(x).size;
    const bool coordinates = kind == L1_BALL || kind == SIMPLEX;
    expect(kind >= L1_BALL && kind <= VERTICES && span(low).size == d && span(high).size == d && d > 0,
           "there is no such set");
    expect(kind != VERTICES || (matrix(rows).columns == d && matrix(rows).rows > 0), "the vertices have another length");
    expect(!coordinates || fits(d, span(alpha).size, {atoms.data(), span(atoms).size}, {place.data(), span(place).size},
                                {used.data(), span(used).size}),
           "the weights of the atoms do not fit the set");
    return {kind, span(low), span(high), matrix(rows), span(x), span(alpha), span(atoms), span(place), span(used)};
}

// Parabolas toward coordinates are those of squares.
template <class Choice>
void expect_choice(int loss, int kind) {
    expect(std::is_same_v<Choice, ByGradient> || (loss == SQUARED && (kind == L1_BALL || kind == SIMPLEX)),
           "a choice by values is made for squares over coordinate atoms");
}

// f(rows, n, d, ...) with n dense rows in R^d, or sparse rows as the arrays starts, places and entries; their d is not known.
template <class T, class... A>
void def_rows(nb::module_& m, const char* name, void (*f)(const DenseRows<T>&, Index, Index, const A&...)) {
    const auto call = [f](Table2<const T> X, A... about) {
        f(DenseRows<T>{matrix(X)}, matrix(X).rows, matrix(X).columns, about...);
    };
    m.def(name, call, nb::arg().noconvert(), argument<A>()..., nb::call_guard<nb::gil_scoped_release>());
}
template <class T, class I, class... A>
void def_rows(nb::module_& m, const char* name, void (*f)(const SparseRows<T, I>&, Index, Index, const A&...)) {
    const auto call = [f](Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, A... about) {
        const auto X = compressed<T, I>(starts, places, entries);
        f(SparseRows<T, I>{X}, X.starts.size - 1, -1, about...);
    };
    const auto plain = nb::arg().noconvert();
    m.def(name, call, plain, plain, plain, argument<A>()..., nb::call_guard<nb::gil_scoped_release>());
}

template <class Choice, class Rows>
void differences(const Rows& data, Index n, Index d, const TermsGiven& f, const BatchesGiven& b, const Vector<const double>& keep,
                 const Vector<const double>& here, const Vector<const double>& there, const Vector<const double>& base,
                 const Vector<double>& other, const int& follows, const Vector<double>& g, const PointGiven& at) {
    const Point p = point(at);
    const Terms terms_of = terms(f);
    const Batches steps = batches(b, n);
    const Index count = steps.eta.size;
    d = d < 0 ? p.x.size : d;
    expect(terms_of.y.size == n && p.x.size == d && span(g).size == d && span(base).size == d && span(other).size == d &&
               span(keep).size == count && span(here).size == count && span(there).size == count,
           "difference_steps: shapes differ");
    expect_choice<Choice>(terms_of.loss, p.kind);
    difference_steps<Choice>(data, terms_of, steps,
                             {span(keep), span(here), span(there), span(base), span(other), follows != 0, span(g)}, p);
}

template <class Choice, class Rows>
void tables(const Rows& data, Index n, Index d, const TermsGiven& f, const BatchesGiven& b, const int& both,
            const Vector<double>& table, const Vector<double>& mean, const Vector<double>& g, const PointGiven& at) {
    const Point p = point(at);
    const Terms terms_of = terms(f);
    d = d < 0 ? p.x.size : d;
    expect(terms_of.y.size == n && p.x.size == d && span(mean).size == d && span(table).size == n &&
               (!both || span(g).size == d),
           "table_steps: shapes differ");
    expect_choice<Choice>(terms_of.loss, p.kind);
    table_steps<Choice>(data, terms_of, batches(b, n), {both != 0, span(table), span(mean), span(g)}, p);
}

template <class T, class I>
void wide_tables(const SparseRows<T, I>& data, Index n, Index, const TermsGiven& f, const BatchesGiven& b,
                 const Vector<double>& table, const Vector<double>& mean, const Index& width, const PointGiven& at) {
    const Point p = point(at);
    const Terms terms_of = terms(f);
    expect(terms_of.y.size == n && span(mean).size == p.x.size && span(table).size == n && width > 0 &&
               (p.kind == L1_BALL || p.kind == SIMPLEX),
           "wide_table_steps: shapes differ");
    wide_table_steps(data, terms_of, batches(b, n), span(table), span(mean), width, p);
}

void different(Vector<Index> index, Vector<const Index> begins, Vector<const Index> lengths, Index n) {
    bool inside = span(begins).size == span(lengths).size;
    for (Index t = 0; inside && t < span(begins).size; t++)
        inside = span(begins)[t] >= 0 && span(begins)[t] <= span(index).size && span(lengths)[t] >= 0 &&
                 span(lengths)[t] <= span(index).size - span(begins)[t];
    expect(inside, "without_repeats: a batch lies outside the draws");
    without_repeats(span(index), span(begins), span(lengths), n);
}

template <class Rows>
void steps_over(nb::module_& m) {
    def_rows(m, "difference_steps", differences<ByGradient, Rows>);
    def_rows(m, "table_steps", tables<ByGradient, Rows>);
    def_rows(m, "jones_difference_steps", differences<ByValues, Rows>);
    def_rows(m, "jones_table_steps", tables<ByValues, Rows>);
}

template <class T, class I>
void sparse_kernels(nb::module_& m) {
    def(m, "add_columns", add<T, I>);
    def(m, "dot_columns", dots<T, I>);
    def(m, "gram_rows", by_rows<T, I>);
    def(m, "gram_columns", by_columns<T, I>);
    steps_over<SparseRows<T, I>>(m);
    def_rows(m, "wide_table_steps", wide_tables<T, I>);
}

template <class T>
void kernels_of(nb::module_& m) {
    def(m, "logistic_pieces", pieces<double, T>);
    sparse_kernels<T, std::uint32_t>(m);
    sparse_kernels<T, std::uint64_t>(m);
    steps_over<DenseRows<T>>(m);
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Inner loops that know arrays only.";
    nb::set_leak_warnings(false);  // threads that are still at work when a process ends keep their arrays
    blas::add_to(m);
    blas_threads::add_to(m);
    add_qps(m);
    add_rounds(m);
    add_coordinate_rounds(m);
    add_steps(m);
    add_paths(m);
    add_passes(m);
    m.def("level", level);
    m.def("use_threads", [](int count) { return std::exchange(threads::limit, std::max(count, 0)); });
    m.def("threads", threads::count);
    def(m, "without_repeats", different);
    kernels_of<double>(m);
    kernels_of<float>(m);
    def(m, "logistic_pieces", pieces<float, float>);
}
