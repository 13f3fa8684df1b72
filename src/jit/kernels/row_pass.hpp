// SPDX-License-Identifier: Apache-2.0
// row_pass: the base classes of passes over rows, which are emitters, and of the kernels that are made of them. What a
// pass does follows from the kernel's pass_order:
//
//     one_pass   do_all() does all rows
//     by_bands   do_all() does the rows of a band
//     one_row    a function of its own does the row
#pragma once

#include <optional>

#include "../emit/loops.hpp"
#include "../kernel_generator.hpp"

namespace jitnorm::impl::jit {

// The registers of the loops over rows and over vectors, which all passes of a kernel share; `io` is for element_io.
struct loop_registers {
    explicit loop_registers(kernel_generator &g)
        : count(g.registers.take(g.rcx)), position(g.registers.take(g.rax)), left(g.registers.take(g.rbx)),
          index(g.registers.take(g.r12)), io(g.registers.take(g.r15)) {}

    reg count, position, left, index, io;
};

// What a kernel says to a pass: whether rows go in bands.
struct pass_place {
    const loop_registers &loops;
    // Where rows go in bands: the numbers of the band's first row and of the first row after it. A pass then does the
    // rows from the index on.
    struct band {
        Xbyak::Address begin, end;
    };
    std::optional<pass_place::band> band = {};
};

class row_pass {
protected:
    row_pass(kernel_generator &g, const pass_place &where)
        : g_(g), where_(where), count_(where.loops.count), left_(where.loops.left), index_(where.loops.index) {}

    // A field of the arguments: in a pass this is what JITNORM_ARGUMENT calls.
    Xbyak::Address argument(size_t field) const { return g_.argument(field); }
    // The loop over the pass's rows; `all` is the address of the number of all rows.
    row_loop loop_over(const Xbyak::Address &all, const std::vector<stepped_rows> &tensors) const {
        return {g_, index_, left_, where_.band ? where_.band->end : all, tensors};
    }
    void begin_rows(row_loop &rows) const { where_.band ? rows.point_to_row() : rows.begin(); }

    // Sets `ahead` to so many bytes after `row`.
    void point_ahead(const reg &ahead, const reg &row, const Xbyak::Address &bytes) const {
        g_.mov(ahead, bytes);
        g_.add(ahead, row);
    }

    kernel_generator &g_;
    const pass_place where_;
    const reg count_, left_, index_;
    register_set registers_ = g_.registers; // a copy: another pass may use the same ones
    vector_loop loop_{g_, where_.loops.position, left_};
};

// The bytes of a pass, with its post-ops; 0: there is no such pass.
template <typename Conf>
size_t room_for(const std::optional<Conf> &pass) {
    if (!pass) return 0;
    if constexpr (requires { pass->post_ops; }) return MAX_KERNEL_BYTES * (1 + pass->post_ops.size());
    if constexpr (requires { pass->reduces; }) return MAX_KERNEL_BYTES * (pass->reduces ? 2 : 1); // an addition
    return MAX_KERNEL_BYTES;
}
template <typename... Conf>
size_t room_for(const std::optional<Conf> &...passes) {
    return (room_for(passes) + ...);
}

// The base of the generators of both directions: the place of passes, and the loop over bands.
class rows_generator : public kernel_generator {
protected:
    rows_generator(const vector_kind &what, size_t capacity, pass_order order)
        : kernel_generator(what, capacity), order_(order) {
        if (order != pass_order::one_pass) reserve(VARIABLES);
    }

    // The loop over bands of at most `band_rows` of `rows` rows each. Before each pass over a band, the index gets the
    // band's first row.
    void begin_bands(const Xbyak::Address &band_rows, const Xbyak::Address &rows) {
        const reg &end = loops_.left, &all = loops_.position;
        xor_(index_.cvt32(), index_.cvt32());
        L(band_);
        mov(qword[rsp + BAND_BEGIN], index_);
        mov(end, index_);
        add(end, band_rows);
        mov(all, rows);
        cmp(end, all);
        cmova(end, all);
        mov(qword[rsp + BAND_END], end);
    }
    void return_to_band() { mov(index_, qword[rsp + BAND_BEGIN]); }
    void end_bands(const Xbyak::Address &rows) {
        mov(index_, qword[rsp + BAND_END]);
        cmp(index_, rows);
        jb(band_, NEAR);
    }

    // The place of the passes. The kernel's variables are the first in its frame, with room that keeps the vectors
    // after them aligned.
    static constexpr int BAND_BEGIN = 0, BAND_END = 8, VARIABLES = 64;
    pass_place place() const {
        pass_place where{loops_};
        if (order_ == pass_order::by_bands) where.band = {qword[rsp + BAND_BEGIN], qword[rsp + BAND_END]};
        return where;
    }

    const pass_order order_;
    const loop_registers loops_{*this};
    const reg &index_ = loops_.index;

private:
    Xbyak::Label band_;
};

} // namespace jitnorm::impl::jit
