// SPDX-License-Identifier: Apache-2.0
// Generated code as a guest in somebody's process: its pages, its size, and a system that refuses it.
#include <sys/prctl.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>
#include <typeinfo>

#include "jit/kernels/kernels.hpp"
#include "support/child.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

// Linux 6.3; the headers of Debian 12 are older.
constexpr int SET_MDWE = 65;                    // PR_SET_MDWE
constexpr unsigned long REFUSE_EXEC_GAIN = 1UL; // PR_MDWE_REFUSE_EXEC_GAIN

using impl::jit::addition_conf, impl::jit::forward_conf, impl::jit::forward_kernel, impl::jit::normalize_conf,
    impl::jit::pass_order, impl::jit::post_op_conf, impl::jit::reduction_conf, impl::jit::vector_kind;

class generated_code : public on_isa {};

// Permissions of every mapping, as in /proc/self/maps.
std::vector<std::string> mappings() {
    std::ifstream maps("/proc/self/maps");
    std::vector<std::string> permissions;
    for (std::string line; std::getline(maps, line);) permissions.push_back(line.substr(line.find(' ') + 1, 4));
    return permissions;
}

TEST_P(generated_code, no_page_is_writable_and_executable_while_kernels_run) {
    const setup s{.dims = {64, 512}};
    std::atomic<bool> stop = false;
    std::atomic<int> executions = 0;
    std::thread runner([&] {
        while (!stop) {
            impl::jit::set_kernel_cache_capacity(0); // every run generates, maps and unmaps its kernels
            run(s).execute_on(jit_for(GetParam()));
            ++executions;
        }
    });
    int executable = 0;
    for (int look = 0; look < 300 || executions < 20; ++look)
        for (const std::string &permissions : mappings()) {
            const bool writable = permissions[1] == 'w', runs = permissions[2] == 'x';
            EXPECT_FALSE(writable && runs) << permissions;
            executable += runs ? 1 : 0;
        }
    stop = true;
    runner.join();
    impl::jit::set_kernel_cache_capacity(1024);
    EXPECT_GT(executable, 0);
}

// With scale, shift, and scales of src and dst.
normalize_conf with_all_factors(jitnorm_data_type_t src, jitnorm_data_type_t dst, jitnorm_data_type_t affine,
                                bool past) {
    return {src, dst, affine, true, true, true, true, past};
}

TEST_P(generated_code, kernels_are_small) {
    const auto bytes_of = [](const forward_conf &conf) { return forward_kernel<float>(conf).code_bytes(); };
    const vector_kind kind = {GetParam()};
    for (jitnorm_data_type_t type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8}) {
        EXPECT_LT(bytes_of({.kind = kind, .reduced = reduction_conf{.src = type}}), 4096U);
        EXPECT_LT(bytes_of({.kind = kind, .reduced = reduction_conf{.src = type, .short_rows = true}}), 8192U);
        EXPECT_LT(bytes_of({.kind = kind, .reduced = reduction_conf{.src = type, .repeated = true}}), 4096U);
        for (bool past : {false, true})
            for (jitnorm_data_type_t affine : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
                EXPECT_LT(bytes_of({.kind = kind, .written = with_all_factors(type, type, affine, past)}), 4096U);
    }
}

// With a residual, a bias, a gate and a sum that is stored.
addition_conf addition_of(const normalize_conf &written) {
    return {.src = written.src,
            .residual = written.src,
            .bias = jitnorm_bf16,
            .gate = jitnorm_bf16,
            .sum = written.dst == jitnorm_f16 ? jitnorm_f16 : jitnorm_bf16,
            .reduces = true,
            .centered = true};
}

// A generator that runs out of room throws. The longest post-op, never, once and as often as there may be, between the
// longest conversions, with all attributes.
void expect_room_for_the_longest(const vector_kind &kind) {
    for (const auto src : {jitnorm_bf16, jitnorm_f16})
        for (const auto dst : {jitnorm_f16, jitnorm_f8_e4m3})
            for (const size_t post_ops : {0, 1, impl::MAX_POST_OPS})
                for (const bool non_temporal : {false, true}) {
                    normalize_conf written = with_all_factors(src, dst, jitnorm_bf16, non_temporal);
                    written.post_ops.assign(post_ops, {post_op_conf::kind::eltwise, jitnorm_eltwise_gelu_erf});
                    EXPECT_NO_THROW(forward_kernel<float>({.kind = kind, .written = written}));
                    EXPECT_NO_THROW(forward_kernel<float>({.kind = kind, .reduced = reduction_conf{.src = src}}));
                    if (!kind.is_f64()) {
                        const reduction_conf reduced = {.src = src, .short_rows = true};
                        const addition_conf added = addition_of(written);
                        for (const pass_order order : {pass_order::by_bands, pass_order::one_row}) {
                            EXPECT_NO_THROW(forward_kernel<float>({kind, added, std::nullopt, written, order}));
                            EXPECT_NO_THROW(forward_kernel<float>({kind, std::nullopt, reduced, written, order}));
                        }
                        EXPECT_NO_THROW(forward_kernel<float>({.kind = kind, .added = added}));
                    }
                    written.pre_quantization = jitnorm_f16;
                    EXPECT_NO_THROW(forward_kernel<float>({.kind = kind, .written = written}));
                }
}

TEST_P(generated_code, the_longest_kernels_fit) {
    for (const auto compute : {jitnorm_f32, jitnorm_f64}) expect_room_for_the_longest({GetParam(), compute});
}

// With -fcf-protection, calls through pointers must arrive at endbr64. Made kernels are in the cache.
template <typename Kernel, typename Conf>
void expect_endbr64(const Conf &conf) {
    const Kernel kept(conf);
    const impl::jit::code_ptr code = impl::jit::find_or_generate(conf, []() -> impl::jit::code_ptr { return nullptr; });
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(std::memcmp(code->entry<const unsigned char>(), "\xF3\x0F\x1E\xFA", 4), 0) << typeid(Kernel).name();
}

TEST_P(generated_code, kernels_may_be_called_under_control_flow_enforcement) {
    const vector_kind kind = {GetParam()};
    const impl::jit::backward_sums_conf sums;
    const impl::jit::backward_data_conf data;
    const auto forward = expect_endbr64<forward_kernel<float>, forward_conf>;
    const auto backward = expect_endbr64<impl::jit::backward_kernel<float>, impl::jit::backward_conf>;
    forward({.kind = kind, .added = addition_conf()});
    forward({.kind = kind, .reduced = reduction_conf{.short_rows = true}});
    forward({.kind = kind, .reduced = reduction_conf()});
    forward({.kind = kind, .written = normalize_conf()});
    for (const auto order : {pass_order::by_bands, pass_order::one_row})
        forward({kind, std::nullopt, reduction_conf(), normalize_conf(), order});
    backward({.kind = kind, .reduced = sums});
    backward({.kind = kind, .written = data});
    backward({kind, sums, data, pass_order::by_bands});
    const impl::jit::backward_weights_conf weights = {.kind = {GetParam(), jitnorm_f64}};
    expect_endbr64<impl::jit::backward_weights_kernel>(weights);
}

// A kernel that forbids new executable pages (PR_SET_MDWE): creation fails with an error that names the reason, and
// nothing crashes. In a child, since the setting cannot be taken back.
TEST_P(generated_code, refused_pages_are_an_error) {
    expect_child_succeeds([] {
        if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0UL, 0UL, 0UL) != 0) _exit(CANNOT_BE_TRIED);
        impl::jit::set_kernel_cache_capacity(0);
        try {
            const forward_kernel<float> refused({.kind = {GetParam()}, .reduced = reduction_conf()});
        } catch (const std::system_error &error) {
            _exit(std::string(error.what()).find("executable") != std::string::npos ? 0 : 2);
        }
        _exit(1);
    });
}

INSTANTIATE_TEST_SUITE_P(native, generated_code, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
