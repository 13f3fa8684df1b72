// SPDX-License-Identifier: Apache-2.0
// Every data type of src, dst, scale and shift, with the attribute scales: kernels give the reference's bits.
#include <cmath>

#include "arithmetic/convert.hpp"
#include "forward_run.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                              jitnorm_f64, jitnorm_s8,   jitnorm_u8};
constexpr jitnorm_data_type_t SCALE_SHIFT_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};

struct typed_case {
    jitnorm_data_type_t src, dst, scale_shift;
    dim_t rows, columns;
    unsigned flags = jitnorm_use_scale | jitnorm_use_shift;
    bool scales = false;
};

problem typed_problem(const typed_case &c) {
    problem p = forward_problem(c.rows, c.columns, c.flags);
    p.src.data_type = c.src;
    p.dst.data_type = c.dst;
    p.scale_shift_type = c.scale_shift;
    p.attr.src_scale = p.attr.dst_scale = c.scales;
    return p;
}

// Values of any type on a guarded page; doubles that no float equals.
guarded_buffer typed_buffer(const std::vector<float> &values, jitnorm_data_type_t type, guard_side side) {
    guarded_buffer buffer(values.size() * impl::size_of(type), side);
    impl::visit_data_type(type, [&](auto stored) {
        using element = typename decltype(stored)::type;
        for (size_t i = 0; i < values.size(); ++i)
            buffer.as<element>()[i] = impl::narrow<element>(double(values[i]) * (1 + 0x1p-33));
    });
    buffer.make_read_only();
    return buffer;
}

// Mean, variance and dst; a double holds values of every type exactly.
std::vector<double> typed_run(const implementation &entry, const typed_case &c, const std::vector<float> &src,
                              guard_side side) {
    const problem p = typed_problem(c);
    EXPECT_EQ(entry.refusal(p), "");
    const forward_inputs in = random_inputs(forward_problem(c.rows, c.columns, 0), 77);
    const auto x = typed_buffer(src, c.src, side);
    const auto scale = typed_buffer(in.scale, c.scale_shift, side), shift = typed_buffer(in.shift, c.scale_shift, side);
    const guarded_buffer dst(bytes(p.dst), side);
    std::vector<float> mean(size_t(c.rows)), variance(size_t(c.rows));
    const float src_scale = 0.7F, dst_scale = 0.03F;

    impl::layer_norm::arguments args;
    args.set(SRC, x.data());
    args.set(DST, dst.data());
    if (p.uses_mean()) args.set(MEAN, mean.data());
    args.set(VARIANCE, variance.data());
    args.set(SCALE, scale.data());
    args.set(SHIFT, shift.data());
    if (c.scales) args.set(SRC_SCALE, &src_scale);
    if (c.scales) args.set(DST_SCALE, &dst_scale);
    EXPECT_EQ(entry.create(p)->execute(args), jitnorm_success);
    EXPECT_TRUE(dst.slack_untouched());

    std::vector<double> out(mean.begin(), mean.end());
    out.insert(out.end(), variance.begin(), variance.end());
    impl::visit_data_type(c.dst, [&](auto stored) {
        using element = typename decltype(stored)::type;
        for (size_t i = 0; i < src.size(); ++i) out.push_back(impl::widen<double>(dst.as<element>()[i]));
    });
    return out;
}

std::string describe_case(const typed_case &c) { return describe(typed_problem(c)); }

void expect_typed_equal(isa vectors, const typed_case &c, const std::vector<float> &src, guard_side side) {
    const auto expected = typed_run(impl::layer_norm::reference_entry, c, src, side);
    const auto got = typed_run(jit_forward(vectors), c, src, side);
    for (size_t i = 0; i < expected.size(); ++i) {
        if (std::isnan(expected[i]) && std::isnan(got[i])) continue;
        ASSERT_EQ(std::bit_cast<uint64_t>(expected[i]), std::bit_cast<uint64_t>(got[i]))
            << name_of(vectors) << " " << describe_case(c) << " value " << i << ": " << got[i] << ", not "
            << expected[i];
    }
}

std::vector<float> spread_values(dim_t count, unsigned seed, float deviation) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> value(20, deviation);
    std::vector<float> values(static_cast<size_t>(count));
    for (float &v : values) v = value(generator);
    return values;
}

void sweep_types(isa vectors, std::span<const dim_t> lengths) {
    for (dim_t C : lengths) {
        const std::vector<float> src = spread_values(3 * C, unsigned(C), 30);
        const guard_side side = C % 2 == 0 ? guard_side::before : guard_side::after;
        for (auto src_type : DATA_TYPES)
            for (auto dst_type : DATA_TYPES)
                for (auto scale_type : SCALE_SHIFT_TYPES) {
                    const bool scales = (C + src_type + dst_type) % 2 == 0;
                    expect_typed_equal(vectors, {src_type, dst_type, scale_type, 3, C, 6, scales}, src, side);
                    if (testing::Test::HasFailure()) return;
                }
    }
}

class forward_types : public forward_on {};
class emulated_forward_types : public forward_on {};

TEST_P(forward_types, every_triple) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 70; ++c) lengths.push_back(c);
    for (dim_t c : {127, 128, 129, 511, 513, 1000, 4096, 4099}) lengths.push_back(c);
    sweep_types(GetParam(), lengths);
}

TEST_P(emulated_forward_types, every_triple) {
    constexpr dim_t lengths[] = {1, 3, 8, 15, 16, 17, 31, 33, 64, 77};
    sweep_types(GetParam(), lengths);
}

TEST_P(forward_types, every_flag) {
    for (unsigned flags : {0U, unsigned(jitnorm_use_scale), unsigned(jitnorm_use_shift), unsigned(jitnorm_rms_norm),
                           unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (auto type : DATA_TYPES)
            for (dim_t C : {5, 48, 100})
                expect_typed_equal(GetParam(), {type, type, jitnorm_f32, 4, C, flags}, spread_values(4 * C, 3, 30),
                                   guard_side::after);
}

// Rounding of values that overflow, underflow, tie, or are no numbers, in every output type: given statistics that
// change nothing (mean 0, variance 1, epsilon 0) let every pattern through.
TEST_P(forward_types, special_values_are_stored_as_defined) {
    std::vector<float> src;
    for (uint32_t high = 0; high < 0x10000; ++high)
        for (uint32_t low : {0x0000U, 0x0001U, 0x1000U, 0x3000U, 0x7fffU, 0x8000U, 0x8001U, 0xf000U})
            src.push_back(std::bit_cast<float>(high << 16 | low));
    const dim_t C = 1024, rows = dim_t(src.size()) / C;
    for (auto type : DATA_TYPES) {
        problem p = forward_problem(rows, C, jitnorm_use_global_stats, jitnorm_forward_inference);
        p.dst.data_type = type;
        p.epsilon = 0;
        std::vector<float> mean(size_t(rows), 0), variance(size_t(rows), 1);
        const auto run_it = [&](const implementation &entry) {
            std::vector<unsigned char> dst(bytes(p.dst));
            impl::layer_norm::arguments args;
            args.set(SRC, src.data());
            args.set(DST, dst.data());
            args.set(MEAN, mean.data());
            args.set(VARIANCE, variance.data());
            EXPECT_EQ(entry.create(p)->execute(args), jitnorm_success);
            return dst;
        };
        const auto expected = run_it(impl::layer_norm::reference_entry), got = run_it(jit_forward(GetParam()));
        impl::visit_data_type(type, [&](auto stored) {
            using element = typename decltype(stored)::type;
            const auto *a = reinterpret_cast<const element *>(expected.data());
            const auto *b = reinterpret_cast<const element *>(got.data());
            for (size_t i = 0; i < src.size(); ++i) {
                const double x = impl::widen<double>(a[i]), y = impl::widen<double>(b[i]);
                if (std::isnan(x) && std::isnan(y)) continue;
                ASSERT_EQ(std::bit_cast<uint64_t>(x), std::bit_cast<uint64_t>(y)) << "from " << src[i];
            }
        });
    }
}

INSTANTIATE_TEST_SUITE_P(native, forward_types, testing::Values(isa::avx2, isa::avx512), isa_name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_types, testing::Values(isa::avx512), isa_name);

} // namespace
} // namespace jitnorm::tests
