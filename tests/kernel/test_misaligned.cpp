// SPDX-License-Identifier: Apache-2.0
// Every tensor at an odd address: the same bits. The undefined-behaviour sanitizer sees what the processor forgives.
#include <cstring>
#include <list>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

// A copy of some bytes at an odd address: guarded memory ends with a page, so that of an odd size begins there.
class odd_memory {
public:
    odd_memory(const void *from, size_t bytes) : buffer_(bytes + (bytes + 1) % 2) {
        if (bytes != 0) std::memcpy(data(), from, bytes);
    }
    void *data() const { return buffer_.data(); }

private:
    guarded_buffer buffer_;
};

// The problem on tensors that are aligned, and on copies of these that are not.
void expect_same_at_odd_addresses(const implementation &entry, const setup &s) {
    run aligned(s), misaligned(s);
    std::list<odd_memory> copies;
    for (const std::vector<slot> &slots : {misaligned.read(), misaligned.written()})
        for (const slot each : slots) {
            tensor &t = misaligned[each];
            t = tensor(t.md(), copies.emplace_back(t.data(), bytes(t.md())).data());
        }
    misaligned.execute_on(entry);
    aligned.execute_on(entry);
    expect_same(outputs_of(misaligned), outputs_of(aligned), s, entry.name);
}

const setup PLACES[] = {
    {.dims = {7, 70}},
    {.dims = {40, 3}},
    {.dims = {3, 5, 40}, .src = "cba", .dst = "bac", .statistics = "ba", .diff_src = "cba"},
    {.dims = {3, 5, 40}, .src = "aBc8b", .dst = "abc", .statistics = "aB8b", .diff_src = "aBC8b8c"},
    {.dims = {3, 5000}, .statistics = "gap"},
};

class misaligned_on : public on_isa {};

TEST_P(misaligned_on, tensors_of_every_kind) {
    for (setup s : PLACES)
        for (const auto kind : {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward})
            for (const unsigned flags : {6U, 7U})
                for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
                    for (const auto data : {jitnorm_f32, jitnorm_bf16, jitnorm_f64}) {
                        s.kind = kind;
                        s.flags = flags;
                        s.statistics_type = s.affine_type = type;
                        s.src_type = s.dst_type = s.diff_src_type = data;
                        expect_same_at_odd_addresses(reference_entry, s);
                        expect_same_at_odd_addresses(jit_for(GetParam()), s);
                    }
}

TEST_P(misaligned_on, attribute_scales) {
    setup s{.dims = {5, 70}, .src_type = jitnorm_s8, .dst_type = jitnorm_s8};
    s.attr.src_scale = s.attr.dst_scale = true;
    expect_same_at_odd_addresses(reference_entry, s);
    expect_same_at_odd_addresses(jit_for(GetParam()), s);
}

// A residual and its bias, the two outputs beside dst, and the tensors of post-ops: rows where they are, and in tiles.
TEST_P(misaligned_on, tensors_of_attributes) {
    for (const char *layout : {"dense", "ba"})
        for (const dim_t columns : {3, 70, 5000})
            for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64}) {
                setup s{.dims = {6, columns}, .src = layout, .src_type = type, .dst_type = jitnorm_f32};
                s.residual = {.added = layout, .sum = layout, .type = type, .sum_type = type};
                s.residual.bias_type = jitnorm_bf16;
                s.pre_quantization = layout;
                s.pre_quantization_type = jitnorm_f16;
                for (const std::vector<dim_t> &dims : {std::vector<dim_t>{6, columns}, {1, columns}, {6, 1}})
                    s.attr.post_ops.entries.emplace_back(
                        impl::binary_post_op{jitnorm_binary_add, make_layout(layout, dims, type)});
                expect_same_at_odd_addresses(reference_entry, s);
                expect_same_at_odd_addresses(jit_for(GetParam()), s);
            }
}

TEST_P(misaligned_on, scales_that_are_found) {
    for (const char *layout : {"dense", "ba"})
        for (const dim_t per_row : {1, 10}) {
            setup s{.dims = {6, 70}, .src = layout, .dst = layout, .dst_type = jitnorm_s8};
            s.dynamic_scales = scales_of(s.dims, per_row);
            expect_same_at_odd_addresses(reference_entry, s);
            expect_same_at_odd_addresses(jit_for(GetParam()), s);
        }
}

TEST_P(misaligned_on, the_gradient_of_a_sum) {
    for (const char *layout : {"dense", "ba"})
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64}) {
            setup s{.kind = jitnorm_backward, .dims = {6, 70}, .src = layout, .dst = layout, .diff_src = layout};
            s.residual.sum = layout;
            s.residual.sum_type = type;
            expect_same_at_odd_addresses(reference_entry, s);
            expect_same_at_odd_addresses(jit_for(GetParam()), s);
        }
}

INSTANTIATE_TEST_SUITE_P(native, misaligned_on, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
