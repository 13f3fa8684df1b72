// SPDX-License-Identifier: Apache-2.0
// row_pass: the base classes of passes over rows, which are emitters, and of the kernels that are made of them. A pass
// does the rows of a band: do_all() those from the index on, a function of its own the only row (pass_order::one_row).
#pragma once

#include <optional>

#include "../emit/loops.hpp"
#include "../kernel_generator.hpp"

namespace jitnorm::impl::jit {

// What all passes of a kernel share: the registers of the loops over rows and over vectors (`io` is for element_io),
// and the numbers of the band's first row and of the first row after it, which are the first in the frame, with room
// that keeps the vectors after them aligned. A kernel for one row does not set these two numbers.
struct pass_context {
    explicit pass_context(kernel_generator &g)
        : count(g.registers.take(g.rcx)), position(g.registers.take(g.rax)), left(g.registers.take(g.rbx)),
          index(g.registers.take(g.r12)), io(g.registers.take(g.r15)), band_begin(g.qword[g.rsp]),
          band_end(g.qword[g.rsp + 8]) {
        g.reserve(64);
    }

    reg count, position, left, index, io;
    Xbyak::Address band_begin, band_end;
};

class row_pass {
protected:
    row_pass(kernel_generator &g, const pass_context &shared)
        : g_(g), shared_(shared), count_(shared.count), left_(shared.left), index_(shared.index) {}

    // A field of the arguments: in a pass this is what JITNORM_ARGUMENT calls.
    Xbyak::Address argument(size_t field) const { return g_.argument(field); }
    row_loop loop_over(const std::vector<stepped_rows> &tensors) const {
        return {g_, index_, left_, shared_.band_end, tensors};
    }

    kernel_generator &g_;
    const pass_context &shared_;
    const reg count_, left_, index_;
    register_set registers_ = g_.registers; // a copy: another pass may use the same ones
    vector_loop loop_{g_, shared_.position, left_};
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

// The base of the generators of both directions: the loop over bands.
class rows_generator : public kernel_generator {
protected:
    rows_generator(const vector_kind &what, size_t capacity, pass_order order)
        : kernel_generator(what, capacity), order_(order) {}

    // Makes all rows one band.
    void take_all(const Xbyak::Address &rows) {
        xor_(index_.cvt32(), index_.cvt32());
        mov(shared_.band_begin, index_);
        mov(shared_.left, rows);
        mov(shared_.band_end, shared_.left);
    }

    // The loop over bands of at most `band_rows` of `rows` rows each. Before each pass over a band, the index gets the
    // band's first row.
    void begin_bands(const Xbyak::Address &band_rows, const Xbyak::Address &rows) {
        const reg &end = shared_.left, &all = shared_.position;
        xor_(index_.cvt32(), index_.cvt32());
        L(band_);
        mov(shared_.band_begin, index_);
        mov(end, index_);
        add(end, band_rows);
        mov(all, rows);
        cmp(end, all);
        cmova(end, all);
        mov(shared_.band_end, end);
    }
    void return_to_band() { mov(index_, shared_.band_begin); }
    void end_bands(const Xbyak::Address &rows) {
        mov(index_, shared_.band_end);
        cmp(index_, rows);
        jb(band_, NEAR);
    }

    const pass_order order_;
    const pass_context shared_{*this};
    const reg &index_ = shared_.index;

private:
    Xbyak::Label band_;
};

} // namespace jitnorm::impl::jit
