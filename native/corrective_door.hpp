// The corrective rounds as Python sees them; compiled apart from the other loops, which need no part of them.
#pragma once

#include "door.hpp"

namespace greedyhull {

void add_rounds(nb::module_& m);
void add_forms(nb::module_& m);

}  // namespace greedyhull
