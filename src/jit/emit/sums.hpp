// SPDX-License-Identifier: Apache-2.0
// sums: emits the reduction of a row in the order that docs/arithmetic.md, "Statistics" and "Sums", defines: its pivot,
// the lanes of a chunk, block by block, and the horizontal sum of these lanes.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "../../math/constants.hpp"
#include "loops.hpp"

namespace jitnorm::impl::jit {

using lanes = std::span<const vmm>; // registers that hold the lanes of a sum, or of several sums

// How many registers hold the lanes of a sum. The lanes of either compute type have as many bytes.
constexpr int forward_vectors(const vector_kind &kind) {
    return layer_norm::FORWARD_LANES<float> * int(sizeof(float)) / kind.bytes();
}
constexpr int backward_vectors(const vector_kind &kind) {
    return layer_norm::BACKWARD_LANES<float> * int(sizeof(float)) / kind.bytes();
}

// The registers of both, in one order.
inline std::vector<vmm> joined(lanes first, lanes second) {
    std::vector<vmm> both(first.begin(), first.end());
    both.insert(both.end(), second.begin(), second.end());
    return both;
}

// One row or four that are reduced: registers whose lowest lanes have the pivots, s and q of the rows. rms_norm has
// only q.
struct reduced_rows {
    int rows;
    vmm p, s, q;
};

// Finds the pivot of a row: the mean of its first four elements, or the first element of a shorter row
// (docs/arithmetic.md, "Statistics").
class pivots {
public:
    // For rows of `count` elements. The register `quarter` holds 0.25 from begin() on.
    pivots(kernel_generator &g, const vector_loop &loop, const reg &count, const vmm &quarter)
        : g_(g), loop_(loop), count_(count), quarter_(quarter) {}

    void begin(const reg &scratch) { g_.ops.broadcast_number(ymm_of(quarter_), 0.25, scratch); }

    // Sets the lowest lane of v to the row's pivot: (x0 / 4 + x1 / 4) + (x2 / 4 + x3 / 4). load(places) sets v to the
    // first vector of the row, whole or incomplete.
    void find(const vmm &v, const vmm &work, vectors_body load) {
        constexpr place WHOLE{0, false}, INCOMPLETE{0, true};
        Xbyak::Label incomplete, loaded, few;
        loop_.begin(count_);
        g_.cmp(count_, g_.kind.width());
        g_.jb(incomplete, NEAR);
        load(places(&WHOLE, 1));
        g_.jmp(loaded, NEAR);
        g_.L(incomplete);
        load(places(&INCOMPLETE, 1));
        g_.L(loaded);
        g_.cmp(count_, 4);
        g_.jb(few);
        add_four(v, work);
        g_.L(few);
    }

private:
    void add_four(const vmm &v, const vmm &work) {
        const vmm low = xmm_of(v), four = part_of(v, 4 * g_.kind.element());
        g_.ops.mul(four, four, part_of(quarter_, 4 * g_.kind.element()));
        if (g_.kind.is_f64()) {
            g_.vhaddpd(four, four, four); // elements 0 + 1 below, 2 + 3 above
            g_.vextractf128(xmm_of(work), ymm_of(v), 1);
            g_.vaddsd(low, low, xmm_of(work));
        } else {
            const vmm other = xmm_of(work);
            g_.vmovshdup(other, low);
            g_.vaddps(low, low, other); // elements 0 + 1 in lane 0, 2 + 3 in lane 2
            g_.vmovhlps(other, other, low);
            g_.vaddss(low, low, other);
        }
    }

    kernel_generator &g_;
    vector_loop loop_;
    reg count_;
    vmm quarter_;
};

// Sums over a chunk of a row. The lanes of a block are in registers. If the chunk has several blocks, the frame keeps
// the lanes of the earlier ones meanwhile.
class blocked_sum {
    static constexpr int BLOCK = int(layer_norm::BLOCK);

public:
    // The register `count` has the number of the chunk's elements, `rest` the number of those after the current block.
    // The frame keeps at most so many vectors.
    blocked_sum(kernel_generator &g, const vector_loop &loop, const reg &count, const reg &rest, int most)
        : g_(g), loop_(loop), count_(count), rest_(rest), frame_(g.reserve(most * g.kind.bytes())) {}

    // body(places) adds vectors to the lanes of their slots, which are in the registers `sums`. At the end these hold
    // the lanes of the chunk.
    void sum(lanes sums, int unroll, vectors_body body) {
        Xbyak::Label block, last, walk, done;
        clear(sums);
        loop_.begin(count_);
        g_.cmp(count_, BLOCK);
        g_.jbe(walk, NEAR); // a single block
        save(sums);
        g_.mov(rest_, count_);
        g_.L(block);
        g_.mov(loop_.left(), rest_);
        g_.cmp(rest_, BLOCK);
        g_.jbe(last, NEAR);
        g_.mov(loop_.left().cvt32(), BLOCK);
        g_.L(last);
        g_.sub(rest_, loop_.left());
        g_.L(walk);
        loop_.walk(unroll, body);
        g_.cmp(count_, BLOCK);
        g_.jbe(done, NEAR);
        add_saved(sums);
        g_.test(rest_, rest_);
        g_.jz(done, NEAR);
        save(sums);
        clear(sums);
        g_.jmp(block, NEAR);
        g_.L(done);
    }

private:
    void clear(lanes sums) {
        for (const vmm &v : sums) g_.ops.clear(v);
    }

    void save(lanes sums) {
        for (size_t i = 0; i < sums.size(); ++i) g_.vmovaps(saved(i), sums[i]);
    }

    void add_saved(lanes sums) {
        for (size_t i = 0; i < sums.size(); ++i) g_.ops.add(sums[i], sums[i], saved(i));
    }
    Xbyak::Address saved(size_t i) const { return g_.ptr[g_.rsp + frame_ + i * size_t(g_.kind.bytes())]; }

    kernel_generator &g_;
    vector_loop loop_;
    reg count_, rest_;
    int frame_;
};

// The horizontal sum of lanes, which are in several registers: lane l + w is added to lane l, where w is half of the
// number of lanes, a quarter, ..., 1.
class horizontal_sum {
public:
    // `in_unpack_order`: whether the registers are pairs in unpack order. `work` is changed.
    horizontal_sum(kernel_generator &g, const vmm &work, bool in_unpack_order = false)
        : g_(g), work_(work), in_unpack_order_(in_unpack_order) {}

    // The lanes of the lower 256 bits of sum[0] take all others.
    Xbyak::Ymm to_ymm(lanes sum) {
        const Xbyak::Ymm low = ymm_of(sum[0]), work = ymm_of(work_);
        for (size_t width = std::bit_ceil(sum.size()) / 2; width > 0; width /= 2) {
            if (in_unpack_order_ && width == 1) {
                const Xbyak::Ymm second = ymm_of(sum[1]);
                g_.vperm2f128(work, low, second, 0x31); // puts the pair in plain order
                g_.vperm2f128(low, low, second, 0x20);
                g_.ops.add(low, low, work);
                break;
            }
            for (size_t i = 0; i + width < std::min(sum.size(), 2 * width); ++i)
                g_.ops.add(sum[i], sum[i], sum[i + width]);
        }
        if (g_.kind.is_avx512()) {
            g_.vextractf64x4(work, zmm_of(sum[0]), 1);
            g_.ops.add(low, low, work);
        }
        return low;
    }

    // Adds all lanes to the lowest lane of sum[0].
    Xbyak::Xmm to_lowest(lanes sum) {
        const Xbyak::Ymm eight = to_ymm(sum);
        const Xbyak::Xmm low = xmm_of(eight), work = xmm_of(work_);
        g_.vextractf128(work, eight, 1);
        g_.ops.add(low, low, work);
        g_.vmovhlps(work, work, low); // the upper 64 bits: two floats or one double
        if (!g_.kind.is_f64()) {
            g_.vaddps(low, low, work);
            g_.vmovshdup(work, low); // lane 1
        }
        g_.ops.add_lowest(low, low, work);
        return low;
    }

    // Stores the sum of all lanes as the current row's element of an array.
    void store(lanes sum, const row_loop &rows, size_t array) {
        const Xbyak::Xmm lowest = to_lowest(sum);
        g_.ops.store_lowest(g_.ptr[rows.of_row(array)], lowest);
    }

private:
    kernel_generator &g_;
    vmm work_;
    bool in_unpack_order_;
};

} // namespace jitnorm::impl::jit
