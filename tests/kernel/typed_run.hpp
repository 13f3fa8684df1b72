// SPDX-License-Identifier: Apache-2.0
// A forward problem of any types, layouts and attributes on random data, run by any implementation; what it wrote is
// compared as numbers, with every NaN the same.
#pragma once

#include <cmath>
#include <list>
#include <variant>

#include "arithmetic/convert.hpp"
#include "forward_run.hpp"

namespace jitnorm::tests {

using enum impl::layer_norm::slot;
using impl::layer_norm::post_op_slot;

// Every element of the tensor's memory, gaps and padding included: normally distributed, as far as the type can hold
// it. Doubles are no floats.
inline void fill_random(const guarded_buffer &buffer, jitnorm_data_type_t type, unsigned seed, double mean,
                        double deviation) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> value(mean, deviation);
    impl::visit_data_type(type, [&](auto stored) {
        using element = typename decltype(stored)::type;
        for (size_t i = 0; i < buffer.bytes() / sizeof(element); ++i)
            buffer.as<element>()[i] = impl::narrow<element>(value(generator));
    });
}

inline guarded_buffer random_tensor(const impl::memory_desc &md, unsigned seed, guard_side side, double mean,
                                    double deviation, bool read_only = true) {
    guarded_buffer buffer(bytes(md), side);
    fill_random(buffer, md.data_type, seed, mean, deviation);
    if (read_only) buffer.make_read_only();
    return buffer;
}

inline void append_numbers(std::vector<double> &out, const guarded_buffer &buffer, jitnorm_data_type_t type) {
    EXPECT_TRUE(buffer.slack_untouched());
    impl::visit_data_type(type, [&](auto stored) {
        using element = typename decltype(stored)::type;
        for (size_t i = 0; i < buffer.bytes() / sizeof(element); ++i)
            out.push_back(impl::widen<double>(buffer.as<element>()[i]));
    });
}

// The numbers in dst, mean and variance after an execution. dst holds random values before it.
inline std::vector<double> typed_run(const implementation &entry, const problem &p, unsigned seed, guard_side side) {
    EXPECT_EQ(entry.refusal(p), "");
    const dim_t C[] = {p.row_length()};
    const auto src = random_tensor(p.src, seed, side, 20, 30);
    const auto dst = random_tensor(p.dst, seed + 1, side, 0, 3, false);
    const auto affine = impl::make_dense(C, p.scale_shift_type);
    const auto scale = random_tensor(affine, seed + 2, side, 1, 0.5),
               shift = random_tensor(affine, seed + 3, side, 0, 0.5);
    const auto mean = random_tensor(p.statistics, seed + 4, side, 20, 1, false),
               variance = random_tensor(p.statistics, seed + 5, side, 900, 10, false);
    const guarded_buffer scratchpad(entry.scratchpad_bytes(p), guard_side::before);
    const float src_scale = 0.7F, dst_scale = 0.03F;

    impl::layer_norm::arguments args;
    args.set(SRC, src.data());
    args.set(DST, dst.data());
    if (p.uses_mean()) args.set(MEAN, mean.data());
    if (p.uses_variance()) args.set(VARIANCE, variance.data());
    if (p.uses_scale()) args.set(SCALE, scale.data());
    if (p.uses_shift()) args.set(SHIFT, shift.data());
    if (p.attr.src_scale) args.set(SRC_SCALE, &src_scale);
    if (p.attr.dst_scale) args.set(DST_SCALE, &dst_scale);
    args.set(SCRATCHPAD, scratchpad.data());
    std::list<guarded_buffer> operands;
    for (size_t i = 0; i < p.attr.post_ops.entries.size(); ++i)
        if (const auto *binary = std::get_if<impl::binary_post_op>(&p.attr.post_ops.entries[i]))
            args.set(post_op_slot(i),
                     operands.emplace_back(random_tensor(binary->src1, seed + 6 + unsigned(i), side, 1, 2)).data());
    EXPECT_EQ(entry.create(p)->execute(args), jitnorm_success);

    std::vector<double> numbers;
    append_numbers(numbers, dst, p.dst.data_type);
    append_numbers(numbers, mean, jitnorm_f32);
    append_numbers(numbers, variance, jitnorm_f32);
    return numbers;
}

inline void expect_same_numbers(const std::vector<double> &got, const std::vector<double> &expected,
                                const std::string &what) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
        if (std::isnan(got[i]) && std::isnan(expected[i])) continue;
        ASSERT_EQ(std::bit_cast<uint64_t>(got[i]), std::bit_cast<uint64_t>(expected[i]))
            << what << ": number " << i << " is " << got[i] << ", not " << expected[i];
    }
}

inline void expect_typed_equal_to_reference(isa vectors, const problem &p, unsigned seed, guard_side side) {
    const auto expected = typed_run(impl::layer_norm::reference_entry, p, seed, side);
    expect_same_numbers(typed_run(jit_forward(vectors), p, seed, side), expected,
                        name_of(vectors) + " " + describe(p) + " seed " + std::to_string(seed));
}

} // namespace jitnorm::tests
