// How many threads the BLAS libraries of the process start. OpenBLAS starts them for a dot product of ten thousand numbers and
// waits for them in a loop, so that a solve next to a busy process takes many times as long as with one. Here a solve sets
// one thread, and gives back what it found. Python calls all of this with the GIL, between two signals: an interrupt cannot
// come between a setting and its record.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "bindings.hpp"

namespace greedyhull::blas_threads {

struct Library {
    int (*get)();      // null if `set` returns the last setting
    int (*set)(int);   // its result is used only then: that of OpenBLAS has none
    bool per_thread;   // what is set counts for the calling thread, not for the process
    int before = 0;    // of the process, while solves are inside

    int exchange(int count) const {
        if (get == nullptr) return set(count);
        const int last = get();
        if (last != count) set(count);
        return last;
    }
    // Somebody who has changed the setting since keeps it.
    void give_back(int last) const {
        if (last != 1 && (get == nullptr || get() == 1)) set(last);
    }
};

inline std::mutex mutex;
inline std::vector<Library> libraries;
inline int inside = 0;  // threads of the process that compute with one BLAS thread now

struct Own {
    std::vector<bool> states;  // of nested blocks: one BLAS thread, or those of the caller
    std::vector<int> before;   // settings per thread, one for each library
    bool one() const { return !states.empty() && states.back(); }
};
inline thread_local Own own;

inline void take(std::size_t k, bool first) {
    own.before.resize(libraries.size(), 1);
    if (libraries[k].per_thread)
        own.before[k] = libraries[k].exchange(1);
    else if (first)
        libraries[k].before = libraries[k].exchange(1);
}

inline void changed(bool from, bool to) {
    if (from == to) return;
    inside += to ? 1 : -1;
    for (std::size_t k = 0; k < libraries.size(); k++) {
        if (to)
            take(k, inside == 1);
        else if (libraries[k].per_thread)
            libraries[k].give_back(k < own.before.size() ? own.before[k] : 1);
        else if (inside == 0)
            libraries[k].give_back(libraries[k].before);
    }
}

inline void enter(bool one) {
    const std::lock_guard<std::mutex> hold(mutex);
    const bool from = own.one();
    own.states.push_back(one);
    changed(from, one);
}
inline void leave() {
    const std::lock_guard<std::mutex> hold(mutex);
    if (own.states.empty()) return;
    const bool from = own.one();
    own.states.pop_back();
    changed(from, own.one());
}

// A library by the addresses of its functions. One that is loaded during a solve is set at once.
inline void bind(std::uintptr_t get, std::uintptr_t set, bool per_thread) {
    const std::lock_guard<std::mutex> hold(mutex);
    for (const Library& known : libraries)
        if (reinterpret_cast<std::uintptr_t>(known.set) == set) return;
    libraries.push_back({reinterpret_cast<int (*)()>(get), reinterpret_cast<int (*)(int)>(set), per_thread});
    if (per_thread ? own.one() : inside > 0) take(libraries.size() - 1, true);
}

// In a child process no thread is left but the one that made it.
inline void forked() {
    const bool one = own.one();
    if (inside > 0 && !one)
        for (const Library& each : libraries)
            if (!each.per_thread) each.give_back(each.before);
    inside = one ? 1 : 0;
}

struct Block {  // `with block:`
    bool one;
};

inline void add_to(nb::module_& m) {
    nb::class_<Block>(m, "BlasThreads")
        .def(nb::init<bool>(), nb::arg("one"))
        .def("__enter__", [](const Block& block) { enter(block.one); })
        .def("__exit__", [](const Block&, nb::args) { leave(); });
    m.def("bind_blas_threads", bind);
    m.def("blas_threads_forked", forked);
}

}  // namespace greedyhull::blas_threads
