// How faces are handed over.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_face_steps(nanobind::module_& m);

}  // namespace greedyhull
