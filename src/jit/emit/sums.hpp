// SPDX-License-Identifier: Apache-2.0
// sums: emits sums in the order that docs/arithmetic.md, "Sums", defines: the lanes of a chunk, block by block, and the
// horizontal sum of these lanes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "../../math/constants.hpp"
#include "element_io.hpp"
#include "paired_rows.hpp"

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
    static constexpr int BLOCK = int(layer_norm::BLOCK);
    static_assert(BLOCK % paired_rows::PIECE == 0);

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

    // The same for one piece of a row whose pieces are summed up one by one. Meanwhile the frame has twice as many
    // vectors. finish() emits what follows on the last piece, with the lanes of the chunk in `sums`.
    void sum_piece(const paired_rows &rows, lanes sums, int unroll, vectors_body body,
                   const std::function<void()> &finish) {
        const size_t of_block = sums.size(); // after the lanes of the chunk's earlier blocks
        Xbyak::Label add, keep, finished, done;
        rows.at_first([&] {
            clear(sums);
            save(sums);
            save(sums, of_block);
        });
        for (size_t i = 0; i < sums.size(); ++i) g_.vmovaps(sums[i], saved(of_block + i));
        rows.go_to_piece(loop_);
        loop_.walk(unroll, body);
        rows.end_of_piece(rest_);
        g_.cmp(rest_, count_);
        g_.jae(add, NEAR);
        g_.test(rest_.cvt32(), BLOCK - 1);
        g_.jnz(keep, NEAR);
        g_.L(add);
        g_.cmp(count_, BLOCK);
        g_.jbe(finished, NEAR); // a single block
        add_saved(sums);
        g_.cmp(rest_, count_);
        g_.jae(finished, NEAR);
        save(sums);
        clear(sums);
        g_.L(keep);
        save(sums, of_block);
        g_.jmp(done, NEAR);
        g_.L(finished);
        finish();
        g_.L(done);
    }

private:
    void clear(lanes sums) {
        for (const vmm &v : sums) g_.ops.clear(v);
    }

    void save(lanes sums, size_t first = 0) {
        for (size_t i = 0; i < sums.size(); ++i) g_.vmovaps(saved(first + i), sums[i]);
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

// Unpack order: AVX2 unpacks and packs each half of 128 bits by itself. Of 16 consecutive floats, the first vector of a
// pair in unpack order holds 0 to 3 and 8 to 11, the second 4 to 7 and 12 to 15. A shuffle is saved when bf16 is
// widened to such a pair, or packed from one.
//
// Makes a pair in unpack order from one vector in plain order, which is the first or the second of its pair. The other
// vector's elements become zeros.
inline void spread_to_unpack_order(Xbyak::CodeGenerator &g, const Xbyak::Ymm &first, const Xbyak::Ymm &second,
                                   bool from_second) {
    constexpr int LOW = 0, HIGH = 1, ZEROS = 8;
    const auto take = [&](const Xbyak::Ymm &to, int half) {
        const Xbyak::Ymm from = from_second ? second : first;
        g.vperm2f128(to, from, from, uint8_t(from_second ? half << 4 | ZEROS : ZEROS << 4 | half));
    };
    take(from_second ? first : second, from_second ? LOW : HIGH);
    take(from_second ? second : first, from_second ? HIGH : LOW);
}

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

private:
    kernel_generator &g_;
    vmm work_;
    bool in_unpack_order_;
};

// The first four of the registers of two sums, as ymm registers.
inline std::array<Xbyak::Ymm, 4> first_four(lanes s, lanes q) {
    std::array<Xbyak::Ymm, 4> four;
    for (size_t i = 0; i < four.size(); ++i) four[i] = ymm_of(i < s.size() ? s[i] : q[i - s.size()]);
    return four;
}

// One row or four that are reduced: registers whose lowest lanes have the pivots, s and q of the rows. rms_norm has
// only q.
struct reduced_rows {
    int rows;
    vmm p, s, q;
};

// Adds up the lanes of eight rows of floats at once, which are in BYTES of the frame meanwhile.
class sums_of_rows {
    using ymm = Xbyak::Ymm;

public:
    static constexpr int ROWS = 8, ROW_BYTES = 32, BYTES = ROWS * ROW_BYTES;
    struct arrays { // the addresses of the arrays of the rows' sums; s only if the sums are `centered`
        Xbyak::Address s, q;
    };

    // `four` and `work` are free while lanes are added up. The part of the frame begins at [rsp + frame]; `next` points
    // to the lanes of the next row, `index` is that of the row loop.
    sums_of_rows(kernel_generator &g, row_loop &rows, const reg &index, const reg &next, const std::array<ymm, 4> &four,
                 const ymm &work, int frame, bool centered, const arrays &numbers)
        : g_(g), rows_(rows), index_(index), next_(next), four_(four), work_(work), frame_(frame), centered_(centered),
          numbers_(numbers) {}

    void begin() { g_.lea(next_, g_.ptr[g_.rsp + frame_]); }

    // Emits the loop over the eight rows. sum() emits the sums of a row and returns the registers of s and q, with the
    // lanes as horizontal_sum::to_ymm() leaves them; without a center s does not matter. Changes q.
    void sum_rows(const std::function<std::pair<ymm, ymm>()> &sum) {
        Xbyak::Label row;
        g_.L(row);
        const auto [s, q] = sum();
        const ymm &first = centered_ ? s : q;
        g_.vperm2f128(work_, first, q, 0x20);
        g_.vperm2f128(q, first, q, 0x31);
        g_.vaddps(work_, work_, q);
        g_.vmovaps(g_.ptr[next_], work_);
        g_.add(next_, ROW_BYTES);
        rows_.move_on();
        g_.test(index_, ROWS - 1);
        g_.jnz(row, NEAR);
    }

    // Adds up the rows, in whose lanes four of s are followed by four of q, and stores their sums.
    void add_up() {
        const auto lanes_of = [&](int row) { return g_.ptr[g_.rsp + frame_ + row * ROW_BYTES]; };
        for (int pair = 0; pair < ROWS / 2; ++pair) {
            const ymm &sums = four_[size_t(pair)];
            g_.vmovaps(work_, lanes_of(2 * pair));
            g_.vunpcklpd(sums, work_, lanes_of(2 * pair + 1));  // lanes 0 and 1 of both rows
            g_.vunpckhpd(work_, work_, lanes_of(2 * pair + 1)); // lanes 2 and 3 of both rows
            g_.vaddps(sums, sums, work_);
        }
        for (const size_t half : {0, 1}) {
            const ymm &sums = four_[2 * half], &second = four_[2 * half + 1];
            const int row = int(half) * ROWS / 2;
            g_.vshufps(work_, sums, second, 0x88); // even lanes
            g_.vshufps(sums, sums, second, 0xDD);
            g_.vaddps(sums, work_, sums);
            if (centered_) g_.vmovups(of_row(numbers_.s, row), xmm_of(sums));
            g_.vextractf128(of_row(numbers_.q, row), sums, 1);
        }
    }

    // Stores the sums of a row by itself, whose lanes are in `s` and `q`.
    void store_one(horizontal_sum &total, lanes s, lanes q) {
        const auto store = [&](const Xbyak::Address &array, lanes sum) {
            const Xbyak::Xmm lowest = total.to_lowest(sum);
            g_.ops.store_lowest(g_.ptr[rows_.of_row(array)], lowest);
        };
        if (centered_) store(numbers_.s, s);
        store(numbers_.q, q);
    }

private:
    Xbyak::Address of_row(const Xbyak::Address &array, int row) {
        return g_.ptr[rows_.of_row(array) + (row - ROWS) * int(sizeof(float))];
    }

    kernel_generator &g_;
    row_loop &rows_;
    const reg index_, next_;
    const std::array<ymm, 4> four_;
    const ymm work_;
    const int frame_;
    const bool centered_;
    const arrays numbers_;
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

    // Sets the lowest lane of v to the row's pivot: (x0 / 4 + x1 / 4) + (x2 / 4 + x3 / 4). load(places) sets v to the
    // first vector of the row, whole or incomplete.
    void find(const vmm &v, const vmm &work, vectors_body load) {
        constexpr place WHOLE{0, false}, INCOMPLETE{0, true};
        Xbyak::Label incomplete, loaded, few;
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

    // Sets v[0] to the pivots of eight rows of floats, which have at least four elements each. `first` is the address
    // of the first row, and afterwards that of the row after the eight.
    void find_eight(const std::array<ymm, 4> &v, const ymm &work, const reg &first, const reg &stride,
                    const reg &fifth) {
        g_.lea(fifth, g_.ptr[first + stride * 4]);
        for (const ymm &four : v) { // rows i and i + 4 are side by side
            io_.load_four(four, first, type_);
            insert_four(four, work, fifth);
            g_.vmulps(four, four, ymm_of(quarter_));
            g_.add(first, stride);
            g_.add(fifth, stride);
        }
        g_.mov(first, fifth);
        g_.vhaddps(v[0], v[0], v[1]); // the sums of elements 0 and 1 and of elements 2 and 3 of each row
        g_.vhaddps(v[2], v[2], v[3]);
        g_.vhaddps(v[0], v[0], v[2]);
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

    void insert_four(const ymm &beside, const vmm &work, const reg &row) {
        if (type_ == jitnorm_f32) return g_.vinsertf128(beside, beside, g_.ptr[row], 1);
        io_.load_four(work, row, type_);
        g_.vinsertf128(beside, beside, xmm_of(work), 1);
    }

    kernel_generator &g_;
    element_io &io_;
    jitnorm_data_type_t type_;
    reg count_;
    vmm quarter_;
};

} // namespace jitnorm::impl::jit
