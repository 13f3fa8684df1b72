// SPDX-License-Identifier: Apache-2.0
#include "loops.hpp"

#include <algorithm>
#include <bit>

namespace jitnorm::impl::jit {

namespace {

constexpr int CACHE_LINE = 64; // bytes

} // namespace

// ---- rows

void row_loop::begin() {
    g_.xor_(index_.cvt32(), index_.cvt32());
    for (const stepped_rows &rows : tensors_) g_.mov(rows.at.front(), rows.first);
}

void row_loop::step(int rows, function_ref<void()> body) {
    while_left(rows, [&] {
        for (int r = 1; r < rows; ++r) point_after(size_t(r - 1), size_t(r));
        body();
        point_after(size_t(rows - 1), 0);
        g_.add(index_, rows);
    });
}

void row_loop::while_left(int rows, function_ref<void()> body) {
    Xbyak::Label next, check;
    g_.jmp(check, NEAR);
    g_.L(next);
    body();
    g_.L(check);
    if (rows == 1) {
        g_.cmp(index_, number_);
        g_.jb(next, NEAR);
    } else {
        g_.lea(scratch_, g_.ptr[index_ + rows]);
        g_.cmp(scratch_, number_);
        g_.jbe(next, NEAR);
    }
}

void row_loop::move_on() {
    point_after(0, 0);
    g_.inc(index_);
}

void row_loop::point_to_row() const {
    for (const stepped_rows &rows : tensors_) point_to_row(rows.at.front(), rows.first, rows.stride);
}

void row_loop::point_to_row(const reg &to, const Xbyak::Address &first, const Xbyak::Address &stride) const {
    g_.mov(to, index_);
    g_.imul(to, stride);
    g_.add(to, first);
}

void row_loop::broadcast(const Xbyak::Address &array, std::span<const vmm> to) {
    const Xbyak::RegExp first = numbers(array);
    for (size_t r = 0; r < to.size(); ++r) g_.ops.broadcast(to[r], g_.ptr[first + r * size_t(g_.kind.element())]);
}

Xbyak::RegExp row_loop::numbers(const Xbyak::Address &array) {
    g_.mov(scratch_, array);
    return numbers(scratch_);
}

void row_loop::point_after(size_t last, size_t next) {
    for (const stepped_rows &rows : tensors_) {
        if (next != last) g_.mov(rows.at[next], rows.at[last]);
        g_.add(rows.at[next], rows.stride);
    }
}

// ---- vectors of a row

void vector_loop::begin(const reg &count) {
    g_.xor_(position_->cvt32(), position_->cvt32());
    g_.mov(left_, count);
}

void vector_loop::begin(const reg &count, const Xbyak::Address &first, int most) {
    Xbyak::Label rest;
    g_.mov(*position_, first);
    g_.mov(left_, count);
    g_.sub(left_, *position_);
    g_.cmp(left_, most);
    g_.jbe(rest);
    g_.mov(left_.cvt32(), most);
    g_.L(rest);
}

void vector_loop::begin_in_lines(const reg &count, const Xbyak::Address &first, int most, const lines &row) {
    Xbyak::Label at_start, has_some;
    find_line(row, row.row);
    g_.mov(*position_, first);
    g_.lea(left_, g_.ptr[*position_ + row.rest + most]);
    g_.cmp(left_, count);
    g_.cmova(left_, count);
    g_.test(*position_, *position_);
    g_.jz(at_start);
    g_.add(*position_, row.rest);
    g_.L(at_start);
    g_.sub(left_, *position_);
    g_.jae(has_some);
    g_.xor_(left_, left_); // the piece before had the row's last elements
    g_.L(has_some);
}

Xbyak::RegExp vector_loop::at(const Xbyak::RegExp &row, const place &p, int size) const {
    return (position_ ? row + *position_ * size : row) + p.slot * width() * size;
}

Xbyak::RegExp vector_loop::after(const reg &row, const place &p, int size, const reg &skipped, int mask) const {
    g_.mov(skipped, left_);
    g_.and_(skipped, mask);
    if (position_) g_.add(skipped, *position_);
    return row + skipped * size + p.slot * width() * size;
}

void vector_loop::walk(int unroll, vectors_body body) {
    Xbyak::Label done;
    emit_unrolled(unroll, done, body);
    for (int slot = 0; slot < unroll; ++slot) emit_remainder(unroll, slot, done, body);
    g_.L(done);
}

void vector_loop::walk_freely(int unroll, vectors_body body) {
    const place incomplete{0, true};
    Xbyak::Label done;
    if (unroll > 1) emit_unrolled(unroll, done, body);
    emit_whole(body);
    g_.test(left_, left_);
    g_.jz(done, NEAR);
    body(places(&incomplete, 1));
    g_.L(done);
}

void vector_loop::walk_straight(int most, Xbyak::Label &done, vectors_body body) {
    std::vector<place> vectors;
    for (int slot = 0; slot < most; ++slot) {
        vectors.push_back({slot, false});
        for (const bool tail : {true, false}) {
            Xbyak::Label longer;
            g_.cmp(left_, (slot + 1) * width());
            tail ? g_.jae(longer, NEAR) : g_.ja(longer, NEAR);
            vectors.back().tail = tail;
            body(places(vectors));
            g_.jmp(done, NEAR);
            g_.L(longer);
        }
    }
}

// The elements before the first whole line and after the last one are walked by the same code, `part`. The line
// that the row shares with the next one is fetched early: non-temporal stores would wait for an ordinary one to it.
void vector_loop::walk_lines(const lines &row, tail_mask &tail, const reg &scratch, int unroll,
                             vectors_body past_caches, vectors_body ordinary) {
    const reg &rest = row.rest;
    Xbyak::Label ends_line, part, whole, walked;
    g_.lea(rest, g_.ptr[*position_ + left_]);
    g_.lea(rest, g_.ptr[row.row + rest * row.size]);
    g_.test(rest.cvt32(), CACHE_LINE - 1);
    g_.jz(ends_line);
    g_.prefetchw(g_.ptr[rest]);
    g_.L(ends_line);
    find_line(row, row.row + *position_ * row.size);
    g_.cmp(rest, left_);
    g_.cmova(rest, left_);
    g_.sub(left_, rest);
    g_.xchg(left_, rest); // `rest` elements follow the part
    g_.test(left_, left_);
    g_.jz(whole, NEAR);
    g_.L(part);
    g_.push(rest);
    tail.prepare(left_, scratch, rest);
    g_.pop(rest);
    walk_freely(1, ordinary);
    g_.add(*position_, left_);
    g_.L(whole);
    g_.mov(left_, rest);
    g_.and_(rest, CACHE_LINE / row.size - 1);
    g_.sub(left_, rest);
    if (unroll > 1) emit_unrolled(unroll, walked, past_caches);
    emit_whole(past_caches);
    g_.L(walked);
    g_.mov(left_, rest);
    g_.xor_(rest, rest);
    g_.test(left_, left_);
    g_.jnz(part, NEAR);
}

// Sets row.rest to the number of elements before the first line that begins at the address `from` or later.
void vector_loop::find_line(const lines &row, const Xbyak::RegExp &from) {
    g_.lea(row.rest, g_.ptr[from]);
    g_.neg(row.rest);
    g_.and_(row.rest, CACHE_LINE - 1);
    g_.shr(row.rest, std::countr_zero(unsigned(row.size)));
}

// Whole vectors, one by one, until fewer elements are left.
void vector_loop::emit_whole(vectors_body body) {
    const place whole{0, false};
    Xbyak::Label next, rest;
    g_.L(next);
    g_.cmp(left_, width());
    g_.jb(rest, NEAR);
    body(places(&whole, 1));
    g_.add(*position_, width());
    g_.sub(left_, width());
    g_.jmp(next, NEAR);
    g_.L(rest);
}

// The unrolled loop. Jumps to `done` if no element is left after it.
void vector_loop::emit_unrolled(int unroll, Xbyak::Label &done, vectors_body body) {
    std::vector<place> all;
    for (int slot = 0; slot < unroll; ++slot) all.push_back({slot, false});
    Xbyak::Label loop, end;
    g_.sub(left_, unroll * width());
    g_.jb(end, NEAR);
    g_.align(32);
    g_.L(loop);
    body(places(all));
    g_.add(*position_, unroll * width());
    g_.sub(left_, unroll * width());
    g_.jae(loop, NEAR);
    g_.L(end);
    g_.add(left_, unroll * width());
    g_.jz(done, NEAR);
}

// After `slot` of fewer than `unroll` vectors that were left: does one more vector, whole or incomplete, or none.
void vector_loop::emit_remainder(int unroll, int slot, Xbyak::Label &done, vectors_body body) {
    const place whole_vector{slot, false}, incomplete{slot, true};
    Xbyak::Label whole;
    const bool last = slot == unroll - 1; // the last of them cannot be whole
    if (!last) {
        g_.cmp(left_, (slot + 1) * width());
        g_.jae(whole, NEAR);
    }
    g_.cmp(left_, slot * width());
    g_.je(done, NEAR);
    body(places(&incomplete, 1));
    if (!last) {
        g_.jmp(done, NEAR);
        g_.L(whole);
        body(places(&whole_vector, 1));
    }
}

void vector_loop::prefetch(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                           prefetch_to cache) const {
    if (cache == prefetch_to::nowhere) return;
    for_each_line(row, vectors, type, [&](const Xbyak::RegExp &line) {
        cache == prefetch_to::l1 ? g_.prefetcht0(g_.ptr[line]) : g_.prefetcht1(g_.ptr[line]);
    });
}

void vector_loop::prefetch_for_write(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                                     int ahead) const {
    for_each_line(row, vectors, type, [&](const Xbyak::RegExp &line) { g_.prefetchw(g_.ptr[line + ahead]); });
}

void vector_loop::for_each_line(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                                function_ref<void(const Xbyak::RegExp &)> hint) const {
    if (vectors.front().tail) return;
    const int size = element_bytes(type);
    const auto vectors_in_line = size_t(std::max(1, CACHE_LINE / (width() * size)));
    for (size_t i = 0; i < vectors.size(); i += vectors_in_line) hint(at(row, vectors[i], size));
}

// ---- two batches of rows

void paired_rows::walk(const batch &first, const batch &second) const {
    Xbyak::Label row, piece;
    g_.xor_(index_.cvt32(), index_.cvt32());
    g_.L(row);
    g_.mov(begin_, 0);
    g_.L(piece);
    for (const batch *rows : {&first, &second}) {
        Xbyak::Label none;
        g_.cmp(index_, rows->number);
        g_.jae(none, NEAR);
        rows->body();
        g_.L(none);
    }
    g_.add(begin_, PIECE);
    g_.cmp(begin_, count_);
    g_.jb(piece, NEAR);
    g_.inc(index_);
    for (const batch *rows : {&first, &second}) {
        g_.cmp(index_, rows->number);
        g_.jb(row, NEAR);
    }
}

void paired_rows::at_first(function_ref<void()> body) const {
    Xbyak::Label later;
    g_.cmp(begin_, 0);
    g_.jne(later, NEAR);
    body();
    g_.L(later);
}

void paired_rows::end_of_piece(const reg &to) const {
    g_.mov(to, begin_);
    g_.add(to, PIECE);
}

// ---- the incomplete vector

void tail_mask::prepare(const reg &count, const reg &scratch, const reg &other) {
    g_.mov(scratch, count);
    g_.and_(scratch, g_.kind.width() - 1);
    if (g_.kind.is_avx512()) {
        g_.xor_(other.cvt32(), other.cvt32());
        g_.bts(other, scratch);
        g_.dec(other.cvt32());
        g_.kmovw(opmask_, other.cvt32());
    } else {
        std::vector<uint32_t> ones_then_zeros(16);
        for (size_t i = 0; i < 8; ++i) ones_then_zeros[i] = ~0U;
        g_.neg(scratch);
        g_.lea(other, g_.ptr[g_.constant(ones_then_zeros)]);
        g_.vmovups(mask_, g_.ptr[other + scratch * g_.kind.element() + g_.kind.bytes()]);
    }
}

void tail_mask::load(const vmm &v, const Xbyak::RegExp &at) {
    g_.kind.is_avx512() ? g_.ops.load(v | opmask_ | g_.T_z, g_.ptr[at]) : g_.ops.load_masked(v, mask_, g_.ptr[at]);
}

void tail_mask::store(const Xbyak::RegExp &at, const vmm &v) {
    g_.kind.is_avx512() ? g_.ops.store(g_.ptr[at] | opmask_, v) : g_.ops.store_masked(g_.ptr[at], mask_, v);
}

void tail_mask::zero_absent(const vmm &v) {
    g_.kind.is_avx512() ? g_.ops.load(v | opmask_ | g_.T_z, v) : g_.ops.bit_and(v, v, mask_);
}

void tail_mask::sum_of_present(const vmm &sum, const vmm &a, const Xbyak::Operand &b) {
    if (g_.kind.is_avx512()) return g_.ops.add(sum | opmask_ | g_.T_z, a, b);
    g_.ops.add(sum, a, b);
    zero_absent(sum);
}

// Loads the last piece first, so that every piece enters at the bottom.
void vector_pieces::collect(const Xbyak::Xmm &v, const reg &row, const place &p, int size) {
    g_.vpxor(v, v, v);
    for (int elements = 1; elements < g_.kind.width(); elements *= 2) {
        Xbyak::Label absent;
        g_.test(loop_.left(), elements);
        g_.jz(absent);
        const int before = (g_.kind.width() - 1) & ~(2 * elements - 1); // the larger pieces come first in memory
        if (elements > 1) g_.vpslldq(v, v, uint8_t(elements * size));
        insert_lowest(v, loop_.after(row, p, size, scratch_, before), elements * size);
        g_.L(absent);
    }
}

void vector_pieces::scatter(const Xbyak::RegExp &at, const Xbyak::Xmm &v, int size) {
    g_.lea(scratch_, g_.ptr[at]);
    for (int elements = g_.kind.width() / 2; elements > 0; elements /= 2) {
        Xbyak::Label absent;
        const int bytes = elements * size;
        g_.test(loop_.left(), elements);
        g_.jz(absent);
        store_lowest(v, bytes);
        g_.add(scratch_, bytes);
        g_.vpsrldq(v, v, uint8_t(bytes));
        g_.L(absent);
    }
}

void vector_pieces::insert_lowest(const Xbyak::Xmm &v, const Xbyak::RegExp &at, int bytes) {
    if (bytes == 8) return g_.vpinsrq(v, v, g_.ptr[at], 0);
    if (bytes == 4) return g_.vpinsrd(v, v, g_.ptr[at], 0);
    if (bytes == 2) return g_.vpinsrw(v, v, g_.ptr[at], 0);
    g_.vpinsrb(v, v, g_.ptr[at], 0);
}

void vector_pieces::store_lowest(const Xbyak::Xmm &v, int bytes) {
    if (bytes == 8) return g_.vmovq(g_.ptr[scratch_], v);
    if (bytes == 4) return g_.vmovd(g_.ptr[scratch_], v);
    if (bytes == 2) return g_.vpextrw(g_.word[scratch_], v, 0);
    g_.vpextrb(g_.byte[scratch_], v, 0);
}

} // namespace jitnorm::impl::jit
