// BLAS and LAPACK of SciPy, called through pointers: nothing is linked. blas_bindings.hpp fills them in; until then every call
// throws. Matrices are by column, as in Fortran: a matrix with contiguous rows (Matrix<T>) is its own transpose here, with
// its number of columns as leading dimension. Sizes have 64 bits; one that does not fit the library's int throws TooLarge:
// entry points check their sizes with `fit` before they write anything.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "threads.hpp"

namespace greedyhull::blas {

// The library has one thread. Larger products are cut into tiles that threads of this process share; how, depends on sizes
// alone, so that results have the same bits whatever the number of threads.
constexpr double SHARED = 1e8;  // multiplications

using Int = int;  // what SciPy's functions take; blas_bindings.hpp rejects a SciPy whose integers are others

template <class T>
using Gemv = void(char*, Int*, Int*, T*, T*, Int*, T*, Int*, T*, T*, Int*);
template <class T>
using Gemm = void(char*, char*, Int*, Int*, Int*, T*, T*, Int*, T*, Int*, T*, T*, Int*);
template <class T>
using Syrk = void(char*, char*, Int*, Int*, T*, T*, Int*, T*, T*, Int*);
using Trsm = void(char*, char*, char*, char*, Int*, Int*, double*, double*, Int*, double*, Int*);
using Potrf = void(char*, Int*, double*, Int*, Int*);

template <class T>
struct Products {
    Gemv<T>* gemv = nullptr;
    Gemm<T>* gemm = nullptr;
    Syrk<T>* syrk = nullptr;
};

struct Functions {
    Products<double> d;
    Products<float> s;
    Trsm* trsm = nullptr;
    Potrf* potrf = nullptr;
    bool bound = false;
    template <class T>
    const Products<T>& products() const {
        if constexpr (std::numeric_limits<T>::digits > 24)
            return d;
        else
            return s;
    }
};

inline Functions functions;  // written once, under the GIL, before any entry point calls

struct TooLarge : std::overflow_error {  // OverflowError in Python
    TooLarge() : std::overflow_error("a size does not fit the integers of BLAS") {}
};

inline const Functions& ready() {
    if (!functions.bound) throw std::runtime_error("BLAS is not bound: call bind_blas first");
    return functions;
}

inline Int fit(Index n) {
    if (n < 0 || n > std::numeric_limits<Int>::max()) throw TooLarge();
    return static_cast<Int>(n);
}
inline void fit(std::initializer_list<Index> sizes) {
    for (const Index n : sizes) fit(n);
}
// BLAS refuses a leading dimension of zero even where the matrix is empty.
inline Int leading(Index n) { return fit(std::max<Index>(n, 1)); }

inline bool shared(Index m, Index n, Index k) {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >= SHARED;
}

// Ranges that make up 0..size: at most `most`, wide enough to be multiplied as fast as the whole.
struct Tiles {
    Index size, width, count;
    Tiles(Index size_, Index most)
        : size(size_), width(std::max<Index>(128, (size / most + 16) / 16 * 16)), count((size + width - 1) / width) {}
    Index begin(Index t) const { return t * width; }
    Index length(Index t) const { return std::min(width, size - t * width); }
};

// f(a, b) for each pair of tiles from `first` on with a <= b.
template <class F>
void pairs(Index first, Index count, F&& f) {
    std::vector<std::pair<Index, Index>> all;
    for (Index a = first; a < count; a++)
        for (Index b = a; b < count; b++) all.emplace_back(a, b);
    threads::each(static_cast<Index>(all.size()), [&](Index t) {
        f(all[static_cast<std::size_t>(t)].first, all[static_cast<std::size_t>(t)].second);
    });
}

// y <- alpha op(A) x + beta y; A is m x n, op is 'N' or 'T'.
template <class T>
void gemv(char op, Index m, Index n, T alpha, const T* A, Index lda, const T* x, Index incx, T beta, T* y, Index incy) {
    const auto& f = ready().products<T>();
    Int rows = fit(m), columns = fit(n), ld = leading(lda), ix = fit(incx), iy = fit(incy);
    if (m == 0 || n == 0) {  // BLAS would leave y as it is
        for (Index i = 0; i < (op == 'N' ? m : n); i++) y[i * incy] = beta == T(0) ? T(0) : beta * y[i * incy];
        return;
    }
    f.gemv(&op, &rows, &columns, &alpha, const_cast<T*>(A), &ld, const_cast<T*>(x), &ix, &beta, y, &iy);
}

template <class T>
void one_gemm(const Products<T>& f, char op_a, char op_b, Index m, Index n, Index k, T alpha, const T* A, Index lda, const T* B,
              Index ldb, T beta, T* C, Index ldc) {
    Int rows = fit(m), columns = fit(n), inner = fit(k), la = leading(lda), lb = leading(ldb), lc = leading(ldc);
    f.gemm(&op_a, &op_b, &rows, &columns, &inner, &alpha, const_cast<T*>(A), &la, const_cast<T*>(B), &lb, &beta, C, &lc);
}

// C <- alpha op(A) op(B) + beta C; C is m x n, op(A) is m x k.
template <class T>
void gemm(char op_a, char op_b, Index m, Index n, Index k, T alpha, const T* A, Index lda, const T* B, Index ldb, T beta, T* C,
          Index ldc) {
    const auto& f = ready().products<T>();
    if (shared(m, n, k)) {
        const Tiles tiles(std::max(m, n), 8);
        return threads::each(tiles.count, [&](Index t) {
            const Index at = tiles.begin(t), some = tiles.length(t);
            if (n >= m)
                one_gemm(f, op_a, op_b, m, some, k, alpha, A, lda, B + at * (op_b == 'N' ? ldb : 1), ldb, beta, C + at * ldc, ldc);
            else
                one_gemm(f, op_a, op_b, some, n, k, alpha, A + at * (op_a == 'N' ? 1 : lda), lda, B, ldb, beta, C + at, ldc);
        });
    }
    one_gemm(f, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

template <class T>
void one_syrk(const Products<T>& f, char uplo, char op, Index n, Index k, T alpha, const T* A, Index lda, T beta, T* C,
              Index ldc) {
    Int order = fit(n), inner = fit(k), la = leading(lda), lc = leading(ldc);
    f.syrk(&uplo, &op, &order, &inner, &alpha, const_cast<T*>(A), &la, &beta, C, &lc);
}

// The triangle `uplo` ('U' or 'L') of C <- alpha A A' + beta C (op 'N', A is n x k) or alpha A'A + beta C (op 'T', A is k x n).
template <class T>
void syrk(char uplo, char op, Index n, Index k, T alpha, const T* A, Index lda, T beta, T* C, Index ldc) {
    const auto& f = ready().products<T>();
    if (shared(n, n, k / 2)) {
        const Tiles tiles(n, 6);
        const Index step = op == 'N' ? 1 : lda;
        const char back = op == 'N' ? 'T' : 'N';
        return pairs(0, tiles.count, [&](Index a, Index b) {
            if (uplo == 'L') std::swap(a, b);
            T* to = C + tiles.begin(a) + tiles.begin(b) * ldc;
            if (a == b)
                one_syrk(f, uplo, op, tiles.length(a), k, alpha, A + tiles.begin(a) * step, lda, beta, to, ldc);
            else
                one_gemm(f, op, back, tiles.length(a), tiles.length(b), k, alpha, A + tiles.begin(a) * step, lda,
                         A + tiles.begin(b) * step, lda, beta, to, ldc);
        });
    }
    one_syrk(f, uplo, op, n, k, alpha, A, lda, beta, C, ldc);
}

inline Index one_potrf(char uplo, Index n, double* A, Index lda) {
    const auto& f = ready();
    Int order = fit(n), ld = leading(lda), info = 0;
    f.potrf(&uplo, &order, A, &ld, &info);
    return info;
}

// The same for 'U', block row by block row.
inline Index potrf_by_tiles(Index n, double* A, Index lda) {
    const auto& f = ready();
    const Tiles tiles(n, 12);
    const auto block = [&](Index a, Index b) { return A + tiles.begin(a) + tiles.begin(b) * lda; };
    for (Index s = 0; s < tiles.count; s++) {
        const Index k = tiles.length(s), info = one_potrf('U', k, block(s, s), lda);
        if (info != 0) return tiles.begin(s) + info;
        threads::each(tiles.count - s - 1, [&](Index t) {
            char left = 'L', upper = 'U', turned = 'T', plain = 'N';
            Int rows = fit(k), columns = fit(tiles.length(s + 1 + t)), ld = leading(lda);
            double one = 1.0;
            f.trsm(&left, &upper, &turned, &plain, &rows, &columns, &one, block(s, s), &ld, block(s, s + 1 + t), &ld);
        });
        pairs(s + 1, tiles.count, [&](Index a, Index b) {
            if (a == b)
                one_syrk(f.d, 'U', 'T', tiles.length(a), k, -1.0, block(s, a), lda, 1.0, block(a, a), lda);
            else
                one_gemm(f.d, 'T', 'N', tiles.length(a), tiles.length(b), k, -1.0, block(s, a), lda, block(s, b), lda, 1.0,
                         block(a, b), lda);
        });
    }
    return 0;
}

// A <- its Cholesky factor, in the triangle `uplo`: A = U'U or LL'. Returns 0, or k where the minor of order k is not positive.
inline Index potrf(char uplo, Index n, double* A, Index lda) {
    if (uplo == 'U' && shared(n, n, n / 3)) return potrf_by_tiles(n, A, lda);
    return one_potrf(uplo, n, A, lda);
}

}  // namespace greedyhull::blas
