// Paths of least squares as Python sees them; compiled apart from the other loops.
#pragma once

#include "door.hpp"

namespace greedyhull {

void add_paths(nb::module_& m);

}  // namespace greedyhull
