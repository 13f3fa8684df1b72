// SPDX-License-Identifier: Apache-2.0
// Backward with a gate: its gradient, and that of what it multiplies, have the same bits by each implementation and any
// number of threads. The other results have the bits that they have without a gate. Whether they are right, made of
// what diff_src holds, rounded, is for the oracle, which benchdnn-lite and the fuzz targets ask.
#include "row_tensors.hpp"
#include "support/small_pool.hpp"

using namespace jitnorm::tests;

namespace {

struct work {
    dims sizes;
    unsigned gate = 0, scale = 0; // masks: the row dimensions along which they change
    jitnorm_data_type_t type = jitnorm_f32, gate_type = jitnorm_f32, gated_type = jitnorm_f32;
    dims strides = {};      // of src and its gradient; empty: dense
    dims gate_strides = {}; // empty: dense
    unsigned flags = CH;
    bool has_sum = true;
    jitnorm_prop_kind_t kind = jitnorm_backward;
    // Of tensors that have another type than src; undef: they have none.
    jitnorm_data_type_t diff_dst_type = jitnorm_data_type_undef, diff_src_type = jitnorm_data_type_undef,
                        diff_sum_type = jitnorm_data_type_undef;

    jitnorm_data_type_t or_type(jitnorm_data_type_t other) const {
        return other == jitnorm_data_type_undef ? type : other;
    }
};

jitnorm_status_t create_pd(const work &w, bool with_gate, owned_pd &pd) {
    const owned_md src = make_md(w.sizes, w.type, w.strides),
                   diff_src = make_md(w.sizes, w.or_type(w.diff_src_type), w.strides),
                   diff_dst = make_md(w.sizes, w.or_type(w.diff_dst_type)),
                   diff_sum = make_md(w.sizes, w.or_type(w.diff_sum_type)), gated = make_md(w.sizes, w.gated_type),
                   gate = make_md(masked(w.sizes, w.gate), w.gate_type, w.gate_strides),
                   scale = make_md(masked(w.sizes, w.scale), jitnorm_f32);
    const owned_attr attr = with_residual(gated, w.has_sum ? diff_sum.get() : nullptr);
    if (with_gate) must(jitnorm_primitive_attr_set_residual_gate(attr, gate), "a gate");
    EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, scale));
    return backward_request{
        .prop_kind = w.kind, .diff_src = diff_src, .diff_dst = diff_dst, .src = src, .flags = w.flags, .attr = attr}
        .create(&pd);
}

owned_pd pd_of(const work &w, bool with_gate) {
    owned_pd pd;
    must(create_pd(w, with_gate, pd), "a primitive descriptor");
    return pd;
}

execution executed_on(int threads, const work &w, bool with_gate) {
    execution e(pd_of(w, with_gate));
    fill_tensors(e);
    EXPECT_OK(e.run_on(make_stream({run_in_place, nullptr, threads})));
    return e;
}

void expect_gradients(const work &w) {
    const execution first = executed_on(1, w, true), plain = executed_on(1, w, false);
    EXPECT_EQ(first.tensors().contains(JITNORM_ARG_DIFF_SRC_2), w.kind == jitnorm_backward);
    expect_equal_tensors(first, plain);
    for (const char *implementation : {"ref:any", "jit:avx2", ""}) {
        ASSERT_OK(jitnorm_set_implementation(implementation));
        for (const int threads : {1, 2, 5}) {
            SCOPED_TRACE(testing::Message() << "by '" << implementation << "' on " << threads << " threads");
            expect_equal_tensors(executed_on(threads, w, true), first);
        }
    }
    ASSERT_OK(jitnorm_set_implementation(nullptr));
}

// Forward takes a gate of f64 if some tensor of rows is f64, and so does backward, whichever tensor that is.
TEST(gate_gradients, of_problems_at_random) {
    constexpr unsigned RMS = jitnorm_rms_norm, PLUS_ONE = jitnorm_use_scale | jitnorm_scale_plus_one,
                       FLAGS[] = {CH, 0, jitnorm_use_shift, CH | RMS, CH | jitnorm_use_global_stats, PLUS_ONE | RMS};
    std::mt19937 random(9);
    const auto draw = [&] { return std::array{jitnorm_f32, jitnorm_bf16, jitnorm_f64}[random() % 3]; };
    int refused = 0;
    for (int i = 0; i < 150; ++i) {
        work w = {.sizes = {3, 7, 37}, .gate = unsigned(random() % 4), .scale = unsigned(random() % 4)};
        for (auto *type : {&w.type, &w.gate_type, &w.gated_type}) *type = draw();
        w.flags = FLAGS[random() % std::size(FLAGS)];
        w.has_sum = random() % 2 == 0;
        w.kind = random() % 4 == 0 ? jitnorm_backward_data : jitnorm_backward;
        for (auto *type : {&w.diff_dst_type, &w.diff_src_type, &w.diff_sum_type}) *type = draw();
        const bool has_double_rows = w.type == jitnorm_f64 || w.gated_type == jitnorm_f64 ||
                                     w.diff_dst_type == jitnorm_f64 || w.diff_src_type == jitnorm_f64 ||
                                     (w.has_sum && w.diff_sum_type == jitnorm_f64);
        SCOPED_TRACE(testing::Message() << "case " << i << ": gate along " << w.gate << ", scale along " << w.scale
                                        << ", flags " << w.flags << ", kind " << w.kind << ", src " << w.type
                                        << ", gate " << w.gate_type << ", gated " << w.gated_type << ", diff_dst "
                                        << w.diff_dst_type << ", diff_src " << w.diff_src_type << ", diff_sum "
                                        << (w.has_sum ? w.diff_sum_type : 0));
        owned_pd pd;
        const jitnorm_status_t status = create_pd(w, true, pd);
        if (w.gate_type != jitnorm_f64 || has_double_rows) {
            ASSERT_OK(status) << jitnorm_get_last_error();
            expect_gradients(w);
        } else {
            ++refused;
            EXPECT_EQ(status, jitnorm_unimplemented);
            EXPECT_NE(std::string(jitnorm_get_last_error()).find("gates are f64"), std::string::npos)
                << jitnorm_get_last_error();
        }
    }
    EXPECT_GT(refused, 0);
}

TEST(gate_gradients, strides_and_sizes) {
    expect_gradients({.sizes = {4, 9, 40}, .gate = 1, .strides = {40, 4 * 40, 1}});
    expect_gradients({.sizes = {4, 9, 40}, .gate = 2, .strides = {1, 4 * 40, 4}});
    expect_gradients({.sizes = {4, 9, 40}, .gate = 3, .gate_strides = {9 * 60, 60, 1}});
    expect_gradients({.sizes = {2, 300, 256}, .gate = 1});             // whose rows threads share
    expect_gradients({.sizes = {100, 6, 256}, .gate = 1, .scale = 1}); // that threads take
    expect_gradients({.sizes = {100, 6, 256}, .gate = 3, .scale = 0});
    expect_gradients({.sizes = {2, 3, 20000}, .gate = 1, .gate_type = jitnorm_bf16}); // whose chunks threads share
}

// Forward's own tensors in, the gradients of the sum's terms out, with no more memory than that of their gradients.
TEST(gate_gradients, in_place) {
    const work w = {.sizes = {3, 5, 24}, .gate = 1};
    execution apart = executed_on(1, w, true), together(pd_of(w, true));
    fill_tensors(together);
    const auto share = [&](int output, int input) {
        EXPECT_OK(jitnorm_memory_set_data_handle(together.tensors().at(output).memory,
                                                 together.tensors().at(input).bytes.data()));
    };
    share(JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST_1);
    share(JITNORM_ARG_DIFF_SRC_1, JITNORM_ARG_DIFF_DST);
    EXPECT_OK(together.run());
    const auto bytes = [](execution &e, int arg) { return e.get<uint32_t>(arg); };
    EXPECT_EQ(bytes(apart, JITNORM_ARG_DIFF_SRC), bytes(together, JITNORM_ARG_DIFF_DST_1));
    EXPECT_EQ(bytes(apart, JITNORM_ARG_DIFF_SRC_1), bytes(together, JITNORM_ARG_DIFF_DST));
    EXPECT_EQ(bytes(apart, JITNORM_ARG_DIFF_SRC_2), bytes(together, JITNORM_ARG_DIFF_SRC_2));
}

TEST(gate_gradients, descriptors_and_refusals) {
    const owned_md data = make_md({2, 3, 16}, jitnorm_f32),
                   any = make_md({2, 3, 16}, jitnorm_bf16, jitnorm_format_tag_any),
                   half = make_md({2, 3, 16}, jitnorm_bf16), gate = make_md({2, 1, 16}, jitnorm_bf16, dims{40, 40, 1}),
                   dense = make_md({2, 1, 16}, jitnorm_bf16);
    const auto attempt = [&](const_jitnorm_memory_desc_t residual, const_jitnorm_memory_desc_t of_gate, owned_pd &pd) {
        const owned_attr attr = with_residual(residual, data);
        EXPECT_OK(jitnorm_primitive_attr_set_residual_gate(attr, of_gate));
        return backward_request{.diff_src = data, .diff_dst = data, .src = data, .attr = attr}.create(&pd);
    };
    owned_pd pd;
    EXPECT_OK(attempt(any, gate, pd));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_SRC_1), half));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_DIFF_SRC_1), half));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_SRC_2), gate));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_DIFF_SRC_2), dense));

    const auto refusal_of = [&](const owned_md &residual, const owned_md &of_gate) {
        owned_pd none;
        return attempt(residual, of_gate, none);
    };
    EXPECT_EQ(refusal_of(make_md({2, 3, 8}, jitnorm_f32), gate), jitnorm_invalid_arguments);
    EXPECT_EQ(refusal_of(make_md({2, 3, 16}, jitnorm_f32, dims{16, 0, 1}), gate), jitnorm_invalid_arguments);
    EXPECT_EQ(refusal_of(half, make_md({3, 1, 16}, jitnorm_f32)), jitnorm_invalid_arguments);
}

TEST(gate_gradients, empty_tensors_succeed) {
    for (const dims &sizes : {dims{0, 3, 24}, dims{2, 0, 24}, dims{2, 3, 0}}) {
        execution e(pd_of({.sizes = sizes, .gate = 1}, true));
        EXPECT_OK(e.run());
        if (sizes[1] == 0) {
            EXPECT_EQ(e.get(JITNORM_ARG_DIFF_SRC_2), std::vector<float>(2 * 24));
        }
    }
}

} // namespace
