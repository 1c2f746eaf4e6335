// Memory for the large arrays of a run, kept between runs: a page that the system hands out anew costs as much as a pass over
// it. The process keeps POOL_BYTES at most, and no block that is larger than a quarter of that.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace greedyhull {

constexpr Index POOL_BYTES = 33554432;  // that are kept at most
constexpr Index POOL_FROM = 32768;      // bytes: smaller blocks are the business of malloc

class Pool {
   public:
    // Never destroyed: arrays may outlive what is destroyed at the end of a process.
    static Pool& shared() {
        static Pool* pool = new Pool;
        return *pool;
    }

    void* take(std::size_t bytes) {
        if (bytes < least) return ::operator new(bytes);
        const std::size_t size = rounded(bytes);
        if (void* block = kept(size)) return block;
        return ::operator new(size);
    }

    void give(void* block, std::size_t bytes) noexcept {
        if (bytes < least || !keep(block, rounded(bytes))) ::operator delete(block);
    }

   private:
    static constexpr std::size_t most = POOL_BYTES, least = POOL_FROM;
    std::multimap<std::size_t, void*> free_;
    std::size_t held_ = 0;
    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;

    // One of four sizes between two powers of two, so that arrays of about the same length share blocks.
    static std::size_t rounded(std::size_t bytes) {
        std::size_t power = least;
        while (power <= bytes / 2) power *= 2;
        const std::size_t step = power / 4;
        return (bytes + step - 1) / step * step;
    }

    // Who finds another thread inside asks the system instead of waiting. So a process that was forked meanwhile never hangs.
    void* kept(std::size_t size) {
        if (busy_.test_and_set(std::memory_order_acquire)) return nullptr;
        void* block = nullptr;
        const auto at = free_.find(size);
        if (at != free_.end()) block = at->second, held_ -= size, free_.erase(at);
        busy_.clear(std::memory_order_release);
        return block;
    }

    bool keep(void* block, std::size_t size) noexcept {
        if (size > most / 4 || busy_.test_and_set(std::memory_order_acquire)) return false;
        bool fits = held_ + size <= most;
        try {
            if (fits) free_.emplace(size, block), held_ += size;
        } catch (const std::bad_alloc&) {
            fits = false;
        }
        busy_.clear(std::memory_order_release);
        return fits;
    }
};

// An allocator over the pool. Entries that nothing is said about are not set to zero: they are written before they are read.
template <class T>
struct FromPool {
    using value_type = T;
    FromPool() = default;
    template <class U>
    FromPool(const FromPool<U>&) noexcept {}
    T* allocate(std::size_t n) {
        if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(Pool::shared().take(n * sizeof(T)));
    }
    void deallocate(T* p, std::size_t n) noexcept { Pool::shared().give(p, n * sizeof(T)); }
    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
    friend bool operator==(const FromPool&, const FromPool&) { return true; }
    friend bool operator!=(const FromPool&, const FromPool&) { return false; }
};

template <class T>
using Scratch = std::vector<T, FromPool<T>>;
using Numbers = Scratch<double>;

}  // namespace greedyhull
