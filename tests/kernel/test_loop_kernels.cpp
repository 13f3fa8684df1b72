// SPDX-License-Identifier: Apache-2.0
// The kernels with two passes compute the bits of the two kernels apart: in rows of every length around vectors,
// pieces, blocks and the chunk, whichever pass has more rows. The last row of each tensor touches a guard page.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "jit/kernels/kernels.hpp"
#include "rig/equality.hpp"
#include "rig/guarded_buffer.hpp"

namespace jitnorm::tests {
namespace {

using impl::dim_t;
using impl::layer_norm::CHUNK;
using namespace impl::jit;

constexpr auto NONE = jitnorm_data_type_undef;

struct batch_sizes {
    dim_t reduced, written, count; // rows of each pass, elements of a row
};

// Random numbers that every floating-point type holds; any bytes for integers.
void fill(std::byte *to, jitnorm_data_type_t type, dim_t count, std::mt19937 &generator) {
    std::normal_distribution<float> number(0.5F, 1);
    const auto put = [&](auto value) {
        std::memcpy(to, &value, sizeof(value));
        to += sizeof(value);
    };
    for (dim_t i = 0; i < count; ++i) {
        const float x = number(generator);
        if (type == jitnorm_f64)
            put(double(x) * number(generator));
        else if (type == jitnorm_f32)
            put(x);
        else if (type == jitnorm_bf16)
            put(uint16_t(std::bit_cast<uint32_t>(x) >> 16));
        else if (type == jitnorm_f16)
            put(uint16_t((generator() & 0x83FF) | (12 + generator() % 6) << 10));
        else
            put(uint8_t(generator()));
    }
}

// A tensor's rows, or an array of numbers.
struct rows {
    dim_t stride;
    guarded_buffer memory;

    // `aligned`: every row begins at a cache line.
    rows(std::mt19937 &generator, jitnorm_data_type_t type, dim_t number, dim_t count = 1, bool aligned = false)
        : stride(aligned ? (count * element_bytes(type) + 63) / 64 * 64 : count * element_bytes(type)),
          memory(size_t(number * stride)) {
        fill(memory.as<std::byte>(), type, dim_t(memory.bytes()) / element_bytes(type), generator);
    }
    void *data() const { return memory.data(); }
};
using outputs = std::vector<rows>;

// Calls run() with arguments for these sizes, always with the same inputs, and returns what it may have written.
template <typename T, typename Run>
outputs outputs_of(const forward_loop_conf &conf, const batch_sizes &sizes, Run &&run) {
    std::mt19937 generator(unsigned(sizes.count));
    const auto &[reduced, written, added] = conf;
    const auto own = data_type_of<T>;
    const auto numbers = [&](dim_t count) { return rows(generator, own, count); };
    const dim_t count = sizes.count, n = sizes.written;
    const addition_conf terms = conf.added.value_or(addition_conf{});
    const rows term(generator, terms.src, sizes.reduced, count),
        residual(generator, terms.residual, sizes.reduced, count);
    const rows added_bias(generator, terms.bias == NONE ? jitnorm_f32 : terms.bias, 1, count);
    const rows src(generator, written.src, n, count);
    const rows hi = numbers(n), rstd = numbers(n), bias = numbers(n), value = numbers(n);
    const rows scale(generator, written.scale_shift, 1, count), shift(generator, written.scale_shift, 1, count);
    const rows operand(generator, jitnorm_f32, n, count), parameters = numbers(2 * dim_t(written.post_ops.size()));
    std::vector<const void *> operands;
    for (dim_t r = 0; r < n; ++r)
        for (const post_op_conf &op : written.post_ops)
            operands.push_back(op.operand == NONE ? value.memory.as<std::byte>() + r * value.stride
                                                  : operand.memory.as<std::byte>() + r * operand.stride);
    const auto second = written.pre_quantization == NONE ? jitnorm_f32 : written.pre_quantization;
    outputs to;
    to.emplace_back(generator, written.dst, n, count, written.non_temporal);
    to.emplace_back(generator, second, n, count);
    for (int i = 0; i < 3; ++i) to.push_back(numbers(sizes.reduced));
    to.emplace_back(generator, reduced.src, sizes.reduced, count); // the rows to reduce, which an addition writes
    to.emplace_back(generator, terms.sum == NONE ? jitnorm_f32 : terms.sum, sizes.reduced, count);
    const rows &next = to[5], &sum = to[6];
    run(forward_loop_arguments<T>{.reduced = {.src = next.data(),
                                              .row_stride = next.stride,
                                              .rows = sizes.reduced,
                                              .count = count,
                                              .pivot = to[2].memory.as<T>(),
                                              .s = to[3].memory.as<T>(),
                                              .q = to[4].memory.as<T>()},
                                  .written = {.src = src.data(),
                                              .dst = to[0].data(),
                                              .src_row_stride = src.stride,
                                              .dst_row_stride = to[0].stride,
                                              .rows = n,
                                              .count = count,
                                              .hi = hi.memory.as<T>(),
                                              .rstd = rstd.memory.as<T>(),
                                              .bias = bias.memory.as<T>(),
                                              .scale = scale.data(),
                                              .shift = shift.data(),
                                              .src_scale = T(1.5),
                                              .inverse_dst_scale = T(0.75),
                                              .parameters = parameters.memory.as<T>(),
                                              .operands = operands.data(),
                                              .pre_quantization = to[1].data(),
                                              .pre_quantization_row_stride = to[1].stride},
                                  .added = {.src = term.data(),
                                            .residual = residual.data(),
                                            .bias = added_bias.data(),
                                            .sum = sum.data(),
                                            .row = next.data(),
                                            .src_row_stride = term.stride,
                                            .residual_row_stride = residual.stride,
                                            .sum_row_stride = sum.stride,
                                            .row_stride = next.stride,
                                            .rows = sizes.reduced,
                                            .count = count,
                                            .q = to[4].memory.as<T>()}});
    return to;
}

template <typename T, typename Run>
outputs outputs_of(const backward_loop_conf &conf, const batch_sizes &sizes, Run &&run) {
    std::mt19937 generator(unsigned(sizes.count));
    const auto &[reduced, written] = conf;
    const auto numbers = [&](dim_t count) { return rows(generator, data_type_of<T>, count); };
    const dim_t count = sizes.count, n = sizes.written;
    const rows next(generator, reduced.src, sizes.reduced, count), src(generator, written.src, n, count);
    const rows next_diff(generator, reduced.diff_dst, sizes.reduced, count);
    const rows diff_dst(generator, written.diff_dst, n, count), scale(generator, written.scale_type, 1, count);
    const rows diff_sum(generator, written.diff_sum == NONE ? jitnorm_f32 : written.diff_sum, n, count);
    const rows next_mean = numbers(sizes.reduced), factor = numbers(sizes.reduced);
    const rows mean = numbers(n), rstd = numbers(n), m1 = numbers(n), k = numbers(n);
    outputs to;
    to.emplace_back(generator, written.diff_src, n, count, written.non_temporal);
    for (const dim_t length : {count, count, sizes.reduced, sizes.reduced}) to.push_back(numbers(length));
    run(backward_loop_arguments<T>{.reduced = {.src = next.data(),
                                               .diff_dst = next_diff.data(),
                                               .src_row_stride = next.stride,
                                               .diff_dst_row_stride = next_diff.stride,
                                               .rows = sizes.reduced,
                                               .count = count,
                                               .mean = next_mean.memory.as<T>(),
                                               .factor = factor.memory.as<T>(),
                                               .scale = scale.data(),
                                               .diff_scale = to[1].memory.as<T>(),
                                               .diff_shift = to[2].memory.as<T>(),
                                               .s1 = to[3].memory.as<T>(),
                                               .s2 = to[4].memory.as<T>()},
                                   .written = {.src = src.data(),
                                               .diff_dst = diff_dst.data(),
                                               .diff_sum = diff_sum.data(),
                                               .diff_src = to[0].data(),
                                               .src_row_stride = src.stride,
                                               .diff_dst_row_stride = diff_dst.stride,
                                               .diff_src_row_stride = to[0].stride,
                                               .diff_sum_row_stride = diff_sum.stride,
                                               .rows = n,
                                               .count = count,
                                               .mean = mean.memory.as<T>(),
                                               .rstd = rstd.memory.as<T>(),
                                               .m1 = m1.memory.as<T>(),
                                               .k = k.memory.as<T>(),
                                               .scale = scale.data()}});
    return to;
}

// apart() and loop() execute the kernels apart, and the one kernel.
template <typename T, typename Apart, typename Loop, typename Conf>
void compare_ways(const Apart &apart, const Loop &loop, const Conf &conf, std::span<const batch_sizes> sizes) {
    for (const batch_sizes &size : sizes) {
        const outputs expected = outputs_of<T>(conf, size, apart);
        const outputs got = outputs_of<T>(conf, size, [&](const auto &arguments) { loop(arguments); });
        for (size_t i = 0; i < expected.size(); ++i) {
            const guarded_buffer &a = expected[i].memory, &b = got[i].memory;
            ASSERT_TRUE(std::memcmp(a.data(), b.data(), a.bytes()) == 0 && b.slack_untouched())
                << "output " << i << ", " << size.count << " elements, " << size.reduced << " and " << size.written;
        }
    }
}

template <typename T>
void compare_kernels(const forward_loop_conf &conf, std::span<const batch_sizes> sizes) {
    const addition_kernel<T> add(conf.added.value_or(addition_conf{conf.written.vectors}));
    const reduction_kernel<T> reduce(conf.reduced);
    const normalize_kernel<T> write(conf.written);
    const auto apart = [&](const forward_loop_arguments<T> &arguments) {
        if (arguments.reduced.rows > 0 && conf.added) add(arguments.added);
        if (arguments.reduced.rows > 0 && !(conf.added && conf.added->squares)) reduce(arguments.reduced);
        if (arguments.written.rows > 0) write(arguments.written);
    };
    compare_ways<T>(apart, forward_loop_kernel<T>(conf), conf, sizes);
}

template <typename T>
void compare_kernels(const backward_loop_conf &conf, std::span<const batch_sizes> sizes) {
    const backward_sums_kernel<T> reduce(conf.reduced);
    const backward_data_kernel<T> write(conf.written);
    const auto apart = [&](const backward_loop_arguments<T> &arguments) {
        if (arguments.reduced.rows > 0) reduce(arguments.reduced);
        if (arguments.written.rows > 0) write(arguments.written);
    };
    compare_ways<T>(apart, backward_loop_kernel<T>(conf), conf, sizes);
}

template <typename Conf>
void compare(const Conf &conf, std::span<const batch_sizes> sizes) {
    const bool for_double = conf.written.src == jitnorm_f64;
    for_double ? compare_kernels<double>(conf, sizes) : compare_kernels<float>(conf, sizes);
}

// Every length with numbers of rows of its own.
std::vector<batch_sizes> sizes_of(std::initializer_list<dim_t> lengths) {
    constexpr std::pair<dim_t, dim_t> ROWS[] = {{1, 1}, {3, 0}, {2, 5}, {9, 3}, {0, 2}};
    std::vector<batch_sizes> all;
    for (const dim_t count : lengths)
        for (const auto &[reduced, written] : {ROWS[all.size() % 5], ROWS[(all.size() + 2) % 5]})
            all.push_back({reduced, written, count});
    return all;
}
const auto NATIVE = sizes_of({1,   2,   3,   4,   7,   8,   9,    15,   16,   17,   24,   31,   32,        33,
                              63,  64,  65,  127, 128, 129, 200,  255,  256,  257,  300,  511,  512,       513,
                              540, 767, 768, 769, 777, 800, 1023, 1024, 1025, 1281, 2000, 3333, CHUNK - 1, CHUNK});
const auto EMULATED = sizes_of({5, 37, 256, 530, 777});

// ---- forward

struct row_types {
    jitnorm_data_type_t src, dst, scale_shift;
};
constexpr row_types ROW_TYPES[] = {
    {jitnorm_f32, jitnorm_f32, jitnorm_f32},   {jitnorm_f64, jitnorm_f64, jitnorm_f64},
    {jitnorm_bf16, jitnorm_bf16, jitnorm_f32}, {jitnorm_f16, jitnorm_f16, jitnorm_f16},
    {jitnorm_bf16, jitnorm_f32, jitnorm_bf16}, {jitnorm_f32, jitnorm_f8_e4m3, jitnorm_f32},
    {jitnorm_u8, jitnorm_s8, jitnorm_f32},     {jitnorm_s8, jitnorm_f16, jitnorm_f32}};

forward_loop_conf forward_conf(isa vectors, const row_types &types, bool centered = true) {
    forward_loop_conf conf;
    conf.reduced = {vectors, types.src, centered};
    conf.written = {vectors, types.src, types.dst, types.scale_shift, true, centered};
    return conf;
}

void compare_row_types(isa vectors, std::span<const batch_sizes> sizes) {
    for (const row_types &types : ROW_TYPES)
        for (const bool centered : {true, false})
            for (const bool non_temporal : {true, false}) {
                forward_loop_conf conf = forward_conf(vectors, types, centered);
                conf.written.non_temporal = non_temporal;
                compare(conf, sizes);
            }
}

// What a normalize kernel can do besides.
void compare_attributes(isa vectors, std::span<const batch_sizes> sizes) {
    using kind = post_op_conf::kind;
    for (const row_types &types : ROW_TYPES) {
        const forward_loop_conf plain = forward_conf(vectors, types);
        forward_loop_conf conf = plain;
        conf.written.affine_flags = jitnorm_scale_plus_one;
        conf.written.src_scale = conf.written.dst_scale = true;
        conf.written.terms = {jitnorm_f32, jitnorm_f32};
        compare(conf, sizes);
        conf = plain;
        conf.written.scale = conf.written.shift = false;
        conf.written.pre_quantization = jitnorm_bf16;
        compare(conf, sizes);
        conf = plain;
        conf.written.post_ops = {{kind::binary, jitnorm_binary_add, false, jitnorm_f32},
                                 {kind::eltwise, jitnorm_eltwise_gelu_erf, false, NONE},
                                 {kind::binary, jitnorm_binary_max, false, NONE}};
        if (types.dst != jitnorm_f8_e4m3) conf.written.post_ops.push_back({kind::sum, {}, false, types.dst});
        compare(conf, sizes);
    }
}

// Rows that are sums: with an output for the sum or without, reduced by the addition itself or as any row.
void compare_residuals(isa vectors, std::span<const batch_sizes> sizes) {
    for (const row_types &types : {ROW_TYPES[0], ROW_TYPES[1], ROW_TYPES[2], ROW_TYPES[3]})
        for (const int choice : {0, 1, 2, 3}) {
            const bool squares = choice >= 2, narrow = choice == 1;
            const auto own = types.src == jitnorm_f64 ? jitnorm_f64 : jitnorm_f32;
            row_types of_row = types;
            of_row.src = narrow ? types.src : own;
            forward_loop_conf conf = forward_conf(vectors, of_row, !squares);
            conf.added = {vectors, types.src, types.src, choice % 2 != 0 ? types.scale_shift : NONE, NONE, of_row.src};
            if (choice != 0) conf.added->sum = types.src;
            if (conf.added->bias == jitnorm_f64) conf.added->bias = jitnorm_f32;
            conf.added->squares = squares;
            compare(conf, sizes);
        }
}

// ---- backward

constexpr jitnorm_data_type_t GRADIENT_TYPES[][4] = {{jitnorm_f32, jitnorm_f32, jitnorm_f32, jitnorm_f32},
                                                     {jitnorm_f64, jitnorm_f64, jitnorm_f64, jitnorm_f64},
                                                     {jitnorm_bf16, jitnorm_bf16, jitnorm_bf16, jitnorm_f32},
                                                     {jitnorm_f16, jitnorm_f32, jitnorm_f16, jitnorm_bf16},
                                                     {jitnorm_f32, jitnorm_bf16, jitnorm_f32, jitnorm_f16}};

void compare_gradients(isa vectors, std::span<const batch_sizes> sizes) {
    for (const auto &[src, diff_dst, diff_src, scale] : GRADIENT_TYPES)
        for (const bool centered : {true, false})
            for (const int choice : {0, 1, 2}) {
                backward_loop_conf conf;
                conf.reduced = {vectors, src, diff_dst, scale, choice != 1, centered, true, choice != 2, choice != 1};
                conf.written = {vectors, src,         diff_dst, diff_src, choice == 1 ? diff_src : NONE,
                                scale,   choice != 1, centered, true,     choice == 0};
                conf.reduced.affine_flags = conf.written.affine_flags = choice == 2 ? jitnorm_scale_plus_one : 0;
                compare(conf, sizes);
            }
}

// With constant statistics there are no sums over rows.
void compare_sums_over_columns(isa vectors, std::span<const batch_sizes> sizes) {
    backward_loop_conf conf;
    conf.reduced = {vectors, jitnorm_f32, jitnorm_f32, jitnorm_f32, true, true, false, true, true};
    conf.written = {vectors, jitnorm_f32, jitnorm_f32, jitnorm_f32, NONE, jitnorm_f32, true, true, false};
    compare(conf, sizes);
}

class loop_kernels : public on_isa {};
class emulated_loop_kernels : public on_isa {};

TEST_P(loop_kernels, row_types) { compare_row_types(GetParam(), NATIVE); }
TEST_P(loop_kernels, attributes) { compare_attributes(GetParam(), NATIVE); }
TEST_P(loop_kernels, residuals) { compare_residuals(GetParam(), NATIVE); }
TEST_P(loop_kernels, gradients) { compare_gradients(GetParam(), NATIVE); }
TEST_P(loop_kernels, sums_over_columns) { compare_sums_over_columns(GetParam(), NATIVE); }
TEST_P(emulated_loop_kernels, row_types) { compare_row_types(GetParam(), EMULATED); }
TEST_P(emulated_loop_kernels, residuals) { compare_residuals(GetParam(), EMULATED); }
TEST_P(emulated_loop_kernels, gradients) { compare_gradients(GetParam(), EMULATED); }

INSTANTIATE_TEST_SUITE_P(native, loop_kernels, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_loop_kernels, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
