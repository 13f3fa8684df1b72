// SPDX-License-Identifier: Apache-2.0
// element_io: loads and stores vectors of the compute type, whole or incomplete, from and to rows of any data type. No
// other code of kernels converts elements.
//
// Widening is exact, except that s32 to float rounds to nearest even; narrowing.hpp describes the conversions of
// stores. AVX2 has no masked loads and stores of narrow elements: an incomplete vector of them is collected piece by
// piece. f64 elements need f64 as the compute type.
#pragma once

#include <array>
#include <optional>

#include "loops.hpp"
#include "narrowing.hpp"

namespace jitnorm::impl::jit {

// Whether loading elements of `type` as pairs in unpack order (sums.hpp) takes fewer instructions.
bool unpacks_for_less(const vector_kind &kind, jitnorm_data_type_t type);

class element_io {
public:
    using vector_body = function_ref<void(const place &, const Xbyak::Operand &)>;

    // For loads, and stores of the compute type.
    element_io(kernel_generator &g, tail_mask &tail, const vector_loop &loop, const reg &scratch)
        : g_(g), tail_(tail), loop_(loop), scratch_(scratch) {}
    // For stores of other types as well.
    element_io(kernel_generator &g, tail_mask &tail, const vector_loop &loop, const reg &scratch,
               const std::array<vmm, 2> &work)
        : element_io(g, tail, loop, scratch) {
        narrowing_.emplace(g, work);
    }

    // From now on pairs of whole vectors are in unpack order after every load_all() and are expected so by every
    // store_all() of the same places. This object keeps the register `zeros`. Rows must be f32, bf16 or f16, and stores
    // must be of types for which narrowing::joins_two() holds.
    void use_unpack_order(const vmm &zeros);
    bool in_unpack_order(places vectors) const { return zeros_ && vectors.size() % 2 == 0 && !vectors.back().tail; }

    // From now on bf16 is widened to floats by a permutation of bytes, if the processor has this instruction
    // (AVX512_VBMI): it takes one operation on vectors instead of two, a conversion and a shift. This object keeps the
    // register `order`.
    void permute_bf16(const vmm &order);

    // Loads each vector into the register of its slot.
    void load_all(std::span<const vmm> to, const reg &row, places vectors, jitnorm_data_type_t type);

    // Loads one vector. Absent elements of an incomplete vector become zero.
    void load(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type);

    // Calls body(p, x) with the vector as an operand. x is memory if the vector is whole and has the compute type;
    // otherwise the vector is loaded into v, and x is v.
    void use(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type, vector_body body);

    // The same for several vectors, with the register of each vector's slot.
    void use_all(std::span<const vmm> v, const reg &row, places vectors, jitnorm_data_type_t type, vector_body body);

    // Loads the first element into the lowest lane of v, or the first four into the four lowest lanes. These two
    // functions are for rows that are normalized, so not for s32.
    void load_first(const vmm &v, const reg &at, jitnorm_data_type_t type);
    void load_four(const vmm &v, const reg &at, jitnorm_data_type_t type);

    // Round as narrowing does; both change the work registers.
    void round(const vmm &v, jitnorm_data_type_t type) { narrowing_.value().round(v, type); }
    void round_normalized(const vmm &v, jitnorm_data_type_t type) { narrowing_.value().round_normalized(v, v, type); }

    // Stores one vector. Narrower types change v and the work registers.
    void store(const reg &row, const place &p, const vmm &v, jitnorm_data_type_t type, bool non_temporal);

    // Stores several vectors of a row, which are in the registers of their slots. They must be results of arithmetic
    // (narrowing::two()).
    void store_all(const reg &row, places vectors, std::span<const vmm> v, jitnorm_data_type_t type, bool non_temporal);
    // Stores four whole vectors to bytes (narrowing::four_in_range()).
    void store_four_in_range(const reg &row, places vectors, const std::array<vmm, 4> &v, jitnorm_data_type_t type);

private:
    void load_pair(const Xbyak::Ymm &first, const Xbyak::Ymm &second, const Xbyak::RegExp &at,
                   jitnorm_data_type_t type);
    void load_incomplete(const vmm &v, const reg &row, const place &p, int size);
    void widen(const vmm &v, const Xbyak::Operand &from, jitnorm_data_type_t type);
    void permute(const vmm &v, const Xbyak::Operand &from);
    void widen_to_floats(const vmm &v, const Xbyak::Operand &from, jitnorm_data_type_t type);
    void store_whole(const Xbyak::RegExp &at, const vmm &v, int bytes, bool non_temporal);
    void store_incomplete(const Xbyak::RegExp &at, const vmm &v, int size);

    kernel_generator &g_;
    tail_mask &tail_;
    vector_loop loop_;
    reg scratch_;
    vector_pieces pieces_{g_, loop_, scratch_};
    std::optional<narrowing> narrowing_;
    std::optional<vmm> zeros_, order_;
};

} // namespace jitnorm::impl::jit
