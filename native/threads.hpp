// Large passes over the data on several threads. What is computed, and in which order it is added, depends on sizes alone, so
// a result has the same bits whatever the number of threads. Threads end with the pass that started them; one that has not begun
// by then touches nothing and ends when it gets a core, so that a process may fork at any time.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "arrays.hpp"

namespace greedyhull::threads {

constexpr Index WORTH = 4000000;  // entries to read: a shorter pass gains nothing, and loses next to busy processes
constexpr Index ROWS = 16384;       // rows whose sum is made on its own, then added to those of the rows before them

inline thread_local int limit = 0;  // threads for the passes that this thread asks for; 0: as the environment says

// OMP_NUM_THREADS, or else the processors that this process may use.
inline int of_environment() {
    if (const char* told = std::getenv("OMP_NUM_THREADS")) {
        const int count = std::atoi(told);
        if (count > 0) return count;
    }
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
    const unsigned count = std::thread::hardware_concurrency();
    return count > 0 ? static_cast<int>(count) : 1;
}
inline int count() { return limit > 0 ? limit : of_environment(); }

// What the threads of one call of `each` share. It outlives the call: a thread that begins too late finds it closed.
struct Shared {
    std::atomic<Index> next{0};
    std::mutex mutex;
    std::condition_variable left;
    Index working = 0;
    bool closed = false;
    std::exception_ptr why;

    template <class F>
    void work(Index parts, F& part) {
        try {
            for (Index k = next++; k < parts; k = next++) part(k);
        } catch (...) {
            const std::lock_guard<std::mutex> hold(mutex);
            if (!why) why = std::current_exception();
        }
    }
    bool join() {
        const std::lock_guard<std::mutex> hold(mutex);
        if (!closed) working++;
        return !closed;
    }
    void leave() {
        const std::lock_guard<std::mutex> hold(mutex);
        working--, left.notify_one();
    }
    void close() {
        std::unique_lock<std::mutex> hold(mutex);
        closed = true;
        left.wait(hold, [&] { return working == 0; });
    }
};

// part(k) for each k < parts, once, on this thread and others; parts must not touch what another one writes. What one throws
// is thrown again when all have ended. Only threads that have begun are waited for: next to busy processes another one may get
// no core for longer than all of the work takes.
template <class F>
void each(Index parts, F&& part) {
    const Index helpers = std::min<Index>(count(), parts) - 1;
    const auto shared = std::make_shared<Shared>();
    auto* work = &part;
    for (Index t = 0; t < helpers; t++) {
        try {
            std::thread([shared, parts, work] {
                if (!shared->join()) return;
                limit = 1;
                shared->work(parts, *work);
                shared->leave();
            }).detach();
        } catch (const std::system_error&) {  // no more threads are to be had: those that there are do it
            break;
        }
    }
    shared->work(parts, part);
    shared->close();
    if (shared->why) std::rethrow_exception(shared->why);
}

// f(from, to) on ranges that make up 0..size and begin at multiples of `step`. For work whose result does not depend on the
// ranges; `entries` says how much it is.
template <class F>
void ranges(Index size, Index step, Index entries, F&& f) {
    const Index steps = (size + step - 1) / step, threads = entries < WORTH ? 1 : count();
    const Index parts = std::min(steps, threads == 1 ? 1 : 4 * threads);  // several each: one may be slower than another
    if (parts <= 1) return f(Index{0}, size);
    each(parts, [&](Index k) { f(steps * k / parts * step, std::min(size, steps * (k + 1) / parts * step)); });
}

// out <- out + what f(from, to, out) adds for blocks of rows, `width` numbers each, summed in the order of the rows. Few rows
// are one block; wide sums are made in `most` blocks.
template <class F>
void sums(Index rows, Index entries, Index width, double* out, F&& f, Index most = 1024) {
    const Index blocks = entries < WORTH ? 1 : std::max<Index>(1, std::min(most, rows / ROWS));
    if (blocks == 1) return f(Index{0}, rows, out);
    std::vector<double> partial(static_cast<std::size_t>((blocks - 1) * width));
    each(blocks, [&](Index k) {
        f(rows * k / blocks, rows * (k + 1) / blocks, k == 0 ? out : partial.data() + (k - 1) * width);
    });
    for (Index k = 0; k + 1 < blocks; k++)
        for (Index j = 0; j < width; j++) out[j] += partial[static_cast<std::size_t>(k * width + j)];
}

}  // namespace greedyhull::threads
