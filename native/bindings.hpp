// How arrays pass between Python and the core, compared and never converted, and who adds the functions of a file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "arrays.hpp"

namespace greedyhull {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
Span<T> span(const Vector<T>& a) {
    return {a.data(), static_cast<Index>(a.shape(0))};
}
template <class T>
Matrix<T> matrix(const Table2<T>& a) {
    return {a.data(), static_cast<Index>(a.shape(0)), static_cast<Index>(a.shape(1))};
}
inline void expect(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}
// Every entry of `index` is a number from 0 to n - 1: what comes from Python is looked at once, before pointers are followed.
template <class T>
void expect_below(Span<const T> index, Index n, const char* message) {
    bool inside = true;
    for (Index i = 0; i < index.size; i++) inside &= static_cast<std::uint64_t>(index[i]) < static_cast<std::uint64_t>(n);
    expect(inside, message);
}

template <class A>
struct is_array : std::false_type {};
template <class... T>
struct is_array<nb::ndarray<T...>> : std::true_type {};
template <class... T>
struct is_array<std::tuple<T...>> : std::true_type {};  // of arrays and numbers

// Arrays are never converted, for what is written would be lost in a copy; numbers are. An object may be None.
template <class A>
auto argument() {
    if constexpr (is_array<A>::value)
        return nb::arg().noconvert();
    else if constexpr (std::is_same_v<A, nb::object>)
        return nb::arg().none();
    else
        return nb::arg();
}

template <class R, class... A>
void def(nb::module_& m, const char* name, R (*f)(A...)) {
    m.def(name, f, argument<A>()..., nb::call_guard<nb::gil_scoped_release>());
}

void add_qps(nb::module_& m);
void add_rounds(nb::module_& m);
void add_coordinate_rounds(nb::module_& m);
void add_steps(nb::module_& m);
void add_paths(nb::module_& m);
void add_passes(nb::module_& m);

}  // namespace greedyhull
