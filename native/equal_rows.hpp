// Rows that are equal on the working columns, found by hashing and compared entry by entry. Of one-hot data few kinds of rows
// are left on a few columns: products and Hessians are then made once for each kind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "scratch.hpp"

namespace greedyhull {

constexpr Index MERGE_FROM = 1000;  // rows: fewer are not worth the search
constexpr Index A_KIND_EACH = 20;   // rows that a kind must stand for, in the mean; where it does not, the search ends early

class EqualRows {
   public:
    bool found = false;         // whether there are few kinds
    Scratch<std::uint32_t> kind;  // of each row
    std::vector<Index> first;   // the first row of each kind

    // Row i has the entries from starts[i] to starts[i + 1].
    void find(Index n, const Index* starts, const std::uint16_t* number, const double* value) {
        first.clear(), found = false;
        if (n < MERGE_FROM || n > std::numeric_limits<std::uint32_t>::max()) return;
        const std::size_t most = static_cast<std::size_t>(n / A_KIND_EACH);
        std::size_t size = 64;
        while (size < 2 * most) size *= 2;
        table_.assign(size, NONE), kind.resize(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; i++) {
            const Index begin = starts[i], length = starts[i + 1] - begin;
            std::size_t at = hash(length, number + begin, value + begin) & (size - 1);
            while (table_[at] != NONE && !same(first[table_[at]], begin, length, starts, number, value)) at = (at + 1) & (size - 1);
            if (table_[at] == NONE) {
                if (first.size() == most) return;
                table_[at] = static_cast<std::uint32_t>(first.size()), first.push_back(i);
            }
            kind[static_cast<std::size_t>(i)] = table_[at];
        }
        found = true;
    }

    // What the rows of each kind have together: all of them, or those that are named.
    const Numbers& sums(const double* c, const std::vector<Index>* rows, Index n) {
        total_.assign(first.size(), 0.0);
        const Index count = rows ? static_cast<Index>(rows->size()) : n;
        for (Index q = 0; q < count; q++) {
            const Index i = rows ? (*rows)[static_cast<std::size_t>(q)] : q;
            total_[kind[static_cast<std::size_t>(i)]] += c[i];
        }
        return total_;
    }

   private:
    static constexpr std::uint32_t NONE = std::numeric_limits<std::uint32_t>::max();
    Scratch<std::uint32_t> table_;
    Numbers total_;

    static std::size_t hash(Index length, const std::uint16_t* number, const double* value) {
        std::uint64_t h = 0x9E3779B97F4A7C15u;
        for (Index t = 0; t < length; t++) {
            std::uint64_t bits;
            std::memcpy(&bits, value + t, sizeof bits);
            h = (h ^ (bits + (bits >> 32) + number[t] * 0xD1B54A32D192ED03u)) * 0x9E3779B97F4A7C15u;
            h ^= h >> 29;
        }
        return static_cast<std::size_t>(h >> 7);
    }

    static bool same(Index other, Index begin, Index length, const Index* starts, const std::uint16_t* number, const double* value) {
        const Index there = starts[other];
        return starts[other + 1] - there == length && std::equal(number + begin, number + begin + length, number + there) &&
               std::equal(value + begin, value + begin + length, value + there);
    }
};

}  // namespace greedyhull
