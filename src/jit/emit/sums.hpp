// SPDX-License-Identifier: Apache-2.0
// sums: emits sums in the order that docs/arithmetic.md, "Sums", defines: the lanes of a chunk, block by block, and the
// horizontal sum of these lanes.
#pragma once

#include <array>
#include <span>

#include "../../math/constants.hpp"
#include "element_io.hpp"

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
inline std::vector<vmm> joined(lanes s, lanes q) {
    std::vector<vmm> both(s.begin(), s.end());
    both.insert(both.end(), q.begin(), q.end());
    return both;
}

// Sums over a chunk of a row. The lanes of a block are in registers. From the second block on, the lanes of the chunk's
// earlier blocks are kept in the stack frame meanwhile.
class blocked_sum {
public:
    // The register `count` has the number of the chunk's elements, `rest` the number of those after the current block.
    // The object's part of the frame begins at [rsp + frame].
    blocked_sum(kernel_generator &g, const vector_loop &loop, const reg &count, const reg &rest, int frame = 0)
        : g_(g), loop_(loop), count_(count), rest_(rest), frame_(frame) {}

    // body(places) adds vectors to the lanes of their slots, which are in the registers `sums`. At the end these hold
    // the lanes of the chunk. There must be room for all of them in the frame.
    void sum(lanes sums, int unroll, vectors_body body);

    // The same for one piece of a row whose pieces are summed up one by one. Meanwhile all lanes are in the frame,
    // which must have room for twice as many. finish() emits what follows on the last piece, with the lanes of the
    // chunk in `sums`.
    void sum_piece(const paired_rows &rows, lanes sums, int unroll, vectors_body body, function_ref<void()> finish);

private:
    void clear(lanes sums);
    void save(lanes sums, size_t first = 0);
    void add_saved(lanes sums);
    Xbyak::Address saved(size_t i) const;

    kernel_generator &g_;
    vector_loop loop_;
    reg count_, rest_;
    int frame_;
};

// Unpack order: AVX2 unpacks and packs each half of 128 bits by itself. Of 16 consecutive floats, the first vector of a
// pair in unpack order holds 0 to 3 and 8 to 11, the second 4 to 7 and 12 to 15. A shuffle is saved when bf16 is
// widened to such a pair, or packed from one.
//
// Makes a pair in unpack order from one vector in plain order, which is the first or the second of its pair. The other
// vector's elements become zeros.
void spread_to_unpack_order(Xbyak::CodeGenerator &g, const Xbyak::Ymm &first, const Xbyak::Ymm &second,
                            bool from_second);

// The horizontal sum of lanes, which are in several registers: lane l + w is added to lane l, where w is half of the
// number of lanes, a quarter, ..., 1.
class horizontal_sum {
public:
    // `in_unpack_order`: whether the registers are pairs in unpack order. `work` is changed.
    horizontal_sum(kernel_generator &g, const vmm &work, bool in_unpack_order = false)
        : g_(g), work_(work), in_unpack_order_(in_unpack_order) {}

    // The lanes of the lower 256 bits of sum[0] take all others.
    Xbyak::Ymm to_ymm(lanes sum);
    // Adds all lanes to the lowest lane of sum[0].
    Xbyak::Xmm to_lowest(lanes sum);

private:
    kernel_generator &g_;
    vmm work_;
    bool in_unpack_order_;
};

// The first four of the registers of two sums, as ymm registers.
std::array<Xbyak::Ymm, 4> first_four(lanes s, lanes q);

// The horizontal sums of s and q of eight rows of floats at once.
class sums_of_eight {
    using ymm = Xbyak::Ymm;

public:
    static constexpr int ROWS = 8, ROW_BYTES = 32;

    sums_of_eight(Xbyak::CodeGenerator &g, const std::array<ymm, 4> &v, const ymm &work) : g_(g), v_(v), work_(work) {}

    // Stores the lanes of one row, as horizontal_sum::to_ymm() leaves them, to ROW_BYTES in memory: four lanes of each
    // sum. Changes q.
    void keep(const Xbyak::Address &to, const ymm &s, const ymm &q);

    // Adds up eight rows whose lanes keep() has stored one after the other from `from` on. Calls store(row, sums)
    // twice, for the four rows from `row` on; the lower half of `sums` has their s, the upper half their q.
    void add_up(const Xbyak::RegExp &from, function_ref<void(int row, const ymm &sums)> store);

private:
    Xbyak::CodeGenerator &g_;
    std::array<ymm, 4> v_;
    ymm work_;
};

// Finds the pivot of a row: the mean of its first four elements, or the first element of a shorter row
// (docs/arithmetic.md, "Statistics").
class pivots {
    using ymm = Xbyak::Ymm;

public:
    // For rows of `count` elements of `type`. The register `quarter` holds 0.25 from begin() on.
    pivots(kernel_generator &g, element_io &io, jitnorm_data_type_t type, const reg &count, const vmm &quarter)
        : g_(g), io_(io), type_(type), count_(count), quarter_(quarter) {}

    void begin(const reg &scratch) { g_.ops.broadcast_number(ymm_of(quarter_), 0.25, scratch); }

    // Sets the lowest lane of v to the row's pivot: (x0 / 4 + x1 / 4) + (x2 / 4 + x3 / 4).
    void find(const vmm &v, const vmm &work, const reg &row);
    // The same for a row whose first elements, at least four if it has so many, are in v, in order.
    void find_in(const vmm &v, const vmm &work);

    // Sets v[0] to the pivots of eight rows of floats, which have at least four elements each. `first` is the address
    // of the first row, and afterwards that of the row after the eight.
    void find_eight(const std::array<ymm, 4> &v, const ymm &work, const reg &first, const reg &stride,
                    const reg &fifth);

private:
    void add_four(const vmm &v, const vmm &work);
    void insert_four(const ymm &beside, const vmm &work, const reg &row);

    kernel_generator &g_;
    element_io &io_;
    jitnorm_data_type_t type_;
    reg count_;
    vmm quarter_;
};

} // namespace jitnorm::impl::jit
