// Arrays as the core sees them: a pointer and a length, read-only or not. Nothing is converted or copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace greedyhull {

using Index = std::int64_t;

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }  // a place in a vector

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

}  // namespace greedyhull
