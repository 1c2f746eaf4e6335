// How quadratics over bounds and rows are handed over.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_rows_interior(nanobind::module_& m);

}  // namespace greedyhull
