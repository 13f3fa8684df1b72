// SPDX-License-Identifier: Apache-2.0
#include "../../math/dynamic_scale.hpp"
#include "../emit/element_io.hpp"
#include "../emit/loops.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"

namespace jitnorm::impl::jit {

namespace {

// The bits of magnitudes are compared as integers. So the order of comparisons does not matter, and a NaN is larger
// than every number.
class amax_generator : public kernel_generator {
    using arguments = amax_arguments;
    static constexpr int UNROLL = 4;

public:
    explicit amax_generator(const amax_conf &conf) : kernel_generator(kind_of(conf)) { generate(); }
    std::string name() const { return kernel_name("amax", kind, {}); }

private:
    void generate() {
        open_frame(0);
        mov(reg_count_, JITNORM_ARGUMENT(count));
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        ops.broadcast_bits(magnitude_, layer_norm::MAGNITUDE_BITS, reg_left_);
        rows_.begin();
        rows_.step(1, [&] { find_largest(); });
        close_frame();
    }

    void find_largest() {
        for (const vmm &largest : largest_) ops.clear(largest);
        loop_.begin(reg_count_);
        loop_.walk(UNROLL, [&](places vectors) {
            for (const place &p : vectors) {
                const vmm &x = x_[size_t(p.slot)];
                io_.use(x, reg_src_, p, jitnorm_f32,
                        [&](const place &, const Xbyak::Operand &in) { ops.bit_and(x, magnitude_, in); });
                take_larger(largest_[size_t(p.slot)], x);
            }
        });
        find_largest_lane();
        const Xbyak::RegExp at = rows_.numbers(JITNORM_ARGUMENT(maxima));
        const Xbyak::Xmm largest = xmm_of(largest_[0]), other = xmm_of(x_[0]);
        vmovd(other, ptr[at]);
        take_larger(largest, other);
        vmovd(ptr[at], largest);
    }

    void take_larger(const vmm &largest, const vmm &x) { vpmaxud(largest, largest, x); }

    // Puts the largest of all lanes into the lowest lane.
    void find_largest_lane() {
        for (size_t width = UNROLL / 2; width > 0; width /= 2)
            for (size_t i = 0; i < width; ++i) take_larger(largest_[i], largest_[i + width]);
        const Xbyak::Ymm eight = ymm_of(largest_[0]);
        if (kind.is_avx512()) {
            vextractf64x4(ymm_of(x_[0]), zmm_of(eight), 1);
            take_larger(eight, ymm_of(x_[0]));
        }
        const Xbyak::Xmm four = xmm_of(eight), other = xmm_of(x_[0]);
        vextractf128(other, eight, 1);
        take_larger(four, other);
        for (const uint8_t order : {uint8_t(0b01001110), uint8_t(0b10110001)}) { // halves, then neighbours
            vpshufd(other, four, order);
            take_larger(four, other);
        }
    }

    const reg reg_src_ = registers.take(rsi), reg_count_ = registers.take(rcx), reg_position_ = registers.take(rax);
    const reg reg_left_ = registers.take(rbx), reg_index_ = registers.take(r12), reg_io_ = registers.take(r13);
    const std::vector<vmm> largest_ = registers.take_vectors(UNROLL), x_ = registers.take_vectors(UNROLL);
    const vmm magnitude_ = registers.take_vector();
    tail_mask tail_{*this, registers.take_vector()};
    vector_loop loop_{*this, reg_position_, reg_left_};
    element_io io_{*this, tail_, loop_, reg_io_};
    row_loop rows_{*this,
                   reg_index_,
                   reg_left_,
                   JITNORM_ARGUMENT(rows),
                   {{{reg_src_}, JITNORM_ARGUMENT(src), JITNORM_ARGUMENT(row_stride)}}};
};

} // namespace

code_ptr code_of(const amax_conf &conf) { return make_kernel<amax_generator>(conf); }

} // namespace jitnorm::impl::jit
