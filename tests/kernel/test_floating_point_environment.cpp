// SPDX-License-Identifier: Apache-2.0
// Callers who have changed the floating-point environment (docs/arithmetic.md, "What is promised"): flush-to-zero and
// denormals-are-zero change no bit on ordinary data, other rounding modes little, and nobody's environment is changed.
#include <xmmintrin.h>

#include <cfenv>

#include "support/accuracy.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040, MASKS = 0x1f80;

// The control bits of this thread's environment, until the end of the scope.
class environment {
public:
    explicit environment(unsigned bits) { _mm_setcsr(MASKS | bits); }
    environment(const environment &) = delete;
    environment &operator=(const environment &) = delete;
    ~environment() { _mm_setcsr(before_); }
    static unsigned bits() { return _mm_getcsr() & (0xe000U | DENORMALS_ARE_ZERO); }

private:
    const unsigned before_ = _mm_getcsr();
};

constexpr unsigned rounding(int mode) { // as <cfenv> counts them, for MXCSR
    return unsigned(mode) << 3;
}

// Only the call is in the environment; everything is on this thread.
outputs outputs_in(unsigned bits, const implementation &entry, const setup &s, const preparation &prepare = {}) {
    const thread_count one(1);
    run r(s);
    if (prepare) prepare(r);
    const plan how = plan_of(entry, r.p);
    const auto executor = create(entry, r.p);
    const guarded_buffer scratchpad(how.scratchpad.bytes(), guard_side::before);
    {
        const environment changed(bits);
        EXPECT_EQ(r.call(*executor, scratchpad.data()), jitnorm_success);
        EXPECT_EQ(environment::bits(), bits) << "the caller's environment";
    }
    return outputs_of(r);
}

void quantize(setup &s) {
    s.src_type = jitnorm_u8;
    s.dst_type = jitnorm_s8;
    s.mean = 100;
    s.deviation = 30;
    s.attr.src_scale = s.attr.dst_scale = true;
}

const choices KINDS = kinds({jitnorm_forward_training, jitnorm_backward});
const choices LENGTHS = columns({5, 64, 300, 5000});
const sweep ORDINARY = {.of = {.dims = {6, 0}},
                        .each = {LENGTHS, KINDS, row_types({jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64}),
                                 flags({6, 6 | jitnorm_rms_norm}), row_layouts({"dense", "ba"})}};
const sweep QUANTIZED = {.of = {.dims = {6, 300}}, .each = {{quantize}, {leave, [](setup &s) {
                                                                             s.attr.dst_scale = false;
                                                                             s.dynamic_scales = scales_of(s.dims, 3);
                                                                         }}}};

class floating_point_environment : public on_isa {
protected:
    template <typename Body>
    void for_each_implementation(Body &&body) const {
        for (const implementation *entry : {&reference_entry, &jit_for(GetParam())}) body(*entry);
    }
};

TEST_P(floating_point_environment, without_denormals_ordinary_data_has_the_same_bits) {
    for (const sweep &cases : {ORDINARY, QUANTIZED})
        for_each_case(cases, [&](const setup &s) {
            for_each_implementation([&](const implementation &entry) {
                expect_same(outputs_in(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO, entry, s), outputs_in(0, entry, s), s,
                            entry.name);
            });
        });
}

// A row of denormals is one of zeros then: constant.
TEST_P(floating_point_environment, denormal_inputs_become_zero) {
    const setup s = {.flags = jitnorm_use_scale, .dims = {2, 70}};
    for_each_implementation([&](const implementation &entry) {
        const outputs got = outputs_in(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO, entry, s,
                                       [](run &r) { r[SRC].fill(std::vector<double>(140, 1e-40)); });
        EXPECT_EQ(got[VARIANCE], std::vector<double>(2, 0.0)) << entry.name;
        EXPECT_EQ(got[DST], std::vector<double>(140, 0.0)) << entry.name;
    });
}

TEST_P(floating_point_environment, other_rounding_modes_change_little) {
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
        for_each_case({.of = {.dims = {6, 0}}, .each = {LENGTHS, KINDS}}, [&](const setup &s) {
            for_each_implementation([&](const implementation &entry) {
                const outputs got = outputs_in(rounding(mode), entry, s), usual = outputs_in(0, entry, s);
                const auto columns = size_t(s.dims.back());
                expect_close(got.result(), usual.result(), columns, 1e-5);
                expect_close(got[DIFF_SCALE], usual[DIFF_SCALE], columns, 1e-5);
                expect_close(got[DIFF_SHIFT], usual[DIFF_SHIFT], columns, 1e-5);
                expect_close(got[VARIANCE], usual[VARIANCE], 1, 1e-5);
            });
        });
}

INSTANTIATE_TEST_SUITE_P(native, floating_point_environment, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
