// SPDX-License-Identifier: Apache-2.0
// dynamic_scales: finds the scale of each row from its largest magnitude and quantizes the row by it
// (docs/arithmetic.md, "Dynamic scales"). Until the scale is known, the row's values are kept as floats.
#pragma once

#include <array>
#include <bit>
#include <limits>

#include "../../math/dynamic_scale.hpp"
#include "../emit/element_io.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

class dynamic_scales : row_pass {
    using arguments = forward_arguments<float>;

public:
    struct registers {
        reg values, dst;            // the addresses of the row's values and of the row
        std::array<vmm, 2> largest; // magnitudes, one register for each slot
        vmm magnitude;              // the bits that a magnitude has
        std::array<vmm, 4> work;    // the first two hold values, those of slots 0 and 1
    };

    dynamic_scales(kernel_generator &g, const pass_context &shared, jitnorm_data_type_t dst, tail_mask &tail,
                   element_io &io, const registers &of)
        : row_pass(g, shared), dst_(dst), tail_(tail), io_(io), at_(of), largest_(of.largest[0]) {}

    void prepare() { g_.ops.broadcast_bits(at_.magnitude, layer_norm::MAGNITUDE_BITS, left_); }
    void point_to_first_values() { g_.mov(at_.values, JITNORM_ARGUMENT(values)); }

    void begin_row() {
        for (const vmm &largest : at_.largest) g_.ops.clear(largest);
    }

    // Keeps the magnitudes of these values where they are the largest so far.
    void take_magnitudes(places vectors) {
        for (const place &p : vectors) {
            const vmm &x = at_.work[p.slot], &magnitude = at_.work[at_.largest.size() + p.slot];
            if (p.tail) tail_.zero_absent(x);
            g_.vandps(magnitude, at_.magnitude, x);
            take_larger(at_.largest[p.slot], magnitude);
        }
    }

    // Finds and stores the row's scale and keeps the factor of its values for quantize_kept_row().
    void keep_row() {
        find_factor();
        g_.vmovss(of_row(JITNORM_ARRAY(factors)), xmm_of(largest_));
        point_to_next_values();
    }
    void quantize_kept_row() {
        g_.ops.broadcast(largest_, of_row(JITNORM_ARRAY(factors)));
        multiply_values();
        point_to_next_values();
    }

    // Does both for a single row.
    void quantize_only_row() {
        find_factor();
        g_.ops.broadcast(largest_, xmm_of(largest_));
        multiply_values();
    }

private:
    void point_to_next_values() { g_.lea(at_.values, g_.ptr[at_.values + count_ * int(sizeof(float))]); }
    Xbyak::Address of_row(size_t array) const { return g_.ptr[g_.element_of(array, index_, sizeof(float))]; }

    // The bits of floats are compared as integers. So the order of comparisons does not matter, and a NaN is larger
    // than every number.
    void take_larger(const vmm &than, const vmm &x) { g_.vpmaxud(than, than, x); }

    // As find_scale() (dynamic_scale.hpp). Leaves the factor in the lowest lane of largest_. Integers of a row without
    // a factor are zeros, so its values become zeros: no NaN is left to be converted.
    void find_factor() {
        const Xbyak::Xmm scale = xmm_of(largest_), factor = xmm_of(at_.work[0]), is_finite = xmm_of(at_.work[1]);
        const Xbyak::Reg32 bits = shared_.position.cvt32();
        find_maximum();
        g_.vdivss(scale, scale, g_.number(layer_norm::largest_number(dst_)));
        g_.vmovss(of_row(JITNORM_ARRAY(dst_scales)), scale);
        g_.vmovss(factor, g_.number(1));
        g_.vdivss(scale, factor, scale);
        if (is_f8(dst_)) {
            constexpr uint8_t LESS_EQUAL = 0x12;
            g_.vcmpss(is_finite, scale, g_.number(std::numeric_limits<float>::max()), LESS_EQUAL);
            g_.vandps(scale, scale, is_finite);
            return;
        }
        auto &none = g_.rarely([this] { clear_values(); });
        g_.vmovd(bits, scale); // a positive finite number?
        g_.sub(bits, 1);
        g_.cmp(bits, std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity()) - 1);
        g_.jae(none.begin, NEAR);
        g_.L(none.end);
    }

    // Leaves it in the lowest lane of largest_.
    void find_maximum() {
        const vmm &other = at_.work[0];
        take_larger(largest_, at_.largest[1]);
        if (largest_.isZMM()) {
            g_.vextractf64x4(ymm_of(other), zmm_of(largest_), 1);
            take_larger(ymm_of(largest_), ymm_of(other));
        }
        const Xbyak::Xmm four = xmm_of(largest_), others = xmm_of(other);
        g_.vextractf128(others, ymm_of(largest_), 1);
        take_larger(four, others);
        for (const uint8_t order : {uint8_t(0b01001110), uint8_t(0b10110001)}) { // halves, then neighbours
            g_.vpshufd(others, four, order);
            take_larger(four, others);
        }
    }

    void clear_values() {
        const vmm &zeros = at_.work[0];
        g_.ops.clear(zeros);
        loop_.begin(count_);
        loop_.walk_freely(1, [&](places vectors) {
            for (const place &p : vectors) io_.store(at_.values, p, zeros, jitnorm_f32, false);
        });
        g_.ops.clear(largest_);
    }

    // The factor is in all lanes of largest_.
    void multiply_values() {
        const auto &work = at_.work;
        loop_.begin(count_);
        loop_.walk_freely(int(work.size()), [&](places vectors) {
            io_.use_all(work, at_.values, vectors, jitnorm_f32, [&](const place &p, const Xbyak::Operand &value) {
                g_.ops.mul(work[p.slot], largest_, value);
            });
            loop_.prefetch_for_write(at_.dst, vectors, dst_);
            if (vectors.size() == work.size())
                io_.store_four_in_range(at_.dst, vectors, work, dst_);
            else
                io_.store_all(at_.dst, vectors, work, dst_, false);
        });
    }

    const jitnorm_data_type_t dst_;
    tail_mask &tail_;
    element_io &io_;
    const registers at_;
    const vmm largest_; // of the row, and then its factor
};

} // namespace jitnorm::impl::jit
