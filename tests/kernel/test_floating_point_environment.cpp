// SPDX-License-Identifier: Apache-2.0
// Callers who have changed the floating-point environment (docs/arithmetic.md, "What is promised"): flush-to-zero and
// denormals-are-zero change no bit on ordinary data, other rounding modes little, and nobody's environment is changed.
#include <xmmintrin.h>

#include <cfenv>

#include "support/accuracy.hpp"
#include "support/equality.hpp"

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
outputs outputs_in(unsigned bits, const implementation &entry, const setup &s) {
    const thread_count one(1);
    run r(s);
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

constexpr jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_backward};

class floating_point_environment : public on_isa {
protected:
    template <typename Body>
    void for_each_implementation(Body &&body) const {
        for (const implementation *entry : {&reference_entry, &jit_for(GetParam())}) body(*entry);
    }
};

TEST_P(floating_point_environment, without_denormals_ordinary_data_has_the_same_bits) {
    for (const auto kind : KINDS)
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64})
            for (const unsigned rms : {0U, unsigned(jitnorm_rms_norm)})
                for (const dim_t columns : {5, 64, 300, 5000})
                    for (const char *layout : {"dense", "ba"}) {
                        setup s{.kind = kind, .dims = {6, columns}, .src = layout, .dst = layout, .diff_src = layout};
                        s.flags |= rms;
                        s.src_type = s.dst_type = s.diff_src_type = type;
                        for_each_implementation([&](const implementation &entry) {
                            expect_same(outputs_in(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO, entry, s),
                                        outputs_in(0, entry, s), s, entry.name);
                        });
                    }
}

TEST_P(floating_point_environment, without_denormals_integers_and_scales_have_the_same_bits) {
    setup s{.dims = {6, 300}, .src_type = jitnorm_u8, .dst_type = jitnorm_s8, .mean = 100, .deviation = 30};
    s.attr.src_scale = s.attr.dst_scale = true;
    setup found = s;
    found.attr.dst_scale = false;
    found.dynamic_scales = scales_of(found.dims, 3);
    for (const setup &each : {s, found})
        for_each_implementation([&](const implementation &entry) {
            expect_same(outputs_in(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO, entry, each), outputs_in(0, entry, each), each,
                        entry.name);
        });
}

// A row of denormals is one of zeros then: constant.
TEST_P(floating_point_environment, denormal_inputs_become_zero) {
    for_each_implementation([&](const implementation &entry) {
        const thread_count one(1);
        run r({.dims = {2, 70}});
        r[SRC].fill(std::vector<double>(140, 1e-40));
        const auto executor = create(entry, r.p);
        const guarded_buffer scratchpad(scratchpad_bytes(entry, r.p), guard_side::before);
        {
            const environment changed(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
            ASSERT_EQ(r.call(*executor, scratchpad.data()), jitnorm_success);
        }
        EXPECT_EQ(r[VARIANCE].values(), std::vector<double>(2, 0.0)) << entry.name;
        const std::vector<double> dst = r[DST].values(), shift = r[SHIFT].values();
        for (size_t i = 0; i < dst.size(); ++i) ASSERT_EQ(dst[i], shift[i % 70]) << entry.name;
    });
}

TEST_P(floating_point_environment, other_rounding_modes_change_little) {
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
        for (const auto kind : KINDS)
            for (const dim_t columns : {5, 64, 300, 5000}) {
                const setup s{.kind = kind, .dims = {6, columns}};
                for_each_implementation([&](const implementation &entry) {
                    const outputs got = outputs_in(rounding(mode), entry, s), usual = outputs_in(0, entry, s);
                    expect_close(got.result(), usual.result(), size_t(columns), 1e-5);
                    expect_close(got[DIFF_SCALE], usual[DIFF_SCALE], size_t(columns), 1e-5);
                    expect_close(got[DIFF_SHIFT], usual[DIFF_SHIFT], size_t(columns), 1e-5);
                    expect_close(got[VARIANCE], usual[VARIANCE], 1, 1e-5);
                });
            }
}

INSTANTIATE_TEST_SUITE_P(native, floating_point_environment, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
