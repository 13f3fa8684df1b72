// SPDX-License-Identifier: Apache-2.0
// backward_passes: the two passes of backward, as parts of kernels (row_pass.hpp).
#pragma once

#include <array>

#include "../emit/affine.hpp"
#include "../emit/sums.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

// Stores the first numbers of a register, of one row or of two, to an array of the compute type.
void store_numbers(kernel_generator &g, const Xbyak::Address &to, const Xbyak::Xmm &numbers, int rows);

// Computes the sums over rows and over columns. Rows go in pairs, which share the loads of scale and the loads and
// stores of the sums over columns; an odd last row has no partner. xhat is computed as (mean - x) * -rstd, so that x
// can be an operand in memory. backward_sums_kernel.cpp defines it.
class backward_sums_pass : row_pass {
    using arguments = backward_sums_arguments<float>;
    static constexpr int PAIR = 2;
    // Bytes; there are no registers for addresses ahead of both rows of a pair. Rows that are done one by one take 0.71
    // to 0.84 of the time without prefetches with 4096 on a Zen 5, with 2048 up to 0.97.
    static constexpr int AHEAD = 4096;

    struct row { // the registers of one row of a pair
        reg src, diff_dst;
        std::vector<vmm> s1, s2;
        vmm mean, factor;
    };

public:
    static constexpr auto NAME = "backward_sums"; // of a kernel of this pass

    backward_sums_pass(kernel_generator &g, const pass_place &where, const backward_sums_conf &conf);

    std::string name(const char *what) const;
    int frame_bytes() const { return mask_at_ + g_.kind.bytes(); }
    void sum_all(); // or the rows of a band
    // Sums up the row of the index, and leaves its sums in the lowest lanes of these registers; s1 only if the pass is
    // centered. The register `free` is free.
    struct row_sums {
        Xbyak::Xmm s1, s2, free;
    };
    row_sums sum_one();
    void sum_piece(const paired_rows &rows);

private:
    bool has_s1() const { return conf_.sums && conf_.centered; }
    bool needs_xhat() const { return conf_.sums || conf_.diff_scale; }
    bool multiplies() const { return conf_.scale && conf_.sums; }
    bool loads_scale() const {
        return multiplies() && (conf_.scale_type != conf_.compute || !multiplies_as_stored(conf_.affine_flags));
    }
    bool rounds() const { return conf_.normalized != jitnorm_data_type_undef; }
    // A scale that is not an operand in memory needs a register, and so do rounded values; with AVX2 a pair of rows
    // leaves none.
    bool has_pairs() const { return !conf_.own_rows && (g_.kind.is_avx512() || !(loads_scale() || rounds())); }
    bool sums_scale() const { return conf_.diff_scale && !conf_.own_rows; }
    bool sums_shift() const { return conf_.diff_shift && !conf_.own_rows; }

    void prepare();
    void prepare_tail();
    void load_mask();
    Xbyak::Address mask_in_frame() const { return g_.ptr[g_.rsp + where_.frame + mask_at_]; }
    void sum_rows(int rows);
    void add_all(int rows);
    void broadcast_statistics(int rows);
    std::vector<vmm> lanes_of(int rows) const;
    void store_sums(int rows);
    void add(int rows, places vectors);
    void add_whole(int rows, const place &p);
    void add_incomplete(int rows, const place &p);
    void store_own_gradients(const place &p);
    void load_scale(const vmm &to, const place &p);
    void load_xhat(const row &of, const place &p);
    const vmm &rounded_xhat();
    void add_to_row_sums(const row &of, const place &p);
    std::array<row, PAIR> take_rows();
    std::vector<stepped_rows> tensors();

    const backward_sums_conf conf_;
    const int vectors_ = backward_vectors(g_.kind);             // registers per sum, and the unroll
    const int mask_at_ = 2 * PAIR * vectors_ * g_.kind.bytes(); // in the frame, after the lanes
    const reg scale_at_ = registers_.take(g_.r10), diff_scale_ = registers_.take(g_.r11);
    const reg diff_shift_ = registers_.take(g_.r13), rest_ = registers_.take(g_.r14);
    const std::array<row, PAIR> rows_ = take_rows();
    // With AVX2, which has two vectors for each sum, all 16 registers are in use.
    const vmm dy_ = registers_.take_vector(), xhat_ = registers_.take_vector();
    const vmm shift_sum_ = registers_.take_vector(), scale_sum_ = registers_.take_vector();
    // With AVX2 there are no pairs if there is a scale in a register or if values are rounded, and the registers of the
    // second row are free.
    const vmm scale_ = g_.kind.is_avx512() ? registers_.take_vector(g_.kind.registers() - 1) : rows_[1].mean;
    const vmm rounded_ = g_.kind.is_avx512() ? registers_.take_vector() : rows_[1].s1.back();
    const vmm rounding_ = g_.kind.is_avx512() ? registers_.take_vector() : rows_[1].s2.back();
    tail_mask tail_{g_, scale_sum_};
    // Only rows with gradients of their own are narrowed. They go one by one and leave the second row's registers free.
    element_io io_{g_, tail_, loop_, where_.loops.io, {rows_[1].s1[0], rows_[1].s2[0]}};
    row_loop pairs_{g_, index_, left_, end_of_rows(JITNORM_ARGUMENT(rows)), tensors()};
    horizontal_sum total_{g_, dy_};
    blocked_sum blocks_{g_, loop_, count_, rest_, where_.frame};
    narrowing narrowing_{g_, {rounding_, rounding_}};
    unit_products products_{g_};
    centered_load difference_{g_, io_, conf_.src, conf_.centered, &products_};
};

// Computes diff_src of rows whose sums are known. backward_data_kernel.cpp defines it.
class backward_data_pass : row_pass {
    using arguments = backward_data_arguments<float>;
    static constexpr int UNROLL = 2;

public:
    static constexpr auto NAME = "backward_data"; // of a kernel of this pass

    backward_data_pass(kernel_generator &g, const pass_place &where, const backward_data_conf &conf);

    std::string name(const char *what) const;
    int frame_bytes() const { return 0; }
    void write_all(); // or the rows of a band
    // Writes the row of the index, whose m1 and k are in the lowest lanes of these registers.
    std::array<vmm, 2> slopes_of_one() const { return {m1_, k_}; }
    void write_one();
    void write_piece(const paired_rows &rows);

private:
    void prepare();
    void go_ahead();
    void prepare_loads();
    bool adds() const { return conf_.diff_sum != jitnorm_data_type_undef; }
    bool subtracts_means() const { return conf_.sums && conf_.centered; }
    bool in_unpack_order() const;
    void broadcast_statistics();
    void broadcast_slopes();
    void compute_vectors();
    void compute(places vectors, bool past_caches);
    void load_g(places vectors);
    void combine(const place &p);
    std::vector<stepped_rows> tensors() const;
    const vmm &g_at(const place &p) const { return g_values_[size_t(p.slot)]; }
    const vmm &x_at(const place &p) const { return x_[size_t(p.slot)]; }

    const backward_data_conf conf_;
    const reg src_ = registers_.take(g_.rsi), diff_dst_ = registers_.take(g_.rdx), diff_src_ = registers_.take(g_.r8);
    const reg diff_sum_ = registers_.take(g_.r9), scale_at_ = registers_.take(g_.r10);
    const reg next_src_ = registers_.take(g_.r13), next_diff_dst_ = registers_.take(g_.r14);
    const lines lines_{diff_src_, element_bytes(conf_.diff_src), registers_.take(g_.r11)};
    const vmm mean_ = registers_.take_vector(), rstd_ = registers_.take_vector();
    const vmm m1_ = registers_.take_vector(), k_ = registers_.take_vector();
    const std::vector<vmm> g_values_ = registers_.take_vectors(UNROLL), x_ = registers_.take_vectors(UNROLL);
    const std::array<vmm, 2> narrowing_{registers_.take_vector(), registers_.take_vector()};
    tail_mask tail_{g_, registers_.take_vector()};
    element_io io_{g_, tail_, loop_, where_.loops.io, narrowing_};
    row_loop rows_{g_, index_, left_, end_of_rows(JITNORM_ARGUMENT(rows)), tensors()};
    unit_products products_{g_};
    centered_load difference_{g_, io_, conf_.src, conf_.centered, &products_};
};

} // namespace jitnorm::impl::jit
