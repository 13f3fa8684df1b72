// SPDX-License-Identifier: Apache-2.0
// Programs for oneDNN open its namespace in their first lines. Each name that dnnl.hpp declares then has one meaning.
// onednn_names_all checks that none is forgotten here.
#include <gtest/gtest.h>

#include <type_traits>

#include "dnnl.h"
#include "dnnl.hpp"
#include "dnnl_config.h"
#include "dnnl_debug.h"
#include "dnnl_types.h"
#include "dnnl_version.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"

using namespace dnnl;

// A program includes the headers of the runtimes that the library has: in each of these lines, none.
#if DNNL_GPU_RUNTIME == DNNL_RUNTIME_OCL || DNNL_GPU_RUNTIME == DNNL_RUNTIME_SYCL ||                                   \
    DNNL_GPU_RUNTIME == DNNL_RUNTIME_DPCPP || DNNL_GPU_RUNTIME == DNNL_RUNTIME_ZE
#error "there is no runtime for graphics processors"
#endif
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_TBB || DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL
#error "the library has threads of OpenMP or none"
#endif
#if DNNL_GPU_VENDOR == DNNL_VENDOR_INTEL || DNNL_GPU_VENDOR == DNNL_VENDOR_NVIDIA ||                                   \
    DNNL_GPU_VENDOR == DNNL_VENDOR_AMD || DNNL_GPU_VENDOR == DNNL_VENDOR_GENERIC
#error "there is no graphics processor"
#endif

namespace {

static_assert(std::is_same<oneapi::dnnl::memory, memory>::value, "the longer name of the namespace");
static_assert(std::is_base_of<primitive_desc_base, primitive_desc>::value, "");
static_assert(std::is_base_of<handle<dnnl_engine_t>, engine>::value, "");

memory::desc rows() { return {{2, 4}, memory::data_type::f32, memory::format_tag::nc}; }

TEST(onednn_unqualified, versions) {
    const version_t *of = version();
    EXPECT_EQ(of->major, DNNL_VERSION_MAJOR);
    EXPECT_EQ(of->gpu_runtime, DNNL_GPU_RUNTIME);
    EXPECT_EQ(of->cpu_runtime, jitnorm::version()->cpu_runtime);
    EXPECT_STREQ(of->hash, "jitnorm");
}

TEST(onednn_unqualified, a_normalization_there_and_back) {
    const engine cpu(engine::kind::cpu, 0);
    stream on(cpu);
    primitive_attr attr;
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    attr.set_post_ops(ops);
    attr.set_scratchpad_mode(scratchpad_mode::library);
    attr.set_deterministic(true);
    attr.set_fpmath_mode(fpmath_mode::bf16);
    attr.set_accumulation_mode(accumulation_mode::relaxed);
    attr.set_rounding_mode(DNNL_ARG_DST, rounding_mode::environment);
    EXPECT_TRUE(attr.get_deterministic());
    EXPECT_EQ(attr.get_fpmath_mode(), fpmath_mode::bf16);
    EXPECT_EQ(attr.get_accumulation_mode(), accumulation_mode::relaxed);
    EXPECT_EQ(attr.get_rounding_mode(DNNL_ARG_DST), rounding_mode::environment);
    attr.set_scales(DNNL_ARG_SRC, 0, {}, memory::data_type::f32, false, quantization_mode::static_sazp);
    const layer_normalization_forward::primitive_desc forward(cpu, prop_kind::forward_training, rows(), rows(), 0.f,
                                                              normalization_flags::none, attr);
    const primitive there = layer_normalization_forward(forward);
    float src[] = {1, 2, 3, 4, 4, 3, 2, 1}, dst[8], scale = 1, mean[2], variance[2];
    const memory::desc one({1}, memory::data_type::f32, memory::format_tag::x);
    there.execute(on, {{DNNL_ARG_SRC, memory(rows(), cpu, src)},
                       {DNNL_ARG_DST, memory(rows(), cpu, dst)},
                       {DNNL_ARG_MEAN, memory(forward.mean_desc(), cpu, mean)},
                       {DNNL_ARG_VARIANCE, memory(forward.variance_desc(), cpu, variance)},
                       {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(one, cpu, &scale)}});
    EXPECT_EQ(&on.wait(), &on);
    EXPECT_EQ(mean[0], 2.5f);
    EXPECT_EQ(dst[0], 0.f);
    EXPECT_EQ(forward.query_s64(query::memory_consumption_s64), 0);
    const layer_normalization_backward::primitive_desc backward(cpu, prop_kind::backward_data, rows(), rows(), rows(),
                                                                0.f, normalization_flags::none, forward);
    EXPECT_TRUE(layer_normalization_backward(backward));
}

TEST(onednn_unqualified, the_process) {
    EXPECT_EQ(set_verbose(0), status::success);
    EXPECT_EQ(set_jit_dump(0), status::success);
    EXPECT_EQ(set_jit_profiling_flags(0), status::success);
    EXPECT_EQ(set_jit_profiling_jitdumpdir("."), status::success);
    EXPECT_EQ(engine::get_count(engine::kind::gpu), 0u);
    EXPECT_STREQ(dnnl_engine_kind2str(dnnl_gpu), "gpu");
    EXPECT_EQ(set_max_cpu_isa(cpu_isa::isa_default), status::success);
    EXPECT_NE(get_effective_cpu_isa(), cpu_isa::isa_default);
    EXPECT_EQ(set_cpu_isa_hints(cpu_isa_hints::no_hints), status::success);
    EXPECT_EQ(get_cpu_isa_hints(), cpu_isa_hints::no_hints);
    set_default_fpmath_mode(fpmath_mode::strict);
    EXPECT_EQ(get_default_fpmath_mode(), fpmath_mode::strict);
    set_primitive_cache_capacity(get_primitive_cache_capacity());
    EXPECT_EQ(convert_to_c(prop_kind::forward_inference), dnnl_forward_inference);
    EXPECT_EQ(handle_traits<dnnl_engine_t>::destroy(nullptr), dnnl_success);
    try {
        engine(engine::kind::gpu, 0);
        FAIL();
    } catch (const error &e) {
        EXPECT_EQ(e.status, dnnl_invalid_arguments);
    }
}

} // namespace
