// SPDX-License-Identifier: Apache-2.0
// short_normalize: the part of a normalize_kernel for rows of a few vectors. Scale and shift stay in registers, and the
// code for a row has no loop. It is for elements of the compute type, without attributes.
#pragma once

#include <optional>

#include "../emit/affine.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

class short_normalize {
    using arguments = normalize_arguments<float>;
    static constexpr int VECTORS = 4; // the most vectors of a row

public:
    static bool takes(const normalize_conf &conf);

    // `scale` and `shift` are the registers of these arguments. All other registers but that of the tail's mask are
    // this part's own.
    short_normalize(kernel_generator &g, const pass_place &where, const normalize_conf &conf, tail_mask &tail,
                    const reg &scale, const reg &shift);

    // Emits code that does all rows and jumps to `done` if they are short enough, and otherwise changes nothing.
    void emit(Xbyak::Label &done);

private:
    register_set registers_of_rest() const;
    void load_arguments();
    void normalize_rows(places vectors);
    void normalize_row(places vectors);
    std::vector<vmm> take_if(bool wanted);

    kernel_generator &g_;
    tail_mask &tail_;
    const pass_place where_;
    const jitnorm_data_type_t type_;
    const reg count_, scale_, shift_;
    register_set registers_ = registers_of_rest();
    const reg src_ = registers_.take(g_.rsi), dst_ = registers_.take(g_.rdx), index_ = registers_.take(g_.r12);
    const reg hi_ = registers_.take(g_.r8), rstd_ = registers_.take(g_.r13), bias_ = registers_.take(g_.rbx);
    const reg src_stride_ = registers_.take(g_.rax), dst_stride_ = registers_.take(g_.r15);
    const reg ahead_ = registers_.take(g_.r14), reg_io_ = registers_.take(g_.r9);
    const std::vector<vmm> statistics_ = registers_.take_vectors(3); // hi, rstd, bias
    const std::vector<vmm> work_ = registers_.take_vectors(VECTORS);
    vector_loop loop_{g_, count_};
    element_io io_{g_, tail_, loop_, reg_io_};
    centered_load difference_{g_, io_, type_, true};
    scale_shift affine_;
};

} // namespace jitnorm::impl::jit
