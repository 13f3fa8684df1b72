// SPDX-License-Identifier: Apache-2.0
#include "maximum_kernel.hpp"

#include <array>

#include "../../arithmetic/found_scale.hpp"
#include "../emit/element_io.hpp"
#include "../emit/row_stepper.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

// The bits of magnitudes are compared as integers. So the order of comparisons does not matter, and a NaN is larger
// than every number.
template <isa I, typename T>
class maximum_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using arguments = maximum_arguments;
    static constexpr int UNROLL = 4;

public:
    explicit maximum_generator(const maximum_conf &conf) : conf_(conf) { generate(); }
    std::string name() const { return kernel_name("maximum", conf_, {}); }

private:
    void generate() {
        open_frame(0);
        mov(reg_src_, JITNORM_ARGUMENT(src));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        ops_.broadcast_number(magnitude_, std::bit_cast<float>(layer_norm::MAGNITUDE_BITS), reg_left_);
        rows_.begin();
        rows_.step(1, [&] { find_maximum(); });
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    void find_maximum() {
        for (const vmm &largest : largest_) ops_.clear(largest);
        walker_.begin(reg_count_);
        walker_.walk(UNROLL, [&](places vectors) {
            for (const place &p : vectors) {
                const vmm &x = x_[size_t(p.slot)];
                io_.use(x, reg_src_, p, jitnorm_f32,
                        [&](const Xbyak::Operand &in) { ops_.bit_and(x, magnitude_, in); });
                take_larger(largest_[size_t(p.slot)], x);
            }
        });
        fold();
        const Xbyak::RegExp at = rows_.numbers(JITNORM_ARGUMENT(maxima));
        vmovd(other_, ptr[at]);
        take_larger(xmm_t(largest_[0].getIdx()), other_);
        vmovd(ptr[at], xmm_t(largest_[0].getIdx()));
    }

    template <typename Vector>
    void take_larger(const Vector &largest, const Vector &x) {
        vpmaxud(largest, largest, x);
    }

    // Puts the largest of all lanes into the lowest lane.
    void fold() {
        for (size_t width = UNROLL / 2; width > 0; width /= 2)
            for (size_t i = 0; i < width; ++i) take_larger(largest_[i], largest_[i + width]);
        const ymm_t eight(largest_[0].getIdx());
        if constexpr (I == isa::avx512) {
            vextractf64x4(ymm_t(other_.getIdx()), largest_[0], 1);
            take_larger(eight, ymm_t(other_.getIdx()));
        }
        const xmm_t four(eight.getIdx());
        vextractf128(other_, eight, 1);
        take_larger(four, other_);
        for (const uint8_t order : {uint8_t(0b01001110), uint8_t(0b10110001)}) { // halves, then neighbours
            vpshufd(other_, four, order);
            take_larger(four, other_);
        }
    }

    maximum_conf conf_;
    const reg &reg_src_ = rsi, &reg_count_ = rcx;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_index_ = r12;
    const std::array<vmm, UNROLL> largest_ = registers_from<vmm, UNROLL>(0), x_ = registers_from<vmm, UNROLL>(UNROLL);
    const vmm magnitude_{2 * UNROLL};
    const xmm_t other_{UNROLL};
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, vmm{2 * UNROLL + 1}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r13};
    row_stepper<float> rows_{
        *this, reg_index_, reg_left_, JITNORM_ARGUMENT(rows), {{{reg_src_}, JITNORM_ARGUMENT(row_stride)}}};
};

} // namespace

code_ptr code_of(const maximum_conf &conf) { return make_kernel<maximum_generator>(conf); }

} // namespace jitnorm::impl::jit
