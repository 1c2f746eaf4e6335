// How rows of shards are handed over.
#pragma once

#include <nanobind/nanobind.h>

namespace greedyhull {

void add_shard_rows(nanobind::module_& m);

}  // namespace greedyhull
