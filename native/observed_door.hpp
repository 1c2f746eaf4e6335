// How observed entries and factors are handed over.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_observed(nanobind::module_& m);

}  // namespace greedyhull
