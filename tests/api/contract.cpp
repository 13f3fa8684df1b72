// SPDX-License-Identifier: Apache-2.0
// The primitives' adapter for the contract of every front end (support/contract.hpp), and promises of their own.
#include "support/contract.hpp"
#include "primitives_with_all.hpp"
#include "runtime_requests.hpp"
#include "support/allocation_failures.hpp"

using namespace jitnorm::tests;

namespace {

jitnorm_status_t append_one(jitnorm_post_ops_t *made) {
    const jitnorm_status_t status = jitnorm_post_ops_create(made);
    return status == jitnorm_success ? jitnorm_post_ops_append_sum(*made, 1, 0, jitnorm_data_type_undef) : status;
}

jitnorm_status_t create_with(jitnorm_primitive_desc_t *made, const owned_md &data, const owned_attr &attr) {
    forward_request request{jitnorm_forward_inference, data, data};
    request.attr = attr;
    return request.create(made);
}

jitnorm_status_t create_anew(jitnorm_primitive_t *made, const owned_pd &pd) {
    const without_caches now; // kernels are made anew each time
    return jitnorm_primitive_create(made, pd);
}

std::vector<creation> creations() {
    static const owned_md data = make_md({3, 8}, jitnorm_f32);
    static const owned_attr attr = make_attr();
    append(attr, [](jitnorm_post_ops_t p) { return jitnorm_post_ops_append_eltwise(p, jitnorm_eltwise_relu, 0, 0); });
    static const owned_pd forward = forward_request{jitnorm_forward_training, data, data}.make(),
                          backward = backward_request{jitnorm_backward, data, data, data}.make(CH);
    return {CREATES(owned_stream, jitnorm_stream_create(made, cpu(), jitnorm_stream_in_order)),
            CREATES(owned_md, jitnorm_memory_desc_create_with_tag(made, 3, SIZES.data(), jitnorm_f32, jitnorm_abc)),
            CREATES(owned_memory, jitnorm_memory_create(made, data, cpu(), JITNORM_MEMORY_ALLOCATE)),
            CREATES(owned_attr, jitnorm_primitive_attr_clone(made, attr)),
            CREATES(owned_post_ops, append_one(made)),
            CREATES(owned_pd, create_with(made, data, attr)),
            CREATES(owned_primitive, create_anew(made, forward)),
            CREATES(owned_primitive, create_anew(made, backward))};
}

// `sizes` is of a primitive with sizes for one that learns them at execution only.
ready_call call_of(const primitive_case &what, const owned_pd &pd, const owned_pd &sizes, bool has_scratchpad = true) {
    const auto e = std::make_shared<execution>(pd, sizes);
    ready_call call = {.name = what.name, .has_scratchpad = has_scratchpad};
    std::vector<int> args;
    size_t bytes = 0; // of each buffer
    for (const auto &[arg, tensor] : e->tensors()) bytes = std::max(bytes, tensor.bytes.size());
    for (const auto &[arg, tensor] : e->tensors()) {
        if (arg == JITNORM_ARG_SHIFT && what.outputs.contains(JITNORM_ARG_DIFF_SRC)) continue; // backward ignores it
        args.push_back(arg);
        call.tensors.push_back({std::to_string(arg), what.outputs.contains(arg) ? '>' : '<',
                                numbers(bytes, unsigned(args.size())), arg != JITNORM_ARG_SCRATCHPAD});
    }
    const auto place_of = [&](int arg) { return size_t(std::find(args.begin(), args.end(), arg) - args.begin()); };
    for (const auto &[output, input] : what.in_place) call.in_place.emplace(place_of(input), place_of(output));
    call.bind = [e, args](std::vector<buffer> &buffers, const std::vector<size_t> &places) -> std::function<int()> {
        for (size_t i = 0; i < args.size(); ++i)
            EXPECT_OK(jitnorm_memory_set_data_handle(e->tensors().at(args[i]).memory, buffers[places[i]].data()));
        return [e, list = e->args()] { return e->run(list); };
    };
    return call;
}

// Sizes that come with the execution are no reason to allocate, but for the reference.
std::vector<std::function<ready_call()>> calls() {
    const std::set<std::pair<int, int>> forward = {{JITNORM_ARG_DST, JITNORM_ARG_SRC}},
                                        backward = {{JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST}};
    const std::set<int> outputs = {JITNORM_ARG_DST, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE},
                        gradients = {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT};
    const bool has_code = jitnorm_get_effective_cpu_isa() != jitnorm_cpu_isa_sse41;
    std::vector<std::function<ready_call()>> all;
    for (const primitive_case &what : CASES) all.push_back([&what] { return call_of(what, what.make(), what.make()); });
    const auto add = [&](const char *name, jitnorm_prop_kind_t kind, const layout &how, const dims &sizes) {
        const bool is_backward = kind == jitnorm_backward, is_open = sizes[0] == R;
        const request known = {kind, is_backward ? CH : 0, {30, 40}, how, how},
                      asked = {kind, known.flags, sizes, how, how};
        const primitive_case what = {name, is_backward ? gradients : outputs, is_backward ? backward : forward, {}};
        all.push_back([=] { return call_of(what, asked.create(), known.create(), !is_open); });
    };
    add("forward", jitnorm_forward_training, {}, {30, 40});
    add("backward", jitnorm_backward, {}, {30, 40});
    add("packed rows", jitnorm_forward_inference, tag(jitnorm_ba), {30, 40});
    if (!has_code) return all;
    add("run-time sizes", jitnorm_forward_training, tag(jitnorm_ab), {R, R});
    add("run-time sizes of packed rows", jitnorm_forward_training, tag(jitnorm_ba), {R, R});
    return all;
}

struct kind_and_flags {
    jitnorm_prop_kind_t kind;
    unsigned flags;
};
constexpr kind_and_flags KINDS[] = {{jitnorm_forward_training, C | H},
                                    {jitnorm_forward_inference, G | C},
                                    {jitnorm_backward, C | H},
                                    {jitnorm_backward, M | C},
                                    {jitnorm_backward_data, C}};

jitnorm_status_t create(const kind_and_flags &how, const owned_md &src, const owned_md &dst) {
    owned_pd pd;
    forward_request forward{how.kind, src, dst};
    backward_request backward{how.kind, dst, dst, src};
    forward.flags = backward.flags = how.flags;
    const bool is_backward = how.kind == jitnorm_backward || how.kind == jitnorm_backward_data;
    return is_backward ? backward.create(&pd) : forward.create(&pd);
}

std::vector<refusal> refusals() {
    const struct {
        const char *what;
        dims sizes;
        layout how;
    } cases[] = {{"vectors", {0, jitnorm_dim_t(1) << 61}, {}}, // a scale of 2^61 floats has 2^63 bytes
                 {"vectors at the edge", {0, LARGEST}, {}},
                 {"statistics", {jitnorm_dim_t(1) << 60, 0}, {}},
                 {"tensors", {2, jitnorm_dim_t(1) << 55}, {}},
                 {"between rows", {2, 8}, strides({jitnorm_dim_t(1) << 58, 1})},
                 {"beside run-time sizes", {R, jitnorm_dim_t(1) << 61}, {}}};
    std::vector<refusal> all;
    const auto add = [&](const char *what, const char *reason, std::function<int()> make) {
        all.push_back({what, INVALID, reason, std::move(make)});
    };
    for (const auto &[what, sizes, how] : cases)
        for (const kind_and_flags &kind : KINDS)
            add(what, "too large to be addressed", [=, sizes = sizes, how = how] {
                const owned_md data = how.of(sizes, jitnorm_f32);
                return create(kind, data, data);
            });
    add("an undecided layout whose blocks round up too far", "", [] {
        return create({jitnorm_forward_inference, 0}, make_md({0, 8}, jitnorm_f32, jitnorm_aB8b),
                      make_md({0, LARGEST - 1}, jitnorm_f32, jitnorm_format_tag_any));
    });
    add("undecided statistics that do not fit", "", [] {
        const owned_md data = make_md({LARGEST, 0}, jitnorm_u8);
        return create({jitnorm_forward_training, 0}, data, data);
    });
    return all;
}

// By one primitive of each implementation.
written execute_each(const request &asked, const request &known) {
    const owned_pd pd = asked.create(), sizes = known.create();
    written found;
    do {
        execution run(pd, sizes);
        EXPECT_OK(run.run()) << implementation_of(pd);
        if (asked.kind != jitnorm_forward_training || known.sizes.back() != 0) continue;
        for (const float mean : run.get(JITNORM_ARG_MEAN)) found.zeros.push_back(double(mean));
        for (const float variance : run.get(JITNORM_ARG_VARIANCE)) found.nans.push_back(double(variance));
    } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
    return found;
}

std::vector<empty_case> empty_cases() {
    const struct {
        dims sizes, src, dst;
    } cases[] = {{{3, 0}, {0, 1}, {0, 1}}, // as frameworks compute them: products of the sizes further in
                 {{2, 3, 0, 4}, {0, 0, 4, 1}, {0, 0, 4, 1}},
                 {{3, 0}, {LARGEST / 2, 1}, {LARGEST, 1}},
                 {{3, 0}, {LARGEST, 2}, {LARGEST, 3}}, // packed
                 {{0, 3}, {1, LARGEST}, {LARGEST, LARGEST}},
                 {{3, 5, 0, 2}, {LARGEST, LARGEST - 1, 1, LARGEST / 3}, {LARGEST / 5, 0, 0, 7}},
                 // never stepped along, because there is one index
                 {{1, 8}, {LARGEST, 1}, {LARGEST, 1}},
                 {{2, 1, 8}, {16, LARGEST, 2}, {8, LARGEST, 1}},
                 {{5, 1}, {2, LARGEST}, {1, LARGEST}}};
    std::vector<empty_case> all;
    const auto add = [&](const request &asked, const request &known) {
        all.push_back({testing::PrintToString(known.src.strides), [=] { return execute_each(asked, known); }});
    };
    for (const auto &[kind, flags] : KINDS) {
        for (const auto &[sizes, src, dst] : cases) {
            const request known = {kind, flags, sizes, strides(src), strides(dst)};
            add(known, known);
        }
        const layout open = strides({R, R}), wide = strides({LARGEST, 2});
        for (const dims &sizes : {dims{3, 0}, dims{0, 3}})
            add({kind, flags, {R, R}, open, open}, {kind, flags, sizes, wide, wide});
    }
    return all;
}

TEST(sizes, that_memory_could_have) {
    const owned_md data = make_md({0, jitnorm_dim_t(1) << 50}, jitnorm_f32);
    const owned_pd pd = backward_request{jitnorm_backward, data, data, data}.make(C);
    EXPECT_EQ(jitnorm_memory_desc_get_size(jitnorm_primitive_desc_query_md(pd, jitnorm_query_diff_weights_md, 0)),
              size_t(1) << 52);
    make_primitive(pd);
}

// Whoever asks how much scratchpad it takes gets an answer.
TEST(sizes, the_largest) {
    const jitnorm_dim_t most = jitnorm_dim_t(1) << 53;
    for (const dims &sizes : {dims{1, most}, dims{most, 1}, dims{most / 64, 64}, dims{64, most / 64}})
        for (const layout &how : {layout{}, tag(jitnorm_ba)})
            for (const auto &[kind, flags] : KINDS)
                for (const auto type : {jitnorm_f32, jitnorm_f64}) {
                    const owned_pd pd = request{kind, flags, sizes, how, how, type}.create();
                    do {
                        int64_t bytes = -1;
                        EXPECT_OK(jitnorm_primitive_desc_query(pd, jitnorm_query_memory_consumption_s64, 0, &bytes));
                        EXPECT_GE(bytes, 0);
                    } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
                }
}

} // namespace

front_end jitnorm::tests::adapter() {
    return {"primitive,exec,cpu,layer_normalization,", creations(), INVALID, calls(), false, refusals(), empty_cases()};
}
