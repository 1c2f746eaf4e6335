// Arrays as the core sees them: a pointer and a length, read-only or not. Nothing is converted or copied at the door.
#pragma once

#include <cstddef>
#include <cstdint>

namespace greedyhull {

using Index = std::int64_t;

template <class T>
struct Span {
    T* data;
    Index size;
    T& operator[](Index i) const { return data[i]; }
};

// A matrix whose rows are contiguous.
template <class T>
struct Matrix {
    T* data;
    Index rows, columns;
    T* row(Index i) const { return data + i * columns; }
    T& operator()(Index i, Index j) const { return data[i * columns + j]; }
};

// Loops over contiguous float64 are compiled for newer processors as well; without contraction their bits are the same.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define GREEDYHULL_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define GREEDYHULL_CLONES
#endif

}  // namespace greedyhull
