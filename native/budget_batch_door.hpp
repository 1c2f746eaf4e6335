// How many quadratics that share their Hessian are handed over.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_budget_batch(nanobind::module_& m);

}  // namespace greedyhull
