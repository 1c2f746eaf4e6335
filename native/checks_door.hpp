// How arrays are handed over for checks.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_checks(nanobind::module_& m);

}  // namespace greedyhull
