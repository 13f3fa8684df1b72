// SPDX-License-Identifier: Apache-2.0
#include "sums.hpp"

#include <algorithm>
#include <bit>

namespace jitnorm::impl::jit {

void blocked_sum::sum(lanes sums, int unroll, vectors_body body) {
    constexpr int BLOCK = int(layer_norm::BLOCK);
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

void blocked_sum::sum_piece(const paired_rows &rows, lanes sums, int unroll, vectors_body body,
                            function_ref<void()> finish) {
    constexpr int BLOCK = int(layer_norm::BLOCK);
    static_assert(BLOCK % paired_rows::PIECE == 0);
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

void blocked_sum::clear(lanes sums) {
    for (const vmm &v : sums) g_.ops.clear(v);
}

void blocked_sum::save(lanes sums, size_t first) {
    for (size_t i = 0; i < sums.size(); ++i) g_.vmovaps(saved(first + i), sums[i]);
}

void blocked_sum::add_saved(lanes sums) {
    for (size_t i = 0; i < sums.size(); ++i) g_.ops.add(sums[i], sums[i], saved(i));
}

Xbyak::Address blocked_sum::saved(size_t i) const { return g_.ptr[g_.rsp + frame_ + i * size_t(g_.kind.bytes())]; }

void spread_to_unpack_order(Xbyak::CodeGenerator &g, const Xbyak::Ymm &first, const Xbyak::Ymm &second,
                            bool from_second) {
    constexpr int LOW = 0, HIGH = 1, ZEROS = 8;
    const auto take = [&](const Xbyak::Ymm &to, int half) {
        const Xbyak::Ymm from = from_second ? second : first;
        g.vperm2f128(to, from, from, uint8_t(from_second ? half << 4 | ZEROS : ZEROS << 4 | half));
    };
    take(from_second ? first : second, from_second ? LOW : HIGH);
    take(from_second ? second : first, from_second ? HIGH : LOW);
}

Xbyak::Ymm horizontal_sum::to_ymm(lanes sum) {
    const Xbyak::Ymm low = ymm_of(sum[0]), work = ymm_of(work_);
    for (size_t width = std::bit_ceil(sum.size()) / 2; width > 0; width /= 2) {
        if (in_unpack_order_ && width == 1) {
            const Xbyak::Ymm second = ymm_of(sum[1]);
            g_.vperm2f128(work, low, second, 0x31); // puts the pair in plain order
            g_.vperm2f128(low, low, second, 0x20);
            g_.ops.add(low, low, work);
            break;
        }
        for (size_t i = 0; i + width < std::min(sum.size(), 2 * width); ++i) g_.ops.add(sum[i], sum[i], sum[i + width]);
    }
    if (g_.kind.is_avx512()) {
        g_.vextractf64x4(work, zmm_of(sum[0]), 1);
        g_.ops.add(low, low, work);
    }
    return low;
}

Xbyak::Xmm horizontal_sum::to_lowest(lanes sum) {
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

std::array<Xbyak::Ymm, 4> first_four(lanes s, lanes q) {
    std::array<Xbyak::Ymm, 4> four;
    for (size_t i = 0; i < four.size(); ++i) four[i] = ymm_of(i < s.size() ? s[i] : q[i - s.size()]);
    return four;
}

void sums_of_eight::keep(const Xbyak::Address &to, const ymm &s, const ymm &q) {
    g_.vperm2f128(work_, s, q, 0x20);
    g_.vperm2f128(q, s, q, 0x31);
    g_.vaddps(work_, work_, q);
    g_.vmovaps(to, work_);
}

void sums_of_eight::add_up(const Xbyak::RegExp &from, function_ref<void(int row, const ymm &sums)> store) {
    const auto lanes_of = [&](int row) { return g_.ptr[from + row * ROW_BYTES]; };
    for (int pair = 0; pair < ROWS / 2; ++pair) {
        const ymm &sums = v_[size_t(pair)];
        g_.vmovaps(work_, lanes_of(2 * pair));
        g_.vunpcklpd(sums, work_, lanes_of(2 * pair + 1));  // lanes 0 and 1 of both rows
        g_.vunpckhpd(work_, work_, lanes_of(2 * pair + 1)); // lanes 2 and 3 of both rows
        g_.vaddps(sums, sums, work_);
    }
    for (const size_t half : {0, 1}) {
        const ymm &first = v_[2 * half], &second = v_[2 * half + 1];
        g_.vshufps(work_, first, second, 0x88); // even lanes
        g_.vshufps(first, first, second, 0xDD);
        g_.vaddps(first, work_, first);
        store(int(half) * ROWS / 2, first);
    }
}

void pivots::find(const vmm &v, const vmm &work, const reg &row) {
    Xbyak::Label few, found;
    g_.cmp(count_, 4);
    g_.jb(few);
    io_.load_four(v, row, type_);
    add_four(v, work);
    g_.jmp(found);
    g_.L(few);
    io_.load_first(v, row, type_);
    g_.L(found);
}

void pivots::find_in(const vmm &v, const vmm &work) {
    Xbyak::Label few;
    g_.cmp(count_, 4);
    g_.jb(few);
    add_four(v, work);
    g_.L(few);
}

void pivots::find_eight(const std::array<ymm, 4> &v, const ymm &work, const reg &first, const reg &stride,
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

void pivots::add_four(const vmm &v, const vmm &work) {
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

void pivots::insert_four(const ymm &beside, const vmm &work, const reg &row) {
    if (type_ == jitnorm_f32) return g_.vinsertf128(beside, beside, g_.ptr[row], 1);
    io_.load_four(work, row, type_);
    g_.vinsertf128(beside, beside, xmm_of(work), 1);
}

} // namespace jitnorm::impl::jit
