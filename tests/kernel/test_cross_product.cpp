// SPDX-License-Identifier: Apache-2.0
// Types x flags x kinds x layouts x axes x statistics x fused operations x places x sizes x threads: the whole product
// would take days, so each test draws cases from it, always the same ones, and every implementation of the machine must
// give the reference's bits.
#include <array>
#include <cstring>
#include <list>
#include <random>

#include "dispatch/prepare.hpp"
#include "norm/attributes.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::FIRST_POST_OP;
using impl::layer_norm::OMITTABLE;

constexpr unsigned SEED = 20;

// Cases in a fixed order, by a generator whose sequence the standard prescribes.
class picker {
public:
    explicit picker(unsigned seed) : generator_(seed) {}
    size_t below(size_t count) { return generator_() % count; }
    bool toss() { return below(2) == 0; }
    template <typename Values>
    auto one_of(const Values &values) {
        return std::data(values)[below(std::size(values))];
    }

private:
    std::mt19937 generator_;
};

// Around vectors, unrolled loops, blocks and chunks of both instruction sets.
constexpr dim_t LENGTHS[] = {1,  2,  3,  4,  5,  7,  8,  9,   11,  13,  15,  16,  17,  23,  31,   32,   33,  47,
                             48, 49, 63, 64, 65, 80, 96, 127, 128, 129, 255, 257, 511, 512, 1000, 4097, 9001};
constexpr dim_t ROWS[] = {1, 2, 3, 5, 8, 17, 40};

// By number of dimensions from 1 on; "dense" comes often, since it has code of its own.
const std::vector<std::string> LAYOUTS[] = {
    {"dense", "gap", "spread", "a"},
    {"dense", "dense", "dense+7", "gap", "gap+7", "spread", "woven", "ba", "aB8b", "AB16b16a", "AB16a16b"},
    {"dense", "dense", "gap", "woven", "cba", "bac", "acb", "aBc8b", "aBc16b", "aBC8b8c+7", "ABc16a16b"},
    {"dense", "gap", "woven", "acdb", "dcba", "aBcd8b", "abdc"},
};

std::vector<dim_t> pick_dims(picker &pick) {
    const size_t outer = pick.below(3);
    std::vector<dim_t> dims;
    for (size_t d = 0; d < outer; ++d) dims.push_back(dim_t(1 + pick.below(4)));
    dims.push_back(pick.one_of(ROWS));
    const dim_t length = pick.one_of(LENGTHS);
    dims.push_back(length > 1000 && outer > 0 ? 1000 : length);
    return dims;
}

std::string pick_layout(picker &pick, size_t rank) { return pick.one_of(LAYOUTS[rank - 1]); }

setup pick_setup(picker &pick, bool forward) {
    setup s;
    s.dims = pick_dims(pick);
    const size_t rank = s.dims.size();
    const types &of_rows = forward ? ROW_TYPES : FLOATING;
    const bool first = pick.toss();
    s.kind = forward ? first ? jitnorm_forward_training : jitnorm_forward_inference
                     : (first ? jitnorm_backward : jitnorm_backward_data);
    s.flags = unsigned(pick.below(8)) | (pick.toss() ? unsigned(jitnorm_rms_norm) : 0);
#define FLAG(...)
#define AFFINE_FLAG(name, number, letter, needed)                                                                      \
    if ((s.flags & jitnorm_##needed) == unsigned(jitnorm_##needed) && pick.toss()) s.flags |= jitnorm_##name;
#include "../../tables/normalization_flags.inc"
    s.src = pick_layout(pick, rank);
    s.dst = pick_layout(pick, rank);
    s.diff_src = pick_layout(pick, rank);
    s.src_type = pick.one_of(of_rows);
    s.dst_type = pick.one_of(of_rows);
    s.diff_src_type = pick.one_of(of_rows);
    s.affine_type = s.src_type == jitnorm_f64 && pick.toss() ? jitnorm_f64 : pick.one_of(AFFINE_TYPES);
    s.gradient_type = pick.one_of(AFFINE_TYPES);
    s.axes = int(1 + pick.below(rank - 1));
    s.statistics = pick_layout(pick, rank - size_t(s.axes));
    s.statistics_type = pick.one_of(AFFINE_TYPES);
    s.form = pick.toss() ? statistics_form::variance : statistics_form::inverse_deviation;
    s.side = pick.toss() ? guard_side::before : guard_side::after;
    s.seed = unsigned(pick.below(1000));
    if (pick.below(8) == 0) s.omitted = unsigned(pick.below(1U << FIRST_POST_OP)) & OMITTABLE;
    s.scale_is_ones = (s.flags & jitnorm_scale_plus_one) == 0 && pick.below(8) == 0;
    return s;
}

// ---------------------------------------------------------------- fused operations

impl::post_op pick_post_op(picker &pick, const setup &s) {
    switch (pick.below(3)) {
    case 0:
        return impl::sum_post_op{0.5F};
    case 1:
        return impl::eltwise_post_op{pick.one_of(impl::ELTWISE_ALGORITHMS), 0.5F, 1.5F};
    default:
        std::vector<dim_t> dims = s.dims;
        for (dim_t &d : dims) d = pick.toss() ? d : 1;
        return impl::binary_post_op{pick.one_of(impl::BINARY_ALGORITHMS),
                                    make_layout(pick_layout(pick, dims.size()), dims, pick.one_of(OPERAND_TYPES))};
    }
}

void pick_attributes(picker &pick, setup &s) {
    s.attr.src_scale = pick.below(4) == 0;
    s.attr.dst_scale = pick.below(4) == 0;
    for (size_t i = pick.below(4); i > 0; --i) s.attr.post_ops.entries.push_back(pick_post_op(pick, s));
    if (pick.below(4) == 0) {
        s.pre_quantization = pick_layout(pick, s.dims.size());
        s.pre_quantization_type = pick.one_of(FLOATING);
    }
    if (pick.below(4) == 0) { // scales that are found
        s.dst_type = pick.one_of(QUANTIZED);
        s.attr.dst_scale = false;
        const dim_t C = s.dims.back(), groups = pick.toss() && s.axes == 1 && C % 4 == 0 ? C / 4 : 1;
        std::vector<dim_t> dims = s.dims;
        std::fill(dims.end() - s.axes, dims.end(), 1);
        dims.back() = groups;
        s.dynamic_scales = make_layout(s.axes == 1 ? pick_layout(pick, dims.size()) : "dense", dims, jitnorm_f32);
    }
}

void pick_residual(picker &pick, setup &s, bool forward) {
    const size_t rank = s.dims.size();
    const types &of_rows = forward ? ROW_TYPES : FLOATING;
    s.residual.sum = pick.below(4) == 0 && forward ? "" : pick_layout(pick, rank);
    s.residual.sum_type = pick.one_of(of_rows);
    if (!forward) return;
    s.residual.added = pick_layout(pick, rank);
    s.residual.type = pick.one_of(of_rows);
    if (pick.toss()) s.residual.bias_type = pick.one_of(AFFINE_TYPES);
    if (pick.below(3) == 0) s.residual.gate_type = pick.one_of(AFFINE_TYPES);
    s.residual.rounded = !s.residual.sum.empty() && pick.toss();
    s.residual.silu = pick.below(4) == 0;
}

// dst or diff_src in the place of an input, and the sum in that of the residual, or diff_src in that of its gradient.
void pick_places(picker &pick, setup &s, bool forward) {
    if (pick.below(4) == 0) {
        s.in_place = true;
        (forward ? s.dst : s.diff_src) = forward ? s.src : s.dst;
        (forward ? s.dst_type : s.diff_src_type) = forward ? s.src_type : s.dst_type;
    }
    if (s.residual.sum.empty() || pick.below(4) != 0 || (s.in_place && !forward)) return;
    s.residual.in_place = true;
    (forward ? s.residual.sum : s.diff_src) = forward ? s.residual.added : s.residual.sum;
    (forward ? s.residual.sum_type : s.diff_src_type) = forward ? s.residual.type : s.residual.sum_type;
}

// Problems without dst, and columns of longer rows.
void pick_parts(picker &pick, setup &s) {
    if (pick.below(8) == 0) {
        s.kind = jitnorm_forward_training;
        s.flags &= unsigned(jitnorm_rms_norm);
        s.omitted = bit_of(DST) | (pick.below(4) == 0 ? bit_of(MEAN) : 0);
        s.attr = {};
        s.dynamic_scales = {};
        s.pre_quantization = "";
        s.in_place = false;
    }
    if (pick.below(8) != 0) return;
    dim_t columns = 1;
    for (size_t d = s.dims.size() - size_t(s.axes); d < s.dims.size(); ++d) columns *= s.dims[d];
    s.all_columns = columns + 100;
    s.flags &= ~unsigned(jitnorm_use_global_stats);
    if ((s.omitted & bit_of(DST)) != 0) s.omitted |= bit_of(MEAN) | bit_of(VARIANCE);
}

// ---------------------------------------------------------------- to the bit

// Copies of a run's tensors at odd addresses: guarded memory ends with a page, so that of an odd size begins there. The
// sanitizer of undefined behaviour finds accesses that processors forgive.
std::list<guarded_buffer> move_to_odd_addresses(run &r) {
    std::list<guarded_buffer> places;
    for (const std::vector<slot> &slots : {r.read(), r.written()})
        for (const slot each : slots) {
            const size_t size = bytes(r[each].md());
            guarded_buffer &place = places.emplace_back(size + (size + 1) % 2);
            if (size != 0) std::memcpy(place.data(), r[each].data(), size);
            r[each] = tensor(r[each].md(), place.data());
        }
    return places;
}

// The bits of the same problem where no tensors share memory, which matters only to a sum post-op, and with dst, which
// does not change statistics.
outputs expected_of(setup s) {
    if ((s.omitted & bit_of(DST)) != 0 && s.all_columns < 0) {
        s.omitted &= ~bit_of(DST);
        outputs all = expected_of(s);
        all[DST].clear();
        return all;
    }
    const auto &post_ops = s.attr.post_ops.entries;
    const bool adds_dst = std::any_of(post_ops.begin(), post_ops.end(), [](const impl::post_op &op) {
        return std::holds_alternative<impl::sum_post_op>(op);
    });
    if (!adds_dst) s.in_place = s.residual.in_place = false;
    return outputs_by(reference_entry, s);
}

struct ways {
    int threads;
    bool late_sizes, odd_addresses;
    impl::machine on; // what plans are made for
};

void expect_bits(const implementation &entry, const setup &s, const ways &how, const outputs &expected) {
    const thread_count limited(how.threads);
    run r(s);
    std::list<guarded_buffer> places;
    if (how.odd_addresses) places = move_to_odd_addresses(r);
    r.execute_on(entry, how.late_sizes ? sizes_come::at_execution : sizes_come::at_creation, how.on);
    expect_same(outputs_of(r), expected, s,
                std::string(entry.name) + " on " + std::to_string(how.threads) + " threads" +
                    (how.late_sizes ? ", late sizes" : "") + (how.odd_addresses ? ", odd addresses, " : ", ") +
                    describe(how.on));
}

void draw(bool forward, int cases, unsigned seed) {
    picker pick(seed);
    for (int i = 0; i < cases && !testing::Test::HasFailure();) {
        setup s = pick_setup(pick, forward);
        if (forward) pick_attributes(pick, s);
        if (pick.below(4) == 0) pick_residual(pick, s, forward);
        pick_places(pick, s, forward);
        if (forward) pick_parts(pick, s);
        const ways how = {std::array{1, 2, 3, 4, 7}[pick.below(5)], pick.below(4) == 0, pick.below(4) == 0,
                          pick.toss() ? impl::the_machine() : SMALL_CACHES[pick.below(std::size(SMALL_CACHES))]};
        const problem p = make_problem(s);
        if (validate(how.late_sizes ? with_runtime_sizes(p) : p).code != jitnorm_success) continue;
        ++i;
        const outputs expected = expected_of(s);
        for (const implementation &entry : impl::layer_norm::implementations())
            if (entry.refusal(p).empty()) expect_bits(entry, s, how, expected);
    }
}

// Sanitizers see the code around kernels, which the first quarter of the cases reaches.
#ifdef JITNORM_SANITIZED
constexpr int PARTS = 4;
#else
constexpr int PARTS = 1;
#endif

TEST(cross_product, forward) { draw(true, 4000 / PARTS, SEED); }
TEST(cross_product, backward) { draw(false, 2500 / PARTS, SEED); }

} // namespace
} // namespace jitnorm::tests
