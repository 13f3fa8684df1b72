// SPDX-License-Identifier: Apache-2.0
// block_loop: emits the sums over a chunk of a row, block by block (docs/arithmetic.md, "Sums"). The lanes of a block
// are in registers. From the second block on, the lanes of the chunk's earlier blocks are kept in the stack frame
// meanwhile.
#pragma once

#include <span>

#include "../../arithmetic/constants.hpp"
#include "row_walker.hpp"
#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class block_loop {
    using vmm = typename vector_traits<I>::vmm;
    using lanes = std::span<const vmm>;
    static constexpr int BLOCK = int(layer_norm::BLOCK);

public:
    // The register `count` has the number of the chunk's elements, `rest` the number of those behind the current block.
    block_loop(Xbyak::CodeGenerator &g, const row_walker<I, T> &walker, const Xbyak::Reg64 &count,
               const Xbyak::Reg64 &rest)
        : g_(g), ops_(g), walker_(walker), count_(count), rest_(rest) {}

    // body(places) adds vectors to the lanes of their slots, which are in the registers `sums`. At the end these hold
    // the lanes of the chunk. There must be room for all of them at [rsp].
    template <typename Body>
    void sum(lanes sums, int unroll, Body &&body) {
        using generator = Xbyak::CodeGenerator;
        Xbyak::Label block, last, walk, done;
        clear(sums);
        walker_.begin(count_);
        g_.cmp(count_, BLOCK);
        g_.jbe(walk, generator::T_NEAR); // a single block
        save(sums);
        g_.mov(rest_, count_);
        g_.L(block);
        g_.mov(walker_.left(), rest_);
        g_.cmp(rest_, BLOCK);
        g_.jbe(last, generator::T_NEAR);
        g_.mov(walker_.left().cvt32(), BLOCK);
        g_.L(last);
        g_.sub(rest_, walker_.left());
        g_.L(walk);
        walker_.walk(unroll, body);
        g_.cmp(count_, BLOCK);
        g_.jbe(done, generator::T_NEAR);
        add_saved(sums);
        g_.test(rest_, rest_);
        g_.jz(done, generator::T_NEAR);
        save(sums);
        clear(sums);
        g_.jmp(block, generator::T_NEAR);
        g_.L(done);
    }

private:
    void clear(lanes sums) {
        for (const vmm &v : sums) ops_.clear(v);
    }
    void save(lanes sums) {
        for (size_t i = 0; i < sums.size(); ++i) g_.vmovaps(saved(i), sums[i]);
    }
    void add_saved(lanes sums) {
        for (size_t i = 0; i < sums.size(); ++i) ops_.add(sums[i], sums[i], saved(i));
    }
    Xbyak::Address saved(size_t i) const { return g_.ptr[g_.rsp + i * size_t(vector_traits<I>::bytes)]; }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    row_walker<I, T> walker_;
    Xbyak::Reg64 count_, rest_;
};

} // namespace jitnorm::impl::jit
