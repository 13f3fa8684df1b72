// SPDX-License-Identifier: Apache-2.0
// The decisions of plans as one table, at small sizes, because the machines have small caches. Each of these plans
// gives the bits of the reference.
#include <gtest/gtest.h>

#include <sstream>

#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

class plans : public plans_on_machines {};

struct machines : std::vector<machine> {
    machines(const machine &one) : std::vector<machine>{one} {}
    machines(std::initializer_list<machine> all) : std::vector<machine>(all) {}
};

// Items of the list by which describe() describes the plan of a problem on each of some machines, and the names of
// items that it does not have, each after a minus sign.
struct decision {
    const char *why;
    setup of;
    machines on;
    std::string items;
};

void expect_items(const decision &row, const std::string &said) {
    std::istringstream items(row.items);
    for (std::string item; std::getline(items, item, ',');) {
        const bool is_there = ("," + said + ",").find("," + item + ",") != std::string::npos;
        const bool is_named = ("," + said + ",").find("," + item.substr(1)) != std::string::npos;
        EXPECT_TRUE(item[0] == '-' ? !is_named : is_there) << row.why << ": " << item << "\n" << row.of << "\n" << said;
    }
}

setup forward(jitnorm_data_type_t type = jitnorm_f32, dim_t rows = 37, dim_t columns = 192) {
    return in_place_of(jitnorm_forward_training, type, rows, columns);
}
setup forward(dim_t columns) { return forward(jitnorm_f32, 37, columns); }
setup backward(jitnorm_data_type_t type = jitnorm_f32, dim_t rows = 37, dim_t columns = 192) {
    return in_place_of(jitnorm_backward, type, rows, columns);
}
setup backward_data(setup s) {
    s.kind = jitnorm_backward_data;
    return s;
}
setup given(setup s) {
    s.flags |= jitnorm_use_global_stats;
    return s;
}
setup stored_as(jitnorm_data_type_t dst, setup s) {
    s.dst_type = dst;
    return s;
}
setup laid_out(const char *layout, setup s) {
    s.src = s.dst = s.diff_src = layout;
    return s;
}
setup laid_out(const char *layout, const std::vector<dim_t> &dims, setup s) {
    s.dims = dims;
    return laid_out(layout, s);
}
// Sums of rows of the setup's type with a residual of that type, written or not, as they are normalized or rounded.
setup sums(setup s, const char *written = "dense", jitnorm_data_type_t sum_type = jitnorm_f32) {
    s.residual = {.added = "dense", .sum = written, .type = s.src_type, .sum_type = sum_type};
    return s;
}
setup with_post_ops(setup s, const std::vector<impl::post_op> &entries) {
    s.attr.post_ops.entries = entries;
    return s;
}
setup with_gathered_operands(const setup &s) {
    return with_post_ops(s, {impl::binary_post_op{jitnorm_binary_mul, dense(s.dims, jitnorm_f64)}});
}
setup with_pre_quantization(const char *layout, setup s) {
    s.pre_quantization = layout;
    return s;
}
setup with_scales(setup s, dim_t per_row = 1) {
    s.dst_type = jitnorm_s8;
    s.dynamic_scales = scales_of(s.dims, per_row);
    return s;
}

// Where so many bytes are half of a last level that others use as well.
machine shared(dim_t bytes, dim_t by_threads, dim_t memory = 50) {
    return {.l2 = 1 << 14, .last_level = 2 * bytes, .memory = memory, .shared = by_threads};
}

std::vector<decision> batches() {
    const setup packed = laid_out("@ba", {37, 95}, forward()), packed_backward = laid_out("@ba", {37, 95}, backward());
    return {{"whatever is in L2", forward(95), {IN_L2, THROUGH_L2}, "batch:32"},
            {"stays in L2", given(forward()), {IN_L2, THROUGH_L2}, "batch:32"},
            {"sums", sums(forward()), {IN_L2, THROUGH_L2}, "batch:32"},
            {"sums of the longest rows", sums(given(forward(4096))), IN_L2, "batch:4"},
            {"in tiles", packed, IN_L2, "batch:32,-prefetch"},
            {"in tiles", packed, THROUGH_L2, "batch:32,prefetch:2"},
            {"in tiles", packed_backward, IN_L2, "-prefetch"},
            {"in tiles", packed_backward, THROUGH_L2, "prefetch:2"},
            {"of backward", backward(jitnorm_f32, 37, 95), {IN_L2, THROUGH_L2}, "batch:32"},
            {"in L2", given(forward(1024)), {ROOMY, NO_L2}, "batch:16"},
            {"in L2, narrow", given(forward(jitnorm_bf16, 37, 2048)), ROOMY, "batch:16"},
            {"the longest chunk", given(forward(4096)), ROOMY, "batch:4"},
            {"long rows in pairs", given(forward(4097)), {ROOMY, TO_L1}, "batch:2"},
            {"in bands", backward(jitnorm_f32, 37, 1024), {ROOMY, NO_L2, NO_CACHES}, "batch:32"},
            {"long narrow rows in pairs", backward(jitnorm_bf16, 19, 4097), ROOMY, "batch:2"},
            {"long rows in pairs", backward(jitnorm_f32, 7, 8192), {ROOMY, NO_L2, IN_L2}, "batch:2"},
            {"long rows in pairs", backward(jitnorm_f32, 37, 4096 + 512), {TO_L1, NO_CACHES}, "batch:2"},
            {"without sums", backward_data(given(backward(jitnorm_f32, 37, 1024))), {ROOMY, TO_L1}, "batch:8"}};
}

// A band of forward has 16 KB of rows, at most 32, in eights if there are so many, and stored to the caches at least
// two, but not with a residual up to a chunk; prefetched and stored to the caches 2 KB. One of backward has pairs of 16
// KB of both tensors; from memory, and wide types beyond L2, one row.
std::vector<decision> bands() {
    std::vector<decision> all = {
        {"longer than a chunk", forward(jitnorm_f32, 7, 4097), ROOMY, "band:2,batch:7"},
        {"mostly reads", stored_as(jitnorm_s8, forward()), IN_L2, "band:16"},
        {"in double", forward(jitnorm_f64), ROOMY, "-band"},
        {"nothing is reduced", given(forward()), ROOMY, "-band"},
        {"a scale for each row", with_scales(forward()), ROOMY, "band:16"},
        {"quantized one by one", with_scales(forward(jitnorm_f32, 7, 4096)), ROOMY, "band:1"},
        {"as f32, whatever the rows are", with_scales(forward(jitnorm_bf16)), ROOMY, "band:16"},
        {"several scales in a row", with_scales(forward(), 2), ROOMY, "-band"},
        {"sums in tiles", sums(forward(), ""), NO_CACHES, "band:2,non_temporal_band:16"},
        {"rounded sums in tiles", sums(forward(), "dense", jitnorm_bf16), NO_CACHES, "band:2,non_temporal_band:16"},
        {"sums of more than a chunk", sums(forward(jitnorm_f32, 7, 5000)), NO_CACHES, "band:1,prefetch:2"},
        {"gathered operands", with_gathered_operands(forward(jitnorm_f32, 5, 5000)), NO_CACHES, "-band"},
        {"pairs", given(backward()), ROOMY, "band:10"},
        {"one by one from memory", given(backward()), TO_L2, "band:1,prefetch:2"},
        {"together 1 KB", backward(jitnorm_f32, 67, 64), TO_L1, "band:2,prefetch:1"},
        {"one more has more", backward(jitnorm_f32, 67, 65), TO_L1, "band:1,prefetch:1"},
        {"all rows have less", backward(jitnorm_f32, 3, 16), TO_L1, "band:3,prefetch:1"},
        {"not rows that are unevenly spaced", laid_out("@bac", {8, 8, 192}, backward()), TO_L2, "band:10,-prefetch"},
        {"nor in the caches", given(backward()), IN_L2, "band:10,-prefetch"},
        {"one by one, whatever stores they have", given(backward(jitnorm_f32, 37, 190)), TO_L2,
         "band:1,non_temporal_threads:0"},
        {"long sums", sums(forward(jitnorm_f32, 7, 4097)), ROOMY, "band:2"},
        {"prefetched", forward(), TO_L1, "band:2,non_temporal_band:16,prefetch:1"},
        {"prefetched, longer than the band", forward(513), TO_L1, "band:1,non_temporal_band:7,prefetch:1"},
        {"in sweeps", forward(), SMALL_CACHES[0], "band:2,non_temporal_band:16,prefetch:1"},
        {"in sweeps", forward(), SMALL_CACHES[1], "band:2,non_temporal_band:16,prefetch:2"},
        {"in sweeps", backward(), SMALL_CACHES[0], "band:1,prefetch:1"},
        {"in sweeps", backward(), SMALL_CACHES[1], "band:1,prefetch:2"},
        {"narrow sums", sums(forward(jitnorm_bf16, 37, 256)), TO_L1, "band:2,non_temporal_band:16,prefetch:1"},
        {"other sums", sums(forward(256)), TO_L1, "band:2,non_temporal_band:16,prefetch:1"},
        {"more than a chunk", forward(4097), TO_L1, "band:1,prefetch:2,batch:32"},
        {"in tiles", laid_out("@ba", {70, 48}, backward()), ROOMY, "band:32"},
        {"in tiles, which are near", laid_out("@ba", {70, 48}, backward()), TO_L1, "band:32,-prefetch"},
        {"of strands", laid_out("@cba", {64, 64, 48}, backward()), {TO_L2, ROOMY}, "rows:interleaved,band:32"},
        {"more than a chunk", backward(jitnorm_f32, 37, 4097), TO_L1, "-band,prefetch:1"},
        {"more than a chunk", backward(jitnorm_f32, 37, 4097), {TO_L2, THROUGH_L2}, "-band,prefetch:2"},
        {"nothing is reduced", backward_data(given(backward())), TO_L1, "-band"},
        {"from memory", backward(), prefetching_to_l1(1, 37 * 192 * 12), "prefetch:1"},
        {"in the caches", backward(), prefetching_to_l1(1, 37 * 192 * 12 + 1), "band:1,-prefetch"},
        {"in L2", backward(), prefetching_to_l1(37 * 192 * 12, FAR), "band:10,-prefetch"},
        {"narrow, beyond L2", backward(jitnorm_bf16), prefetching_to_l1(1, FAR), "band:20,-prefetch"},
        {"one row is the problem", forward(jitnorm_f32, 1, 192), ROOMY, "batch:1"},
        {"one batch is the problem", forward(jitnorm_f32, 32, 192), ROOMY, "batch:32"},
        {"more than a batch", forward(jitnorm_f32, 33, 192), ROOMY, "batch:32"}};
    constexpr std::string_view PAIR = "band:2,non_temporal_band:1";
    constexpr std::pair<dim_t, std::string_view> lengths[] = {
        {1, "band:32"},  {128, "band:32"}, {129, "band:24"}, {256, "band:16"}, {257, "band:8"}, {512, "band:8"},
        {513, "band:7"}, {1024, "band:4"}, {1025, "band:3"}, {2049, PAIR},     {4096, PAIR}};
    for (const auto &[columns, items] : lengths) {
        const setup s = forward(jitnorm_f32, 67, columns);
        all.push_back({"in L1", s, {ROOMY, IN_L2}, std::string(items) + ",batch:32"});
        all.push_back(
            {"in L1", sums(s), {ROOMY, IN_L2}, items == PAIR ? "band:1,-non_temporal_band" : std::string(items)});
    }
    return all;
}

std::vector<decision> row_sources() {
    const std::vector<dim_t> packed = {70, 48}, spread_out = {64, 64, 48};
    const machines all = {ROOMY, NO_L2, NO_CACHES};
    return {{"dense", forward(jitnorm_bf16), all, "rows:in_place"},
            {"dense", backward(jitnorm_bf16), all, "rows:in_place"},
            {"tiles are near", laid_out("@ba", packed, forward()), all, "rows:tiles"},
            {"tiles are near", laid_out("@ba", packed, backward()), all, "rows:tiles"},
            {"no column sums", backward_data(laid_out("@cba", spread_out, backward())), all, "rows:tiles"},
            {"sums in the order of rows", laid_out("@cba", spread_out, backward()), all, "rows:interleaved"}};
}

// Long rows are prefetched to L2.
std::vector<decision> prefetches_and_stores() {
    constexpr auto PAST = "non_temporal_threads:2147483647", ALONE = "non_temporal_threads:1",
                   NO = "non_temporal_threads:0";
    std::vector<decision> all = {
        {"narrowest type", stored_as(jitnorm_s8, forward()), NO_CACHES, NO},
        {"short rows that are no lines", forward(190), NO_CACHES, NO},
        {"short rows that are no lines", backward(jitnorm_f32, 37, 190), NO_CACHES, NO},
        {"only executions know where tensors begin", laid_out("dense+7", forward()), NO_CACHES, PAST},
        {"only executions know where tensors begin", laid_out("dense+7", backward()), NO_CACHES, PAST},
        {"two outputs are streams enough", with_pre_quantization("dense", forward()), NO_CACHES, NO}};
    for (const auto type : FLOATING)
        for (const setup &s : {forward(type), backward(type), backward_data(backward(type))}) {
            all.push_back({"every type", s, NO_CACHES, PAST});
            all.push_back({"in the caches", s, NO_L2, NO});
        }
    for (const auto type : {jitnorm_bf16, jitnorm_f16, jitnorm_f32})
        for (const auto *written : {"dense", ""})
            for (const dim_t columns : {15, 1024, 4097}) {
                const setup s = sums(forward(type, 37, columns), written, type);
                all.push_back({"sums", s, TO_L2, "prefetch:2"});
                all.push_back({"sums", s, TO_L1, columns == 4097 ? "prefetch:2" : "prefetch:1"});
            }
    // Data that fill half of a last level that others use as well, from which part on several threads share it.
    const struct {
        setup s;
        dim_t tensors;
    } problems[] = {{forward(128), 2}, {forward(256), 2}, {sums(forward(128)), 4}, {backward(), 3}};
    for (const auto &[s, tensors] : problems) {
        const dim_t bytes = tensors * s.dims[0] * s.dims[1] * dim_t(sizeof(float));
        all.push_back({"one thread's", s, shared(bytes, 100), ALONE});
        all.push_back({"of several", s, shared(bytes, 50), PAST});
        all.push_back({"in the caches", s, shared(bytes + 1, 50), NO});
        all.push_back({"of this process alone", s, shared(bytes, 50, 100), NO});
    }
    return all;
}

std::vector<decision> long_rows() {
    constexpr dim_t LONG = 40 * 4096 + 100;
    setup sum_alone = sums(forward(jitnorm_f32, 2, LONG));
    sum_alone.flags = 0;
    sum_alone.omitted = bit_of(DST);
    std::vector<decision> all = {{"read once", sum_alone, ROOMY, "chunk_threads:0"},
                                 {"of 128 K elements", backward(jitnorm_f32, 3, 128 * 1024), ROOMY, "-chunks_from:1"},
                                 {"longer", backward(jitnorm_f32, 3, 128 * 1024 + 1), ROOMY, "chunks_from:1"}};
    for (const char *layout : {"dense", "@ba"}) {
        const machines on = {ROOMY, NO_L2, NO_CACHES};
        const setup few_rows = laid_out(layout, {2, LONG}, backward());
        all.push_back({"few long rows", laid_out(layout, {2, LONG}, forward()), on,
                       "row_threads:2,chunk_threads:64,chunks_from:3"});
        all.push_back({"few long rows", few_rows, on, "chunks_from:1"});
        all.push_back({"few long rows", backward_data(few_rows), on, "chunks_from:1"});
    }
    return all;
}

// The sizes of tiles, panels and the scratchpad.
std::vector<decision> room() {
    const machine from_memory = prefetching_to_l2(1 << 18, 1 << 12);
    const setup packed = laid_out("@ba", {70, 48}, forward()), packed_backward = laid_out("@ba", {70, 48}, backward());
    setup from_packed = packed, to_narrow = packed_backward;
    from_packed.dst = "dense";
    to_narrow.diff_src_type = jitnorm_bf16;
    return {
        {"one tile for two tensors", packed, ROOMY, "rows:tiles,tile_rows:256,batch:32,scratchpad:49152"},
        {"src alone is packed", from_packed, ROOMY, "rows:tiles,tile_rows:256,batch:32,scratchpad:49152"},
        {"tiles of two types", stored_as(jitnorm_bf16, packed), ROOMY,
         "rows:tiles,tile_rows:256,batch:32,scratchpad:98304"},
        {"one tile for two tensors", packed_backward, ROOMY, "rows:tiles,tile_rows:256,batch:32,scratchpad:100224"},
        {"nothing to add up", backward_data(packed_backward), ROOMY,
         "rows:tiles,tile_rows:256,batch:32,scratchpad:98304"},
        {"another type", to_narrow, ROOMY, "rows:tiles,tile_rows:256,batch:32,scratchpad:149376"},
        {"strands together", laid_out("@cba", {64, 64, 48}, backward()), ROOMY,
         "rows:interleaved,tile_rows:256,batch:16,scratchpad:6389760"},
        {"long rows of strands", laid_out("@cba", {4, 64, 4100}, backward()), ROOMY,
         "rows:tiles,tile_rows:8,panel:4096,batch:32,chunk_threads:0,scratchpad:4802816"},
        {"whole lines", laid_out("@ba", {70, 5000}, backward()), ROOMY,
         "rows:tiles,tile_rows:16,panel:4096,batch:32,chunks_from:1,chunk_threads:2,scratchpad:1382784"},
        {"whole lines", laid_out("@ba", {8, 5000}, backward()), ROOMY,
         "rows:tiles,tile_rows:8,panel:4096,batch:32,chunks_from:1,chunk_threads:2,scratchpad:855424"},
        {"chunk by chunk", laid_out("@ba", {70, 5000}, forward()), ROOMY,
         "rows:tiles,tile_rows:17,panel:4096,batch:17,scratchpad:17895424"},
        {"whole", laid_out("@ba", {4, 5000}, forward()), IN_L2,
         "rows:tiles,band:2,tile_rows:14,batch:3,chunk_threads:0,scratchpad:280448"},
        {"as many rows as a batch", laid_out("@ba", {70, 5000}, forward(jitnorm_bf16)), ROOMY,
         "rows:tiles,tile_rows:32,panel:4096,batch:32"},
        {"post-ops",
         with_post_ops(laid_out("@ba", {4, 5000}, forward()), {impl::eltwise_post_op{jitnorm_eltwise_swish, 1, 0}}),
         ROOMY, "rows:tiles,panel:4096"},
        {"a residual", sums(laid_out("@ba", {4, 5000}, forward())), ROOMY,
         "rows:tiles,tile_rows:5,panel:4096,batch:5,chunk_threads:8,scratchpad:1974016"},
        {"sums are the output", sums(packed), ROOMY, "rows:tiles,tile_rows:256,batch:32,scratchpad:98304"},
        {"sums have a tile", sums(packed, ""), NO_L2, "rows:tiles,tile_rows:256,batch:32,scratchpad:104448"},
        {"narrow sums have a tile", sums(laid_out("@ba", {70, 200}, forward(jitnorm_bf16)), ""), NO_L2,
         "rows:tiles,tile_rows:170,batch:16,scratchpad:165632"},
        {"sums have a tile", sums(forward(jitnorm_f32, 20, 1024), ""), ROOMY, "batch:4,scratchpad:16640"},
        {"rounded sums have a tile", sums(forward(jitnorm_f32, 5, 1024), "dense", jitnorm_bf16), ROOMY,
         "batch:4,scratchpad:16640"},
        {"sums have a tile, from memory", sums(forward(), ""), NO_CACHES, "batch:16,scratchpad:13312"},
        {"long sums", sums(forward(jitnorm_f32, 7, 20000), ""), ROOMY,
         "panel:4096,batch:2,chunk_threads:35,scratchpad:1152512"},
        {"sums, and a pre-quantization output", with_pre_quantization("@ba", sums(packed)), ROOMY, "rows:tiles"},
        {"long sums, and a pre-quantization output",
         with_pre_quantization("@ba", sums(laid_out("@ba", {7, 20000}, forward()))), ROOMY, "rows:tiles,panel:4096"},
        {"gathered operands of tiles",
         with_post_ops(forward(jitnorm_f32, 5, 100000),
                       {impl::binary_post_op{jitnorm_binary_mul, make_layout("ba", {5, 100000}, jitnorm_f32)},
                        impl::binary_post_op{jitnorm_binary_add, dense({5, 1})}}),
         ROOMY, "panel:4096"},
        {"rows unevenly spaced", laid_out("@bac", {3, 5, 64}, forward()), ROOMY, "rows:in_place"},
        {"from memory", forward(1536), from_memory, "prefetch:2"},
        {"in the caches", forward(1536), IN_L2, "-prefetch"},
        {"no chunks", backward(), ROOMY, "batch:32,chunk_threads:0,scratchpad:6656"},
        {"chunks", backward(jitnorm_f32, 37, 8192), ROOMY, "batch:2,chunk_threads:0,scratchpad:787968"},
        {"every chunk", forward(jitnorm_f32, 3, 41060), ROOMY, "panel:41060,batch:3,chunk_threads:33,scratchpad:1088"},
        {"given", given(forward(jitnorm_f32, 3, 41060)), ROOMY, "panel:41060,chunk_threads:33,scratchpad:0"},
        {"rows enough", forward(jitnorm_f32, 64, 8192), ROOMY, "batch:32,chunk_threads:0,scratchpad:0"},
        {"a long group", with_scales(forward(jitnorm_f32, 3, 40000)), ROOMY, "band:1,scratchpad:480000"},
        {"gathered operands", with_gathered_operands(forward(jitnorm_f32, 5, 5000)), ROOMY,
         "panel:4096,batch:2,chunk_threads:0,scratchpad:65664"}};
}

// Calls body(row, machine) for each of the table.
template <typename Body>
void for_each_decision(Body &&body) {
    for (const auto &rows : {batches(), bands(), row_sources(), prefetches_and_stores(), long_rows(), room()})
        for (const decision &row : rows)
            for (const machine &m : row.on) body(row, m);
}

TEST_P(plans, decide_as_the_table_says) {
    for_each_decision([&](const decision &row, const machine &m) { expect_items(row, describe(plan_of(row.of, m))); });
}

TEST_P(plans, keep_the_bits_whatever_they_decide) {
    const thread_count threads(5);
    for_each_decision([&](const decision &row, const machine &m) { expect_reference(row.of, m); });
}

TEST_P(plans, are_values) {
    const setup s = in_place_of(jitnorm_backward, jitnorm_f32);
    EXPECT_EQ(plan_of(s, NO_L2), plan_of(s, NO_L2));
    EXPECT_NE(plan_of(s, NO_L2), plan_of(s, NO_CACHES));
    EXPECT_EQ(describe(plan_of(in_place_of(jitnorm_forward_training, jitnorm_f32), NO_CACHES)),
              "rows:in_place,band:2,non_temporal_band:16,panel:192,batch:32,prefetch:1,"
              "non_temporal_threads:2147483647,row_threads:1,chunk_threads:0,scratchpad:0");
}

// The scratchpad of a problem whose sizes executions bring, with the plans of all executions that do not share chunks.
TEST_P(plans, for_any_size_have_room_for_every_size) {
    for_each_decision([&](const decision &row, const machine &m) {
        const problem p = make_problem(row.of);
        if (!p.is_forward() || p.has_dynamic_scales()) return;
        const implementation &entry = jit_for(GetParam());
        const size_t room = scratchpad_bytes(entry, with_runtime_sizes(p), m);
        plan planned = plan_of(row.of, m);
        planned.give_up_chunks();
        EXPECT_LE(planned.scratchpad.bytes(), room) << row.why << "\n" << row.of;
    });
    problem p = make_problem(forward()); // only the number of dense rows is left to the execution
    p.for_each_descriptor([](memory_desc &md) { md.dims[0] = md.padded_dims[0] = impl::RUNTIME_DIM; });
    EXPECT_EQ(scratchpad_bytes(jit_for(GetParam()), p), 0U);
}

INSTANTIATE_TEST_SUITE_P(native, plans, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
