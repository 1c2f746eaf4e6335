// How Python lets rounds run, whatever they are.
#pragma once

#include <functional>
#include <vector>

#include "data_door.hpp"
#include "round_loop.hpp"

namespace greedyhull {

// How the rounds ended, and a row for each.
template <class C>
nb::tuple advanced(C& core, const Aim& aim, const nb::callable& asked) {
    std::vector<RoundRow> trace;
    Ending ending;
    {
        nb::gil_scoped_release free;
        Asking ask(asked);
        ending = run_rounds(core, aim, std::ref(ask), trace);
    }
    nb::list rows;
    for (const RoundRow& row : trace) rows.append(nb::make_tuple(row.value, row.gap, row.seconds, row.atoms));
    return nb::make_tuple(static_cast<int>(ending), rows);
}

}  // namespace greedyhull
