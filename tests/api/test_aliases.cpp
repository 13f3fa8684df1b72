// SPDX-License-Identifier: Apache-2.0
// Arguments of a primitive that share memory: every pair and every three of them, for primitives that together have
// all arguments. An execution is either refused, with a reason that names both arguments, and writes nothing; or it has
// the bits that separate buffers of the same contents have.
#include <cstring>
#include <functional>
#include <set>
#include <string>

#include "residual_model.hpp"

using namespace jitnorm::tests;

namespace {

constexpr size_t BYTES = 65536; // of each buffer
constexpr int DST_SCALE = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST;
constexpr unsigned SCALE_SHIFT = jitnorm_use_scale | jitnorm_use_shift;

struct alias_case {
    const char *name;
    std::set<int> outputs;
    std::set<std::pair<int, int>> in_place; // output, input
    std::function<owned_pd()> make;
};

owned_pd make_forward(jitnorm_prop_kind_t kind, jitnorm_data_type_t src, jitnorm_data_type_t dst,
                      const owned_attr &attr, unsigned flags = SCALE_SHIFT) {
    const owned_md from = make_md(SIZES, src), to = make_md(SIZES, dst);
    return forward_request{kind, from, to}.make(flags, attr);
}

void append(const owned_attr &attr, const std::function<jitnorm_status_t(jitnorm_post_ops_t)> &add) {
    const owned_post_ops post_ops = make_post_ops();
    EXPECT_OK(add(post_ops));
    EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
}

// A residual, a bias, a sum, a pre-quantization output, tensors of post-ops and the caller's scratchpad.
owned_pd with_all_attributes() {
    const owned_md data = make_md(SIZES, jitnorm_f32), row = make_md({1, 1, SIZES[2]}, jitnorm_f32);
    const owned_attr attr = with_residual(data, data, jitnorm_f32);
    EXPECT_OK(jitnorm_primitive_attr_set_pre_quantization_dst(attr, data));
    EXPECT_OK(jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_user));
    append(attr, [&](jitnorm_post_ops_t post_ops) {
        EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_mul, data));
        return jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, row);
    });
    return make_forward(jitnorm_forward_training, jitnorm_f32, jitnorm_f32, attr);
}

owned_pd with_dynamic_scales() {
    const owned_md half = make_md(SIZES, jitnorm_bf16), row = make_md({1, 1, SIZES[2]}, jitnorm_f32);
    const owned_attr attr = with_residual(half, half);
    EXPECT_OK(jitnorm_primitive_attr_set_scales_v3(attr, JITNORM_ARG_DST, 3, 0, nullptr, jitnorm_f32, 0,
                                                   jitnorm_quantization_mode_dynamic_amax));
    EXPECT_OK(jitnorm_primitive_attr_set_pre_quantization_dst(attr, half));
    append(attr, [&](jitnorm_post_ops_t p) { return jitnorm_post_ops_append_binary(p, jitnorm_binary_mul, row); });
    return make_forward(jitnorm_forward_inference, jitnorm_s8, jitnorm_s8, attr);
}

owned_pd with_given_scales() {
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0));
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_DST, 0));
    append(attr, [](jitnorm_post_ops_t p) { return jitnorm_post_ops_append_sum(p, 0.5F, 0, jitnorm_s8); });
    return make_forward(jitnorm_forward_inference, jitnorm_s8, jitnorm_s8, attr,
                        SCALE_SHIFT | jitnorm_use_global_stats);
}

owned_pd with_gradient_of_sum() {
    const owned_md data = make_md(SIZES, jitnorm_f32);
    const owned_attr attr = with_residual(data, data);
    return backward_request{jitnorm_backward, data, data, data}.make(SCALE_SHIFT, attr);
}

const alias_case CASES[] = {
    {"all attributes",
     {JITNORM_ARG_DST, JITNORM_ARG_DST_1, JITNORM_ARG_DST_2, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE,
      JITNORM_ARG_SCRATCHPAD},
     {{JITNORM_ARG_DST, JITNORM_ARG_SRC}, {JITNORM_ARG_DST_1, JITNORM_ARG_SRC_1}},
     with_all_attributes},
    {"dynamic scales",
     {JITNORM_ARG_DST, JITNORM_ARG_DST_1, JITNORM_ARG_DST_2, DST_SCALE},
     {{JITNORM_ARG_DST, JITNORM_ARG_SRC}, {JITNORM_ARG_DST_1, JITNORM_ARG_SRC_1}},
     with_dynamic_scales},
    {"given scales", {JITNORM_ARG_DST}, {{JITNORM_ARG_DST, JITNORM_ARG_SRC}}, with_given_scales},
    {"backward",
     {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT},
     {{JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST}, {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST_1}},
     with_gradient_of_sum},
};

using buffers = std::map<int, std::vector<float>>; // by argument; tensors of other types read the same bytes

class alias_test {
public:
    explicit alias_test(const alias_case &what) : what_(what), run_(what.make()) {
        for (const auto &[arg, tensor] : run_.tensors()) {
            if (arg == JITNORM_ARG_SHIFT && is_output(JITNORM_ARG_DIFF_SRC)) continue; // backward ignores it
            args_.push_back(arg);
            start_[arg] = numbers(unsigned(args_.size()));
            EXPECT_LE(tensor.bytes.size(), BYTES) << arg;
        }
    }

    const std::vector<int> &args() const { return args_; }

    // Executes with the group at one address. Returns whether the execution is accepted.
    bool try_group(const std::vector<int> &group) {
        const int source = source_of(group);
        std::map<int, int> apart, together;
        for (const int arg : args_) apart[arg] = together[arg] = arg;
        buffers before = start_;
        for (const int arg : group) {
            before[arg] = start_[source];
            together[arg] = source;
        }
        buffers expected = before, got = before;
        EXPECT_OK(execute(expected, apart));
        const bool is_accepted = execute(got, together) == jitnorm_success;
        if (!is_accepted) expect_clear(group);
        for (const int arg : args_) {
            if (arg == JITNORM_ARG_SCRATCHPAD) continue;
            const int place = together[arg], written = is_accepted ? output_at(together, place) : NONE;
            const std::vector<float> &wanted = written == NONE ? before[arg] : expected[is_output(arg) ? arg : written];
            EXPECT_TRUE(same_bits(got[place], wanted))
                << what_.name << ": argument " << arg << " differs with one address for " << text(group);
        }
        return is_accepted;
    }

    bool may_share(const std::vector<int> &group) const {
        for (const int a : group)
            for (const int b : group)
                if (a != b && is_output(a) && !what_.in_place.contains({a, b})) return false;
        return true;
    }

    std::string text(const std::vector<int> &group) const {
        std::string result;
        for (const int arg : group) result += std::to_string(arg) + " ";
        return result;
    }

private:
    static constexpr int NONE = -1;

    bool is_output(int arg) const { return what_.outputs.contains(arg); }
    int output_at(const std::map<int, int> &places, int place) const {
        for (const auto &[arg, at] : places)
            if (at == place && is_output(arg)) return arg;
        return NONE;
    }
    int source_of(const std::vector<int> &group) const {
        for (const int arg : group)
            if (!is_output(arg)) return arg;
        return group.front();
    }

    static std::vector<float> numbers(unsigned seed) {
        std::vector<float> result(BYTES / sizeof(float));
        unsigned state = seed * 2654435761U + 1;
        for (float &value : result) {
            state = state * 1664525U + 1013904223U;
            value = 0.5F + float(state >> 8) / 16777216.0F;
        }
        return result;
    }
    static bool same_bits(const std::vector<float> &a, const std::vector<float> &b) {
        return std::memcmp(a.data(), b.data(), BYTES) == 0;
    }

    jitnorm_status_t execute(buffers &data, const std::map<int, int> &places) {
        for (const int arg : args_)
            EXPECT_OK(jitnorm_memory_set_data_handle(run_.tensors().at(arg).memory, data.at(places.at(arg)).data()));
        return run_.run();
    }

    void expect_clear(const std::vector<int> &group) const {
        const std::string reason = jitnorm_get_last_error();
        EXPECT_NE(reason.find(" is an output and has the memory of "), reason.npos) << text(group) << reason;
    }

    const alias_case &what_;
    execution run_;
    std::vector<int> args_;
    buffers start_;
};

void try_all(const alias_case &what) {
    alias_test test(what);
    const auto try_one = [&](const std::vector<int> &group) {
        EXPECT_EQ(test.try_group(group), test.may_share(group)) << what.name << ": " << test.text(group);
    };
    const std::vector<int> &args = test.args();
    for (size_t a = 0; a < args.size(); ++a)
        for (size_t b = a + 1; b < args.size(); ++b) {
            try_one({args[a], args[b]});
            for (size_t c = b + 1; c < args.size(); ++c) try_one({args[a], args[b], args[c]});
        }
}

TEST(aliases, of_all_pairs_of_arguments) {
    for (const jitnorm_cpu_isa_t isa : {jitnorm_cpu_isa_sse41, jitnorm_cpu_isa_default}) {
        ASSERT_OK(jitnorm_set_max_cpu_isa(isa));
        for (const alias_case &what : CASES) try_all(what);
    }
}

} // namespace
