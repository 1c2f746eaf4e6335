// What the corrective rounds ask of a design: whether it is a quadratic form, whether the whole Hessian is known, how many of
// its rows are data, and whether to work on all columns at once.
#pragma once

#include "forms.hpp"
#include "tall.hpp"

namespace greedyhull {

template <class D>
constexpr bool is_form = false;
template <class D>
constexpr bool is_form<Form<D>> = true;

template <class D>
constexpr bool knows_hessian = is_form<D>;
template <class T>
constexpr bool knows_hessian<Tall<T>> = true;

// A ridge over points has rows of its own below those of the data.
template <class D>
Index data_rows(const D& X) {
    return X.n;
}
template <class D>
Index data_rows(const Mapped<D>& X) {
    return X.X.n;
}

// Whether all columns are to be worked on, where so many of them are wanted; `crowded` says whether more promise much than can
// join in a round.
template <class D, class F>
bool all_at_once(const D& X, [[maybe_unused]] Index wanted, [[maybe_unused]] F crowded) {
    if constexpr (knows_hessian<D>)
        return X.at_once(wanted, crowded());
    else
        return false;
}

}  // namespace greedyhull
