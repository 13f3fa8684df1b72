// SPDX-License-Identifier: Apache-2.0
// Every tensor at an odd address: the same bits. The undefined-behaviour sanitizer sees what the processor forgives.
#include "whole_run.hpp"

namespace jitnorm::tests {
namespace {

// A copy of some bytes at an odd address: guarded memory ends with a page, so that of an odd size begins there.
class odd_memory {
public:
    odd_memory(const void *from, size_t bytes) : bytes_(bytes), buffer_(bytes + (bytes + 1) % 2) {
        if (bytes != 0) std::memcpy(data(), from, bytes);
    }
    void *data() const { return buffer_.data(); }
    bool has_bytes_of(const void *other) const { return bytes_ == 0 || std::memcmp(data(), other, bytes_) == 0; }

private:
    size_t bytes_;
    guarded_buffer buffer_;
};

// The problem on tensors that are aligned, and on copies of these that are not.
void expect_same_at_odd_addresses(const implementation &entry, const setup &s) {
    run aligned(s);
    arguments args = aligned.make_arguments();
    std::vector<std::pair<const tensor *, odd_memory>> copies;
    const auto move = [&](const tensor &t, impl::layer_norm::slot place) {
        if (!t.exists()) return;
        copies.emplace_back(&t, odd_memory(t.data(), bytes(t.md())));
        args.set(place, copies.back().second.data());
    };
    move(aligned.src, SRC);
    move(aligned.dst, DST);
    move(aligned.mean, MEAN);
    move(aligned.variance, VARIANCE);
    move(aligned.scale, SCALE);
    move(aligned.shift, SHIFT);
    move(aligned.diff_dst, DIFF_DST);
    move(aligned.diff_src, DIFF_SRC);
    move(aligned.diff_scale, DIFF_SCALE);
    move(aligned.diff_shift, DIFF_SHIFT);
    const odd_memory src_scale(&aligned.src_scale, sizeof(float)), dst_scale(&aligned.dst_scale, sizeof(float));
    args.set(SRC_SCALE, static_cast<const float *>(src_scale.data()));
    args.set(DST_SCALE, static_cast<const float *>(dst_scale.data()));
    const guarded_buffer scratchpad(entry.scratchpad_bytes(aligned.p), guard_side::before);
    args.set(SCRATCHPAD, scratchpad.data());
    ASSERT_EQ(entry.create(aligned.p)->execute(args), jitnorm_success);
    aligned.execute_on(entry);
    for (const auto &[t, copy] : copies) EXPECT_TRUE(copy.has_bytes_of(t->data())) << entry.name << ": " << s;
}

const setup PLACES[] = {
    {.dims = {7, 70}},
    {.dims = {40, 3}},
    {.dims = {3, 5, 40}, .src = "cba", .dst = "bac", .statistics = "ba", .diff_src = "cba"},
    {.dims = {3, 5, 40}, .src = "aBc8b", .dst = "abc", .statistics = "aB8b", .diff_src = "aBC8b8c"},
    {.dims = {3, 5000}, .statistics = "gap"},
};

class misaligned_on : public backward_on {};

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
                        expect_same_at_odd_addresses(jit_for(GetParam(), s), s);
                    }
}

TEST_P(misaligned_on, attribute_scales) {
    setup s{.dims = {5, 70}, .src_type = jitnorm_s8, .dst_type = jitnorm_s8};
    s.attr.src_scale = s.attr.dst_scale = true;
    expect_same_at_odd_addresses(reference_entry, s);
    expect_same_at_odd_addresses(jit_for(GetParam(), s), s);
}

INSTANTIATE_TEST_SUITE_P(native, misaligned_on, testing::Values(isa::avx2, isa::avx512), backward_on::name);

} // namespace
} // namespace jitnorm::tests
