// SPDX-License-Identifier: Apache-2.0
// Scale and shift with row dimensions. The outputs have the bits that a primitive with vectors gives for each group of
// rows. Sizes that are known at execution: tests/thread, which draws such work, too.
#include <cstring>

#include "row_tensors.hpp"

using namespace jitnorm::tests;

namespace {

dims strides_of(const_jitnorm_memory_desc_t md) { return dims_of(md, jitnorm_query_strides); }
dims sizes_of(const_jitnorm_memory_desc_t md) { return dims_of(md, jitnorm_query_dims); }

struct work {
    dims sizes;
    unsigned mask; // of the row dimensions along which scale and shift change
    bool forward = true;
    unsigned flags = CH;
    jitnorm_data_type_t type = jitnorm_f32, scale_shift_type = jitnorm_f32;
    dims strides = {};       // of src, dst and their gradients; empty: dense
    dims scale_strides = {}; // empty: dense
    bool adds = false, finds_scales = false, has_bias = false;
    bool only_scale = false; // shift is a vector
    int gate = -1;           // the mask of the gate; negative: there is none

    owned_md data() const { return make_md(sizes, type, strides); }
    owned_md scale() const { return make_md(masked(sizes, mask), scale_shift_type, scale_strides); }
};

// The attributes of the whole problem, or of a group, whose src is `src`.
owned_attr attr_of(const work &w, const_jitnorm_memory_desc_t src, bool whole) {
    owned_attr attr = make_attr();
    const owned_md scale = w.scale();
    const const_jitnorm_memory_desc_t shift = w.only_scale ? nullptr : scale.get();
    if (whole) must(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, shift), "row dimensions");
    const auto bias = w.has_bias ? jitnorm_f32 : jitnorm_data_type_undef;
    if (w.adds) must(jitnorm_primitive_attr_set_residual(attr, src, src, bias, 0), "a residual");
    if (w.gate >= 0) {
        // In a group, the gate has the dimensions of src that do not count groups.
        dims sizes = masked(sizes_of(src), unsigned(w.gate));
        const owned_md gate = make_md(sizes, w.scale_shift_type,
                                      strides_of(make_md(masked(w.sizes, unsigned(w.gate)), w.scale_shift_type)));
        must(jitnorm_primitive_attr_set_residual_gate(attr, gate), "a gate");
    }
    if (!w.finds_scales) return attr;
    // A vector with one number for each element of the first dimension, and scales for each row.
    const owned_md operand = make_md(masked(sizes_of(src), 1), jitnorm_f32);
    const owned_post_ops post_ops = make_post_ops();
    must(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, operand), "a post-op");
    must(jitnorm_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    must(jitnorm_primitive_attr_set_scales_v3(attr, JITNORM_ARG_DST, (1 << (w.sizes.size() - 1)) - 1, 0, nullptr,
                                              jitnorm_f32, 0, jitnorm_quantization_mode_dynamic_amax),
         "scales");
    return attr;
}

// The statistics are dense in the whole problem.
owned_md statistics_of(const work &w, const_jitnorm_memory_desc_t src) {
    const dims sizes(w.sizes.begin(), w.sizes.end() - 1);
    dims own = sizes_of(src);
    own.pop_back();
    return make_md(own, jitnorm_f32, strides_of(make_md(sizes, jitnorm_f32)));
}

owned_pd pd_of(const work &w, const_jitnorm_memory_desc_t src, bool whole) {
    const owned_attr attr = attr_of(w, src, whole);
    const owned_md statistics = statistics_of(w, src);
    const owned_md bytes = make_md(sizes_of(src), jitnorm_s8, strides_of(src));
    forward_request forward{.src = src, .dst = w.finds_scales ? bytes.get() : src, .statistics = statistics};
    backward_request backward{.diff_src = src, .diff_dst = src, .src = src, .statistics = statistics};
    forward.scale_shift_type = backward.scale_shift_type = w.scale_shift_type;
    return w.forward ? forward.make(w.flags, attr) : backward.make(w.flags, attr);
}
owned_pd whole_pd(const work &w) { return pd_of(w, w.data(), true); }

// Calls body(index) for the first element of each group.
template <typename Body>
void for_each_group(const work &w, Body &&body) {
    dims index(w.sizes.size(), 0);
    const dims groups = masked(w.sizes, w.mask);
    for (;;) {
        body(index);
        size_t d = w.sizes.size() - 1;
        while (d > 0 && ((w.mask >> (d - 1) & 1) == 0 || ++index[d - 1] == groups[d - 1])) index[--d] = 0;
        if (d == 0) return;
    }
}

// Executes the group's primitive on its part of the tensors of `all`.
void run_group(const work &w, execution &all, const dims &index) {
    const dims sizes = masked(w.sizes, ~w.mask);
    const owned_md src = make_md(sizes, w.type, strides_of(w.data()));
    const owned_pd pd = pd_of(w, src, false);
    std::vector<owned_memory> memories;
    std::vector<jitnorm_exec_arg_t> list;
    for (auto &[arg, tensor] : all.tensors()) {
        const auto *md = md_of(pd, arg);
        if (ndims_of(md) == 0) continue;
        const const_jitnorm_memory_desc_t whole = md_of(all, arg);
        const dims strides = strides_of(whole), extent = sizes_of(whole);
        const bool is_statistic = arg == JITNORM_ARG_MEAN || arg == JITNORM_ARG_VARIANCE;
        const bool has_rows = is_statistic || strides.size() == sizes.size(); // a vector is that of all groups
        jitnorm_dim_t offset = 0;
        for (size_t d = 0; has_rows && d + 1 < sizes.size(); ++d)
            if (extent[d] != 1) offset += index[d] * strides[d];
        const auto type = type_of(all, arg);
        owned_md strided;
        if (ndims_of(md) == int(strides.size()) && ndims_of(md) > 1)
            md = strided = make_md(sizes_of(md), type, strides);
        memories.push_back(make_memory(md, tensor.bytes.data() + size_t(offset) * jitnorm_data_type_size(type)));
        list.push_back({arg, memories.back()});
    }
    execution one(pd);
    EXPECT_OK(one.run(list));
}

void expect_law(const work &w) {
    const owned_pd pd = whole_pd(w);
    execution whole(pd), parts(pd);
    fill_tensors(whole);
    fill_tensors(parts);
    EXPECT_OK(whole.run());
    for_each_group(w, [&](const dims &index) { run_group(w, parts, index); });
    expect_equal_tensors(parts, whole);
}

struct scale_shift_descs : testing::TestWithParam<const char *> {
    void SetUp() override { ASSERT_OK(jitnorm_set_implementation(GetParam())); }
    void TearDown() override { ASSERT_OK(jitnorm_set_implementation(nullptr)); }
};
INSTANTIATE_TEST_SUITE_P(implementations, scale_shift_descs, testing::Values("", "jit:avx2", "ref:any"));

std::ostream &operator<<(std::ostream &out, const work &w) {
    return out << testing::PrintToString(w.sizes) << ", mask " << w.mask << ", forward " << w.forward << ", flags "
               << w.flags << ", types " << w.type << ' ' << w.scale_shift_type << ", strides "
               << testing::PrintToString(w.strides) << " and " << testing::PrintToString(w.scale_strides) << ", adds "
               << w.adds << ", bias " << w.has_bias << ", gate " << w.gate << ", scales " << w.finds_scales
               << ", only scale " << w.only_scale;
}

// Whatever attributes belong to the rows of a group.
work draw(std::mt19937 &random) {
    const auto toss = [&] { return random() % 2 == 0; };
    const auto pick = [&](const auto &values) { return values[random() % std::size(values)]; };
    constexpr unsigned FLAGS[] = {
        CH, CH, jitnorm_use_scale, jitnorm_use_shift, CH | jitnorm_rms_norm, CH | jitnorm_scale_plus_one};
    constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
    const dims layouts[] = {
        {}, {}, {}, {1, 4 * 70, 4}, {70, 4 * 80, 1}}; // of 4 x 9 x 70; rows are packed in the fourth
    work w = {.sizes = {4, 9, 70}, .mask = unsigned(random() % 4), .forward = toss(), .flags = pick(FLAGS)};
    w.type = pick(TYPES);
    w.scale_shift_type = toss() ? jitnorm_f32 : jitnorm_bf16;
    w.strides = pick(layouts);
    if (toss()) w.scale_strides = {9 * 6 * 70, 6 * 70, 1};
    w.adds = toss();
    if (!w.forward) return w;
    w.has_bias = w.adds && toss();
    if (w.adds && toss()) w.gate = int(random() % 4);
    w.finds_scales = w.mask != 2 && w.type != jitnorm_f64 && random() % 4 == 0; // mask 2: a group's are not dense
    w.only_scale = random() % 4 == 0;
    return w;
}

TEST_P(scale_shift_descs, groups_have_the_bits_of_primitives_of_their_own) {
    std::mt19937 random(3);
    for (int i = 0; i < 150; ++i) {
        const work w = draw(random);
        SCOPED_TRACE(testing::Message() << "case " << i << ": " << w);
        expect_law(w);
    }
}

// Rows that all have their own scale and shift, rows that are written while others are reduced, and chunks of long
// rows; groups whose rows threads share, groups that threads take, and tiles for each of them.
TEST_P(scale_shift_descs, groups_of_any_size) {
    const struct {
        dims sizes;
        unsigned mask;
        dims strides = {};
    } cases[] = {{{3, 2, 5, 37}, 5},
                 {{3, 2, 5, 37}, 6},
                 {{1, 3, 19}, 3},
                 {{2, 300, 1024}, 3},
                 {{1, 2, 9000}, 2},
                 {{1, 2, 140000}, 3},
                 {{3, 7, 9000}, 1},
                 {{2, 600, 256}, 1},
                 {{130, 20, 256}, 1},
                 {{130, 20, 256}, 3},
                 {{130, 20, 256}, 1, {256 * 20, 1, 20}}};
    for (const auto &[sizes, mask, strides] : cases)
        for (const bool forward : {true, false})
            for (const auto type : {jitnorm_f32, jitnorm_bf16}) {
                const work w = {.sizes = sizes, .mask = mask, .forward = forward, .type = type, .strides = strides};
                SCOPED_TRACE(testing::Message() << w);
                expect_law(w);
            }
    for (const bool adds : {false, true}) expect_law({.sizes = {9, 70}, .mask = 1, .adds = adds, .finds_scales = true});
}

// A pool that runs the parts of an execution one after the other, and says which rows of dst each of them has written.
struct watching_pool {
    const std::vector<std::byte> &dst;
    size_t row_bytes;
    std::vector<std::vector<size_t>> written = {}; // of the last call with several parts

    static void parallel_for(void *context, int count, void (*body)(void *, int), void *argument) {
        auto &pool = *static_cast<watching_pool *>(context);
        pool.written.clear();
        for (int i = 0; i < count; ++i) {
            const std::vector<std::byte> before = pool.dst;
            body(argument, i);
            pool.written.emplace_back();
            for (size_t row = 0; row * pool.row_bytes < before.size(); ++row)
                if (std::memcmp(&before[row * pool.row_bytes], &pool.dst[row * pool.row_bytes], pool.row_bytes) != 0)
                    pool.written.back().push_back(row);
        }
    }
};

// Each thread takes groups that nobody else takes, whole and as many as the others do.
TEST_P(scale_shift_descs, threads_take_equal_numbers_of_whole_groups) {
    constexpr size_t THREADS = 4, GROUPS = 128, GROUP_ROWS = 8;
    for (const bool forward : {true, false}) {
        const work w = {.sizes = {GROUPS, GROUP_ROWS, 512}, .mask = 1, .forward = forward};
        execution e(whole_pd(w));
        fill_tensors(e);
        watching_pool pool = {e.tensors().at(forward ? JITNORM_ARG_DST : JITNORM_ARG_DIFF_SRC).bytes,
                              512 * sizeof(float)};
        EXPECT_OK(e.run_on(make_stream({watching_pool::parallel_for, &pool, int(THREADS)})));
        if (GetParam() == std::string("ref:any")) continue; // has no plans
        ASSERT_EQ(pool.written.size(), THREADS);
        for (size_t part = 0, row = 0; part < THREADS; ++part) {
            EXPECT_EQ(pool.written[part].size(), GROUPS / THREADS * GROUP_ROWS);
            for (const size_t each : pool.written[part]) EXPECT_EQ(each, row++);
        }
    }
}

// A shift that changes along rows then makes no groups, and an execution need not say its size.
TEST_P(scale_shift_descs, backward_data_reads_no_shift) {
    for (const bool scale_too : {false, true}) {
        const auto described = [&](jitnorm_dim_t rows) {
            const dims strides = rows == R ? dims{R, R} : dims{};
            const owned_md data = make_md({rows, 70}, jitnorm_f32, strides);
            const owned_attr attr = make_attr();
            must(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale_too ? data.get() : nullptr, data), "a shift");
            return backward_request{jitnorm_backward_data, data, data, data}.make(CH, attr);
        };
        const owned_pd sizes = described(5);
        execution known(sizes), found(described(R), sizes);
        expect_same(found, known);
    }
}

// The executor was made for a scale that changes along these rows.
TEST_P(scale_shift_descs, a_size_that_is_left_open_is_srcs) {
    const auto create = [](bool forward, jitnorm_dim_t rows, jitnorm_dim_t rows_of_scale) {
        const owned_md data = make_md({rows, 2, 16}, jitnorm_f32), scale = make_md({rows_of_scale, 1, 16}, jitnorm_f32);
        const owned_attr attr = make_attr();
        must(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, nullptr), "a scale");
        return forward ? forward_request{jitnorm_forward_training, data, data}.make(jitnorm_use_scale, attr)
                       : backward_request{jitnorm_backward, data, data, data}.make(jitnorm_use_scale, attr);
    };
    for (const bool forward : {true, false}) {
        execution srcs(create(forward, R, R), create(forward, 3, 3)), one(create(forward, R, R), create(forward, 3, 1));
        EXPECT_OK(srcs.run());
        EXPECT_EQ(one.run(), INVALID);
        EXPECT_TRUE(one.is_untouched());
    }
}

TEST(scale_shift_descs_of_no_elements, empty_tensors_succeed) {
    for (const dims &sizes : {dims{0, 3, 24}, dims{2, 0, 24}, dims{2, 3, 0}})
        for (const bool forward : {true, false}) {
            execution e(whole_pd({.sizes = sizes, .mask = 1, .forward = forward}));
            EXPECT_OK(e.run());
            if (forward || sizes[1] != 0) continue;
            EXPECT_EQ(e.get(JITNORM_ARG_DIFF_SCALE), std::vector<float>(2 * 24));
        }
}

// There is a group for each row. To visit each of 2^50 would take days.
TEST(scale_shift_descs_of_no_elements, rows_without_elements_take_no_time) {
    constexpr jitnorm_dim_t ROWS = jitnorm_dim_t(1) << 50;
    const owned_md known = make_md({ROWS, 0}, jitnorm_f32, dims{1, 1});
    const owned_md open = make_md({R, R}, jitnorm_f32, dims{R, R});
    const auto request = [&](const_jitnorm_memory_desc_t md) {
        const owned_attr attr = make_attr();
        must(jitnorm_primitive_attr_set_scale_shift_descs(attr, md, md), "row dimensions");
        return forward_request{jitnorm_forward_inference, md, md}.make(CH, attr);
    };
    const owned_pd sizes = request(known);
    EXPECT_OK(execution(sizes).run());
    EXPECT_OK(execution(request(open), sizes).run());
}

} // namespace
