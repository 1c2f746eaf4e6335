// How scores of several classes are handed over.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_softmax(nanobind::module_& m);

}  // namespace greedyhull
