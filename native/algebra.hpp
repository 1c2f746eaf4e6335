// Products and factorisations of the corrective rounds. Small ones are plain loops: for them a call of BLAS costs more than
// the work, and a process that solves nothing else need not load it. Large ones go to BLAS where it can be had. Which of the
// two is decided by sizes alone, so that a run has the same bits whatever the process did before.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "blas.hpp"
#include "cpu_dispatch.hpp"

namespace greedyhull {

namespace algebra {

inline bool (*bind_blas)() = nullptr;  // asks Python for the pointers, once; says whether they are there

inline bool blas_there() { return blas::functions.bound || (bind_blas && bind_blas()); }

inline bool use_blas(Index columns, Index work, Index longest = 0) {
    if (columns <= 96 || work < 2'000'000 || longest > std::numeric_limits<blas::Int>::max()) return false;
    return blas_there();
}

// Four sums side by side: a single sum would wait for itself. Written out as vectors where the compiler has them; the order of
// additions is the same with and without.
constexpr Index LANES = 4;
#if defined(__GNUC__)
typedef double Four __attribute__((vector_size(32)));
typedef double FourDoubles __attribute__((vector_size(32), aligned(8), may_alias));
typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));
#define GREEDYHULL_LOAD(T, p) __builtin_convertvector(*reinterpret_cast<const Four##T*>(p), Four)
#define GREEDYHULL_STORE(p, v) *reinterpret_cast<FourDoubles*>(p) = (v)
#else
struct Four {
    double x[LANES] = {};
    double operator[](Index k) const { return x[k]; }
};
inline Four operator+(Four a, const Four& b) {
    for (Index k = 0; k < LANES; k++) a.x[k] += b.x[k];
    return a;
}
inline Four operator*(Four a, const Four& b) {
    for (Index k = 0; k < LANES; k++) a.x[k] *= b.x[k];
    return a;
}
inline Four operator*(double c, Four a) {
    for (Index k = 0; k < LANES; k++) a.x[k] *= c;
    return a;
}
template <class T>
Four load_four(const T* p) {
    Four a;
    for (Index k = 0; k < LANES; k++) a.x[k] = static_cast<double>(p[k]);
    return a;
}
#define GREEDYHULL_LOAD(T, p) load_four(p)
#define GREEDYHULL_STORE(p, v)                                      \
    do {                                                            \
        const Four all = (v);                                      \
        for (Index k = 0; k < LANES; k++) (p)[k] = all.x[k];        \
    } while (false)
#endif
#define GREEDYHULL_SUM(s) ((s[0] + s[2]) + (s[1] + s[3]))

// For both kinds of numbers: clones cannot be made of templates.
#define GREEDYHULL_PRODUCTS(T, Kind)                                                                                    \
    /* g_j <- <A_j, r> for d columns, four at a time. */                                                                \
    GREEDYHULL_CLONES inline void dots(const T* A, Index ld, Index n, Index d, const double* r, double* g) {            \
        Index j = 0;                                                                                                    \
        for (; j + 4 <= d; j += 4) {                                                                                    \
            const T *a = A + j * ld, *b = a + ld, *c = b + ld, *e = c + ld;                                             \
            Four p{}, q{}, s{}, t{};                                                                                   \
            Index i = 0;                                                                                                \
            for (; i + LANES <= n; i += LANES) {                                                                        \
                const Four x = GREEDYHULL_LOAD(Doubles, r + i);                                                        \
                p = p + GREEDYHULL_LOAD(Kind, a + i) * x, q = q + GREEDYHULL_LOAD(Kind, b + i) * x;                     \
                s = s + GREEDYHULL_LOAD(Kind, c + i) * x, t = t + GREEDYHULL_LOAD(Kind, e + i) * x;                     \
            }                                                                                                           \
            double rest[4] = {};                                                                                        \
            for (; i < n; i++) {                                                                                        \
                rest[0] += static_cast<double>(a[i]) * r[i], rest[1] += static_cast<double>(b[i]) * r[i];               \
                rest[2] += static_cast<double>(c[i]) * r[i], rest[3] += static_cast<double>(e[i]) * r[i];               \
            }                                                                                                           \
            g[j] = GREEDYHULL_SUM(p) + rest[0], g[j + 1] = GREEDYHULL_SUM(q) + rest[1];                                 \
            g[j + 2] = GREEDYHULL_SUM(s) + rest[2], g[j + 3] = GREEDYHULL_SUM(t) + rest[3];                             \
        }                                                                                                               \
        for (; j < d; j++) {                                                                                            \
            const T* a = A + j * ld;                                                                                    \
            Four p{};                                                                                                  \
            Index i = 0;                                                                                                \
            for (; i + LANES <= n; i += LANES) p = p + GREEDYHULL_LOAD(Kind, a + i) * GREEDYHULL_LOAD(Doubles, r + i);  \
            double rest = 0.0;                                                                                          \
            for (; i < n; i++) rest += static_cast<double>(a[i]) * r[i];                                                \
            g[j] = GREEDYHULL_SUM(p) + rest;                                                                            \
        }                                                                                                               \
    }                                                                                                                   \
    /* y <- y + by_0 a + by_1 b + ... for four contiguous vectors. */                                                   \
    GREEDYHULL_CLONES inline void add_four(const T* a, const T* b, const T* c, const T* e, const double* by, Index n,   \
                                           double* y) {                                                                 \
        const double p = by[0], q = by[1], s = by[2], t = by[3];                                                        \
        Index i = 0;                                                                                                    \
        for (; i + LANES <= n; i += LANES)                                                                              \
            GREEDYHULL_STORE(y + i, GREEDYHULL_LOAD(Doubles, y + i) +                                                   \
                                        ((p * GREEDYHULL_LOAD(Kind, a + i) + q * GREEDYHULL_LOAD(Kind, b + i)) +        \
                                         (s * GREEDYHULL_LOAD(Kind, c + i) + t * GREEDYHULL_LOAD(Kind, e + i))));       \
        for (; i < n; i++)                                                                                              \
            y[i] += (p * static_cast<double>(a[i]) + q * static_cast<double>(b[i])) +                                   \
                    (s * static_cast<double>(c[i]) + t * static_cast<double>(e[i]));                                    \
    }                                                                                                                   \
    GREEDYHULL_CLONES inline void add_one(const T* a, double by, Index n, double* y) {                                  \
        for (Index i = 0; i < n; i++) y[i] += by * static_cast<double>(a[i]);                                           \
    }
GREEDYHULL_PRODUCTS(double, Doubles)
GREEDYHULL_PRODUCTS(float, Floats)
#undef GREEDYHULL_PRODUCTS

// y <- sum_j c_j A_j; columns of coefficient zero are passed over.
template <class T>
void combine(const T* A, Index ld, Index n, Index d, const double* c, double* y) {
    std::fill(y, y + n, 0.0);
    const T* some[4];
    double by[4];
    Index held = 0;
    for (Index j = 0; j < d; j++) {
        if (c[j] == 0.0) continue;
        some[held] = A + j * ld, by[held++] = c[j];
        if (held == 4) add_four(some[0], some[1], some[2], some[3], by, n, y), held = 0;
    }
    for (Index q = 0; q < held; q++) add_one(some[q], by[q], n, y);
}

// The lower triangle (rows contiguous) of H <- H + B'B for k x m columns B.
inline void add_square(Index m, Index k, const double* B, double* H, double* scratch) {
    if (use_blas(m, k * m * m)) return blas::syrk('U', 'T', m, k, 1.0, B, k, 1.0, H, m);
    for (Index a = 0; a < m; a++) {
        dots(B, k, k, a + 1, B + a * k, scratch);
        for (Index b = 0; b <= a; b++) H[a * m + b] += scratch[b];
    }
}

// Rows of H <- H + C'A, a row for each of the `few` columns of C, an entry for each of the m columns of A.
inline void add_product(Index m, Index few, Index k, const double* A, Index lda, const double* C, Index ldc, double* H,
                        double* scratch) {
    if (use_blas(m, k * m * few, lda)) return blas::gemm('T', 'N', m, few, k, 1.0, A, lda, C, ldc, 1.0, H, m);
    for (Index a = 0; a < few; a++) {
        dots(A, lda, k, m, C + a * ldc, scratch);
        for (Index b = 0; b < m; b++) H[a * m + b] += scratch[b];
    }
}

// M <- its Cholesky factor, lower triangle by contiguous rows; false where it is not positive definite.
inline bool cholesky(Index k, double* M) {
    if (use_blas(k, k * k * k)) return blas::potrf('U', k, M, k) == 0;
    for (Index b = 0; b < k; b++) {  // by columns: four rows at a time
        double known[4];
        double* row = M + b * k;
        dots(row, k, b, 1, row, known);
        const double rest = row[b] - known[0];
        if (!(rest > 0.0)) return false;
        row[b] = std::sqrt(rest);
        for (Index a = b + 1; a < k; a += 4) {
            const Index some = std::min<Index>(4, k - a);
            dots(M + a * k, k, b, some, row, known);
            for (Index i = 0; i < some; i++) {
                double& entry = M[(a + i) * k + b];
                entry = (entry - known[i]) / row[b];
            }
        }
    }
    return true;
}

// x <- L^-1 x, and x <- L'^-1 x, for a lower triangle whose rows begin `ld` numbers apart.
inline void solve_lower(Index k, const double* L, Index ld, double* x) {
    for (Index a = 0; a < k; a++) {
        double known;
        dots(L + a * ld, ld, a, 1, x, &known);
        x[a] = (x[a] - known) / L[a * ld + a];
    }
}
inline void solve_transposed(Index k, const double* L, Index ld, double* x) {
    for (Index a = k - 1; a >= 0; a--) {
        x[a] /= L[a * ld + a];
        add_one(L + a * ld, -x[a], a, x);
    }
}

// x <- M^-1 x, `M` as cholesky left it.
inline void cholesky_solve(Index k, const double* M, double* x) {
    solve_lower(k, M, k, x);
    solve_transposed(k, M, k, x);
}

}  // namespace algebra

}  // namespace greedyhull
