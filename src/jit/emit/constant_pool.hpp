// SPDX-License-Identifier: Apache-2.0
// constant_pool: numbers that generated code reads from memory. Each is stored once, behind the code.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include <xbyak/xbyak.h>

namespace jitnorm::impl::jit {

class constant_pool {
public:
    explicit constant_pool(Xbyak::CodeGenerator &g) : g_(g) {}

    // The address of a number of 4 or 8 bytes.
    Xbyak::RegRip at(uint64_t bits, int size) {
        return size == 8 ? at({uint32_t(bits), uint32_t(bits >> 32)}) : at({uint32_t(bits)});
    }
    // The address of 1, 2, 4, ... numbers of 4 bytes.
    Xbyak::RegRip at(const std::vector<uint32_t> &numbers) { return g_.rip + label_of(numbers); }

    // Stores the numbers, each aligned to its size.
    void emit() {
        entries_.sort([](const entry &a, const entry &b) { return a.numbers.size() > b.numbers.size(); });
        if (!entries_.empty()) g_.align(entries_.front().numbers.size() * sizeof(uint32_t));
        for (entry &e : entries_) {
            g_.L(e.label);
            for (const uint32_t number : e.numbers) g_.dd(number);
        }
    }

private:
    struct entry {
        std::vector<uint32_t> numbers;
        Xbyak::Label label;
    };

    Xbyak::Label &label_of(const std::vector<uint32_t> &numbers) {
        for (entry &e : entries_)
            if (e.numbers == numbers) return e.label;
        return entries_.emplace_back(entry{numbers, {}}).label;
    }

    Xbyak::CodeGenerator &g_;
    std::list<entry> entries_; // a list, because labels must not move
};

} // namespace jitnorm::impl::jit
