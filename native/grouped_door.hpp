// How weights under caps on groups are handed over.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_grouped(nanobind::module_& m);

}  // namespace greedyhull
