// How blas.hpp gets its pointers: from the capsules that SciPy's cython_blas and cython_lapack export. A capsule's name is the
// C signature of its function, so a SciPy with other integers or arguments is noticed before anything is called.
#pragma once

#include <nanobind/stl/string.h>

#include <string>

#include "blas.hpp"
#include "door.hpp"

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
    from.read("dtrsv", "ccciriri", f.trsv);
    from.read("dpotrf", "cirii", f.potrf);
    from.read("dpotrs", "ciiririi", f.potrs);
    if (!from.refused.empty()) return from.refused;
    f.bound = true;
    functions = f;
    return "";
}

// For tests: one function of blas.hpp on arrays with contiguous rows. `gemv`: C <- A B (one row each for B and C);
// `gemm`: C <- A B; `syrk`: lower C <- A A'; and in float64 `trsv`: C <- A^-1 C for a lower A, `potrf`: lower C <- its factor,
// `potrs`: the rows of C <- A^-1 C for the factor A. Returns what LAPACK does.
template <class T>
Index check(const std::string& name, Table2<const T> a, Table2<const T> b, Table2<T> c) {
    const auto A = matrix(a), B = matrix(b);
    const auto C = matrix(c);
    const auto same = [](bool shapes) { expect(shapes, "blas_check: shapes differ"); };
    if (name == "gemv") {
        same(B.rows == 1 && C.rows == 1 && B.columns == A.columns && C.columns == A.rows);
        gemv<T>('T', A.columns, A.rows, 1, A.data, A.columns, B.data, 1, 0, C.data, 1);
        return 0;
    }
    if (name == "gemm") {
        same(A.columns == B.rows && C.rows == A.rows && C.columns == B.columns);
        gemm<T>('N', 'N', B.columns, A.rows, A.columns, 1, B.data, B.columns, A.data, A.columns, 0, C.data, C.columns);
        return 0;
    }
    if (name == "syrk") {
        same(C.rows == A.rows && C.columns == A.rows);
        syrk<T>('U', 'T', A.rows, A.columns, 1, A.data, A.columns, 0, C.data, C.columns);
        return 0;
    }
    if constexpr (std::numeric_limits<T>::digits > 24) {
        if (name == "potrf") {
            same(C.rows == C.columns);
            return potrf('U', C.rows, C.data, C.columns);
        }
        same(A.rows == A.columns && A.columns == C.columns);
        if (name == "potrs") return potrs('U', A.rows, C.rows, A.data, A.columns, C.data, C.columns);
        if (name == "trsv") {
            same(C.rows == 1);
            trsv('U', 'T', 'N', A.rows, A.data, A.columns, C.data, 1);
            return 0;
        }
    }
    throw std::invalid_argument("blas_check: there is no such function");
}

inline void add_to(nb::module_& m) {
    m.def("bind_blas", bind, nb::arg("capsules"));
    def(m, "blas_check", check<double>);
    def(m, "blas_check", check<float>);
}

}  // namespace greedyhull::blas
