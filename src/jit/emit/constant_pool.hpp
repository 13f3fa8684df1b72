// SPDX-License-Identifier: Apache-2.0
// constant_pool: numbers that generated code broadcasts from memory, stored once each behind the code.
#pragma once

#include <cstdint>
#include <list>

#include <xbyak/xbyak.h>

namespace jitnorm::impl::jit {

class constant_pool {
public:
    explicit constant_pool(Xbyak::CodeGenerator &g) : g_(g) {}

    // The address of a number of 4 or 8 bytes.
    Xbyak::RegRip at(uint64_t bits, int size) { return g_.rip + label_of(bits, size); }

    void emit() {
        for (int size : {8, 4}) {
            g_.align(size_t(size));
            for (entry &e : entries_) {
                if (e.size != size) continue;
                g_.L(e.label);
                size == 8 ? g_.dq(e.bits) : g_.dd(uint32_t(e.bits));
            }
        }
    }

private:
    struct entry {
        uint64_t bits;
        int size;
        Xbyak::Label label;
    };

    Xbyak::Label &label_of(uint64_t bits, int size) {
        for (entry &e : entries_)
            if (e.bits == bits && e.size == size) return e.label;
        return entries_.emplace_back(entry{bits, size, {}}).label;
    }

    Xbyak::CodeGenerator &g_;
    std::list<entry> entries_; // labels stay where they are
};

} // namespace jitnorm::impl::jit
