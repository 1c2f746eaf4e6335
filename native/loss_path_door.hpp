// Paths of smooth losses as Python sees them; compiled apart from the other loops.
#pragma once

#include "door.hpp"

namespace greedyhull {

void add_loss_paths(nb::module_& m);

}  // namespace greedyhull
