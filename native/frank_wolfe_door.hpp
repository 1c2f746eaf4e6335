// The Frank-Wolfe iterations as Python sees them.
#pragma once

#include "door.hpp"

namespace greedyhull {

void add_steps(nb::module_& m);

}  // namespace greedyhull
