// SPDX-License-Identifier: Apache-2.0
// forward_passes: the passes of forward, as parts of kernels (row_pass.hpp).
#pragma once

#include <array>
#include <optional>

#include "../emit/affine.hpp"
#include "../emit/sums.hpp"
#include "../emit/trace_codegen.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"
#include "sums_of_eights.hpp"

namespace jitnorm::impl::jit {

// Adds rows to residual rows, and may reduce the results. addition_kernel.cpp defines it.
class addition_pass : row_pass {
    using arguments = addition_arguments<float>;
    static constexpr int UNROLL = 2; // with silu 1

public:
    static constexpr auto NAME = "addition"; // of a kernel of this pass

    addition_pass(kernel_generator &g, const pass_place &where, const addition_conf &conf);

    std::string name(const char *what) const;
    int frame_bytes() const {
        return lanes_bytes() + (conf_.reduces ? sums_of_eights::BYTES : 0) +
               (conf_.silu ? trace_codegen::frame_bytes(g_.kind) : 0);
    }
    void add_all();
    void add_piece(const paired_rows &rows);
    // Does the rows of a band. If the pass reduces them, emits `finish` as sum_band() does.
    void add_band(function_ref<void(const reduced_rows &)> finish);
    // Returns what its reduction leaves, if there is one.
    reduced_rows add_one();

private:
    bool has_bias() const { return conf_.bias != jitnorm_data_type_undef; }
    bool has_gate() const { return conf_.gate != jitnorm_data_type_undef; }
    bool writes_sum() const { return conf_.sum != jitnorm_data_type_undef; }

    int lanes_bytes() const { return (where_.in_turns ? 2 : 1) * int(sums_.size()) * g_.kind.bytes(); }
    int unroll() const { return conf_.silu ? 1 : UNROLL; }
    std::vector<vmm> take_in_turns();
    void prepare();
    void add_row();
    void add_eight(function_ref<void(const reduced_rows &)> finish);
    reduced_rows sums_of_row();
    register_set registers_between_rows() const;
    void multiply_by_silu(places vectors);
    void find_pivot();
    void store_sums();
    void add_vectors(places vectors);
    void accumulate(places vectors);
    void add(places vectors);
    void store(places vectors);

    const addition_conf conf_;
    const reg src_ = registers_.take(g_.rsi), residual_ = registers_.take(g_.rdx), sum_ = registers_.take(g_.r8);
    const reg row_ = registers_.take(g_.r9), rest_ = registers_.take(g_.r14);
    const reg next_lanes_ = g_.r11;                // of bands, which take it
    const reg vector_ = registers_.take(g_.r10);   // at the bias or at the gate, or at one after the other
    const int vectors_ = forward_vectors(g_.kind); // registers for the lanes of a sum, at least UNROLL
    // UNROLL registers, of which slots take turns.
    const std::vector<vmm> x_ = take_in_turns(), other_ = take_in_turns();
    const std::vector<vmm> q_ = conf_.reduces ? registers_.take_vectors(vectors_) : std::vector<vmm>();
    const std::vector<vmm> s_ = conf_.centered ? registers_.take_vectors(vectors_) : std::vector<vmm>();
    const std::vector<vmm> sums_ = joined(s_, q_);
    const vmm pivot_ = conf_.centered ? registers_.take_vector() : vmm();
    const std::array<vmm, 2> narrowing_{registers_.take_vector(), registers_.take_vector()};
    tail_mask tail_{g_, registers_.take_vector()};
    element_io io_{g_, tail_, loop_, where_.loops.io, narrowing_};
    row_loop rows_{g_,
                   index_,
                   left_,
                   end_of_rows(JITNORM_ARGUMENT(rows)),
                   {{{src_}, JITNORM_ARGUMENT(src), JITNORM_ARGUMENT(src_row_stride)},
                    {{residual_}, JITNORM_ARGUMENT(residual), JITNORM_ARGUMENT(residual_row_stride)},
                    {{sum_}, JITNORM_ARGUMENT(sum), JITNORM_ARGUMENT(sum_row_stride)},
                    {{row_}, JITNORM_ARGUMENT(row), JITNORM_ARGUMENT(row_stride)}}};
    pivots pivots_{g_, io_, conf_.row, count_, other_[1]};
    blocked_sum blocks_{g_, loop_, count_, rest_, where_.frame};
    horizontal_sum total_{g_, x_[0]};
    std::optional<sums_of_eights> eights_; // where the pass reduces rows
    std::optional<trace_codegen> silu_;
};

// Sums up rows. reduction_kernel.cpp defines it.
class reduction_pass : row_pass {
    using arguments = reduction_arguments<float>;

public:
    static constexpr auto NAME = "reduction"; // of a kernel of this pass

    reduction_pass(kernel_generator &g, const pass_place &where, const reduction_conf &conf);

    std::string name(const char *what) const;
    int frame_bytes() const;
    void sum_all();
    // Sums up the rows of a band, which begins at a multiple of eight rows or has fewer. Emits `finish` for every four
    // rows of eight, and for each of the rows that these leave over; their pivots, s and q are in the arrays then.
    void sum_band(function_ref<void(const reduced_rows &)> finish);
    // `prefetches`: whether later columns are prefetched.
    void sum_piece(const paired_rows &rows, bool prefetches);
    reduced_rows sum_one();

private:
    void prepare();
    // Then pairs of vectors are in unpack order, and so are the lanes.
    bool unpacks() const { return unpacks_for_less(g_.kind, conf_.src); }
    bool uses_products() const;
    bool subtracts_by_products(size_t slot) const;
    bool has_eights() const { return !g_.kind.is_f64() && !conf_.repeated; }
    bool finds_pivots() const { return conf_.centered && !conf_.repeated; }

    reduced_rows sum_single();
    void sum_eights(function_ref<void(const reduced_rows &)> finish);
    void find_pivots_of_eight();
    void sum_rows_of_eight();
    void sum_short_rows(Xbyak::Label &done);
    void add_straight(const place &p);
    register_set registers_between_rows() const;
    void sum_row();
    void sum_vectors();
    void find_pivot();
    void broadcast_pivot();
    void store_sums();
    void store_sum(const Xbyak::Address &array, lanes sum);
    void add(places vectors);
    void accumulate_spread(size_t slot);
    void accumulate(size_t slot);

    const reduction_conf conf_;
    const reg src_ = registers_.take(g_.rsi), rest_ = registers_.take(g_.rdx);
    const reg other_ = registers_.take(g_.r8), stride_ = registers_.take(g_.r9); // of eights
    // The registers for the lanes of each sum, and for the differences of as many vectors.
    const std::vector<vmm> s_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> q_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> d_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> sums_ = conf_.centered ? joined(s_, q_) : q_;
    const int block_lanes_ = 2 * forward_vectors(g_.kind) * g_.kind.bytes();
    const vmm pivot_ = registers_.take_vector(), factor_ = registers_.take_vector(); // 0.25 where there is no factor
    const std::array<Xbyak::Ymm, 4> four_ = first_four(s_, q_);                      // while the lanes are not in use
    tail_mask tail_{g_, registers_.take_vector()};
    element_io io_{g_, tail_, loop_, where_.loops.io};
    row_loop rows_{g_,
                   index_,
                   left_,
                   end_of_rows(JITNORM_ARGUMENT(rows)),
                   {{{src_}, JITNORM_ARGUMENT(src), JITNORM_ARGUMENT(row_stride)}}};
    unit_products products_{g_};
    centered_load difference_{g_, io_, conf_.src, conf_.centered};
    pivots pivots_{g_, io_, conf_.src, count_, factor_};
    blocked_sum blocks_{g_, loop_, count_, rest_, where_.frame};
    horizontal_sum total_{g_, d_[0], unpacks()};
    horizontal_sum straight_total_{g_, d_[0]};
    sums_of_eights eights_{g_,
                           rows_,
                           other_,
                           four_,
                           ymm_of(d_[0]),
                           where_.frame + block_lanes_,
                           conf_.centered,
                           {JITNORM_ARGUMENT(pivot), JITNORM_ARGUMENT(s), JITNORM_ARGUMENT(q)}};
};

// Normalizes rows. normalize_kernel.cpp defines it.
class normalize_pass : row_pass {
    using arguments = normalize_arguments<float>;
    static constexpr int UNROLL = 2, PAIR = 2;

    struct row { // the registers of one row of a pair
        reg src, dst;
        vmm hi, rstd, bias;
        std::vector<vmm> work;
    };

public:
    static constexpr auto NAME = "normalize"; // of a kernel of this pass

    normalize_pass(kernel_generator &g, const pass_place &where, const normalize_conf &conf);

    std::string name(const char *what) const;
    int frame_bytes() const { return has_post_ops() ? trace_codegen::frame_bytes(g_.kind) : 0; }
    // Writes all rows, or the rows of a band; the index has no meaning afterwards.
    void write_all();
    void write_piece(const paired_rows &rows);
    // Writes the row whose hi, rstd and bias are in the lowest lanes of these registers.
    std::array<vmm, 3> numbers_of_one() const {
        return {rows_of_pair_[0].hi, rows_of_pair_[0].rstd, rows_of_pair_[0].bias};
    }
    void write_one();

private:
    void prepare();
    void prepare_loads();
    bool has_post_ops() const { return !conf_.post_ops.empty(); }
    bool rounds() const { return conf_.normalized != jitnorm_data_type_undef; }
    bool writes_pre_quantization() const { return conf_.pre_quantization != jitnorm_data_type_undef; }
    jitnorm_data_type_t stored() const { return conf_.quantizes ? jitnorm_f32 : conf_.dst; } // of normalized values
    bool in_unpack_order() const;
    bool subtracts_by_products() const;
    // Non-temporal stores fill whole lines of one row at a time; post-ops, a second output and maxima need the
    // registers; rows with their own scale and shift share no loads of these.
    bool takes_pairs() const {
        return !conf_.non_temporal && !has_post_ops() && !writes_pre_quantization() && !conf_.finds_amax &&
               !conf_.own_rows;
    }
    vmm floats(const vmm &v) const { return g_.elements(v, sizeof(float)); }

    void write_rows_in_pairs();
    void write_rows_one_by_one();
    void write_row();
    void point_ahead();
    void broadcast_statistics(size_t rows);
    void broadcast(size_t rows, const Xbyak::Address &array, vmm row::*to);
    void normalize_vectors(size_t rows);
    void normalize(std::span<const row> rows, places vectors, bool past_caches);
    void store_pre_quantization(places vectors);
    void begin_maximum();
    void take_larger(const vmm &than, const vmm &x);
    void find_larger(places vectors);
    void find_maximum();
    void store_maximum();
    const vmm &find_factor();
    void quantize_rows();
    void point_to_next_values();
    void multiply_values(const vmm &factor);
    void give_hints(std::span<const row> rows, places vectors);
    void apply_post_ops(const vmm &x, const place &p);
    void load_operand(const vmm &v, size_t i, const place &p);
    std::vector<int> free_registers();
    std::array<row, PAIR> take_rows();
    std::vector<stepped_rows> tensors() const;

    const normalize_conf conf_;
    const std::array<row, PAIR> rows_of_pair_ = take_rows();
    // The registers of the second row are free while rows go one by one.
    const reg &operands_ = rows_of_pair_[1].src, &operand_ = rows_of_pair_[1].dst;
    const reg &pre_quantization_ = rows_of_pair_[1].dst;
    const std::array<vmm, UNROLL> largest_{rows_of_pair_[1].hi, rows_of_pair_[1].rstd}; // for each slot
    const vmm &magnitude_ = rows_of_pair_[1].bias;                                      // the bits that a magnitude has
    const reg scale_at_ = registers_.take(g_.r10), shift_at_ = registers_.take(g_.r11);
    const reg ahead_ = registers_.take(g_.r14);
    const lines lines_{rows_of_pair_[0].dst, element_bytes(conf_.dst), registers_.take(g_.r9)};
    const reg &values_ = lines_.rest; // the values of a row to be quantized, which is not stored past the caches
    const std::vector<vmm> scale_ = registers_.take_vectors(UNROLL), shift_ = registers_.take_vectors(UNROLL);
    tail_mask tail_{g_, registers_.take_vector()};
    element_io io_{g_, tail_, loop_, where_.loops.io, {scale_[0], scale_[1]}}; // scale and shift have been used
    row_loop rows_{g_, index_, left_, end_of_rows(JITNORM_ARGUMENT(rows)), tensors()};
    unit_products products_{g_};
    centered_load difference_{g_, io_, conf_.src, conf_.centered, subtracts_by_products() ? &products_ : nullptr};
    scale_shift affine_{g_,
                        io_,
                        conf_.scale_shift,
                        conf_.affine_flags,
                        conf_.scale ? scale_ : std::vector<vmm>{},
                        conf_.shift ? shift_ : std::vector<vmm>{}};
    std::optional<trace_codegen> post_ops_;
};

} // namespace jitnorm::impl::jit
