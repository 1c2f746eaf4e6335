// Loops that are compiled twice on x86-64, for any processor and for newer ones, and which of the two runs. Without
// contraction both have the same bits; functions of the C library, such as exp, and BLAS may differ between processors.
#pragma once

#include <cstdint>  // defines __GLIBC__ where it is the C library: others have no indirect functions, which clones are

// Clones take GCC 12 or newer and glibc; sanitizers cannot follow them. Clang, MSVC and other processors have the baseline.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define GREEDYHULL_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#define GREEDYHULL_HAS_CLONES 1
#else
#define GREEDYHULL_CLONES
#define GREEDYHULL_HAS_CLONES 0
#endif

#if defined(__GNUC__) || defined(_MSC_VER)
#define GREEDYHULL_RESTRICT __restrict  // arrays that do not overlap: without it loops over many of them are not vectorised
#else
#define GREEDYHULL_RESTRICT
#endif

namespace greedyhull {

// The level that this processor takes: "x86-64-v3" or "baseline".
inline const char* level() {
#if GREEDYHULL_HAS_CLONES
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
#endif
    return "baseline";
}

}  // namespace greedyhull
