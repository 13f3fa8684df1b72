// SPDX-License-Identifier: Apache-2.0
// row_pass: the base class of passes over rows, which are emitters. A kernel has one pass, which then does all its
// rows; or several, which take turns piece by piece (paired_rows) and keep only loop_registers from piece to piece; or
// several that do one row or one band of rows, one after the other.
#pragma once

#include <optional>

#include "../emit/paired_rows.hpp"
#include "../kernel_generator.hpp"

namespace jitnorm::impl::jit {

// The registers of the loops over rows and over vectors, which all passes of a kernel share; `io` is for element_io.
struct loop_registers {
    explicit loop_registers(kernel_generator &g)
        : count(g.registers.take(g.rcx)), position(g.registers.take(g.rax)), left(g.registers.take(g.rbx)),
          index(g.registers.take(g.r12)), io(g.registers.take(g.r15)) {}

    reg count, position, left, index, io;
};

// Begins a band at the row of the index: stores its number, and the number of the first row after the band, which has
// at most `band_rows` of `rows` rows.
inline void begin_band(kernel_generator &g, const loop_registers &loops, const Xbyak::Address &begin,
                       const Xbyak::Address &end, const Xbyak::Address &band_rows, const Xbyak::Address &rows) {
    g.mov(begin, loops.index);
    g.mov(loops.left, loops.index);
    g.add(loops.left, band_rows);
    g.mov(loops.position, rows);
    g.cmp(loops.left, loops.position);
    g.cmova(loops.left, loops.position);
    g.mov(end, loops.left);
}

// The pass's block of arguments, and its part of the frame, [rsp + frame].
struct pass_place {
    const loop_registers &loops;
    Xbyak::RegExp arguments;
    int frame = 0;
    bool in_one_loop = false; // with another pass
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

    Xbyak::Address argument(size_t field) const { return g_.ptr[where_.arguments + field]; }
    // The address of the number of the first row after the pass's rows; `all` is the address of the number of all rows.
    Xbyak::Address end_of_rows(const Xbyak::Address &all) const { return where_.band ? where_.band->end : all; }
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

// The bytes of a pass, with its post-ops.
template <typename Conf>
size_t room_for(const Conf &conf) {
    if constexpr (requires { conf.post_ops; }) return MAX_KERNEL_BYTES * (1 + conf.post_ops.size());
    return MAX_KERNEL_BYTES;
}

// The generator of a kernel of one pass, which `do_all` emits.
template <typename Pass, void (Pass::*do_all)()>
class single_pass_generator : public kernel_generator {
public:
    template <typename Conf>
    explicit single_pass_generator(const Conf &conf)
        : kernel_generator(kind_of(conf), room_for(conf)), pass_(*this, {loops_, rdi}, conf) {
        open_frame(pass_.frame_bytes());
        (pass_.*do_all)();
        close_frame();
    }
    std::string name() const { return pass_.name(Pass::NAME); }

private:
    const loop_registers loops_{*this};
    Pass pass_;
};

} // namespace jitnorm::impl::jit
