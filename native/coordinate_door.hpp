// The corrective rounds in coordinates as Python sees them; compiled apart from the others.
#pragma once

#include "door.hpp"

namespace greedyhull {

void add_coordinate_rounds(nb::module_& m);

}  // namespace greedyhull
