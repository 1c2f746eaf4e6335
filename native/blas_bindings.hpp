// How blas.hpp gets its pointers: from the capsules that SciPy's cython_blas and cython_lapack export. A capsule's name is the
// C signature of its function, so a SciPy with other integers or arguments is noticed before anything is called.
#pragma once

#include <nanobind/stl/string.h>

#include <string>

#include "blas.hpp"
#include "bindings.hpp"
#include "working_columns.hpp"

namespace greedyhull::blas {

// "void (char *, int *, ...)": a letter an argument, c a character, i an integer, r a real number of the module's type.
inline std::string signature(const std::string& letters, const std::string& real) {
    std::string text = "void (";
    for (const char letter : letters) {
        if (text.back() != '(') text += ", ";
        text += (letter == 'c' ? "char" : letter == 'i' ? "int" : real) + std::string(" *");
    }
    return text + ")";
}

// Reads capsules one after another; `refused` is a sentence about the first that is missing or differs.
struct Reader {
    nb::dict capsules;
    std::string refused;

    template <class F>
    void read(const char* name, const std::string& letters, F*& into) {
        const std::string module = std::string(name).find("potr") == std::string::npos ? "11cython_blas_" : "13cython_lapack_";
        const std::string wanted = signature(letters, "__pyx_t_5scipy_6linalg_" + module + name[0]);
        if (!refused.empty()) return;
        if (!capsules.contains(name)) {
            refused = std::string("SciPy does not export ") + name;
            return;
        }
        const nb::object found = capsules[name];
        const char* given = PyCapsule_CheckExact(found.ptr()) ? PyCapsule_GetName(found.ptr()) : nullptr;
        if (given == nullptr || wanted != given) {
            refused = std::string("SciPy's ") + name + " is `" + (given == nullptr ? "no function" : given) + "`; `" + wanted +
                      "` is wanted";
            return;
        }
        into = reinterpret_cast<F*>(PyCapsule_GetPointer(found.ptr(), given));
    }
};

// Binds all functions or none. Returns "", or why not; functions that were bound before stay so.
inline std::string bind(nb::dict capsules) {
    Reader from{capsules, ""};
    Functions f;
    from.read("dgemv", "ciirririrri", f.d.gemv);
    from.read("sgemv", "ciirririrri", f.s.gemv);
    from.read("dgemm", "cciiirririrri", f.d.gemm);
    from.read("sgemm", "cciiirririrri", f.s.gemm);
    from.read("dsyrk", "cciirrirri", f.d.syrk);
    from.read("ssyrk", "cciirrirri", f.s.syrk);
    from.read("dtrsm", "cccciirriri", f.trsm);
    from.read("dpotrf", "cirii", f.potrf);
    if (!from.refused.empty()) return from.refused;
    f.bound = true;
    functions = f;
    return "";
}

template <class T>
using Any2 = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;  // by rows or by columns

// How BLAS sees a matrix that has contiguous rows or columns: its leading dimension, and whether the rows are contiguous, so
// that it is its own transpose there. Throws where neither are.
template <class T>
struct Seen {
    const T* data;
    Index rows, columns, ld;
    bool by_rows;
    explicit Seen(const Any2<T>& a)
        : data(a.data()), rows(static_cast<Index>(a.shape(0))), columns(static_cast<Index>(a.shape(1))),
          ld(std::max(a.stride(0), a.stride(1))), by_rows(a.stride(1) == 1) {
        expect(std::min(a.stride(0), a.stride(1)) == 1 && ld >= (by_rows ? columns : rows), "shared_product: strides");
    }
};

// C <- A B, by tiles that threads share. Where B is the transpose of A, half of them are computed.
template <class T>
void product(Any2<T> a, Any2<T> b, Table2<T> c) {
    const Seen<T> A(a), B(b);
    const auto C = matrix(c);
    expect(A.columns == B.rows && C.rows == A.rows && C.columns == B.columns, "shared_product: shapes differ");
    fit({A.rows, A.columns, A.ld, B.columns, B.ld});
    if (A.data != B.data || A.rows != B.columns || A.by_rows == B.by_rows || A.ld != B.ld)
        return gemm<T>(B.by_rows ? 'N' : 'T', A.by_rows ? 'N' : 'T', B.columns, A.rows, A.columns, 1, B.data, B.ld, A.data, A.ld, 0,
                       C.data, B.columns);
    syrk<T>('U', A.by_rows ? 'T' : 'N', A.rows, A.columns, 1, A.data, A.ld, 0, C.data, A.rows);
    mirror(A.rows, C.data);
}

// The lower triangle of C <- its Cholesky factor. Returns 0, or k where the minor of order k is not positive.
inline Index cholesky(Table2<double> c) {
    const auto C = matrix(c);
    expect(C.rows == C.columns, "shared_cholesky: C is not square");
    return potrf('U', C.rows, C.data, C.columns);
}

// y <- A x in a pass that threads share.
inline void pass(Any2<double> a, Vector<const double> x, Vector<double> y) {
    const Seen<double> A(a);
    const double* from = x.data();
    double* to = y.data();
    expect(span(x).size == A.columns && span(y).size == A.rows, "shared_pass: shapes differ");
    if (A.by_rows) {
        const Tiles tiles(A.rows, 16);
        fit({A.rows, A.columns, A.ld});
        return threads::each(tiles.count, [&](Index t) {
            const Index at = tiles.begin(t);
            gemv<double>('T', A.columns, tiles.length(t), 1, A.data + at * A.ld, A.ld, from, 1, 0, to + at, 1);
        });
    }
    if (A.rows > A.columns) return Dense<double>{A.data, A.rows, A.columns, 1, A.ld}.product(from, to);
    Dense<double>{A.data, A.columns, A.rows, A.ld, 1}.adjoint(from, to);
}

inline void add_to(nb::module_& m) {
    m.def("bind_blas", bind, nb::arg("capsules"));
    def(m, "shared_product", product<double>);
    def(m, "shared_product", product<float>);
    def(m, "shared_cholesky", cholesky);
    def(m, "shared_pass", pass);
}

}  // namespace greedyhull::blas
