// SPDX-License-Identifier: Apache-2.0
// Elements further apart than 2^31 and 2^32 elements and bytes, in memory of which only the touched pages exist: rows
// far from each other, and columns far from each other.
#include <sys/mman.h>

#include "../reference/run.hpp"
#include "primitive/ranking.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::implementation;

constexpr dim_t FAR = (dim_t(1) << 32) / 2 + 4096; // elements; of bytes, more than 2^32

class sparse_memory {
public:
    explicit sparse_memory(const memory_desc &md)
        : md_(md), bytes_(bytes(md)),
          data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    sparse_memory(const sparse_memory &) = delete;
    sparse_memory &operator=(const sparse_memory &) = delete;
    ~sparse_memory() {
        if (exists()) munmap(data_, bytes_);
    }
    bool exists() const { return data_ != MAP_FAILED; }
    void *data() const { return data_; }
    float &element(dim_t i) const { return static_cast<float *>(data_)[impl::offset_of_index(md_, i)]; }

private:
    memory_desc md_;
    size_t bytes_;
    void *data_;
};

struct strides_of {
    dim_t row, column;
};

memory_desc matrix(dim_t rows, dim_t columns, strides_of strides) {
    const dim_t dims[] = {rows, columns}, steps[] = {strides.row, strides.column};
    memory_desc md;
    EXPECT_EQ(impl::make_with_strides(md, 2, dims, jitnorm_f32, steps), jitnorm_success);
    return md;
}

// Dense tensors, and the same with the problem's src, dst and gradients far apart.
void expect_equal_to_dense(jitnorm_prop_kind_t kind, dim_t rows, dim_t columns, strides_of strides) {
    run near({.kind = kind, .dims = {rows, columns}});
    const memory_desc far = matrix(rows, columns, strides);
    const sparse_memory src(far), diff_dst(far), result(far);
    if (!src.exists() || !diff_dst.exists() || !result.exists()) GTEST_SKIP() << "no address space";
    const auto copy = [&](const tensor &from, const sparse_memory &to) {
        const std::vector<double> values = from.values();
        for (size_t i = 0; i < values.size(); ++i) to.element(dim_t(i)) = float(values[i]);
    };
    copy(near.src, src);
    if (near.diff_dst.exists()) copy(near.diff_dst, diff_dst);
    for (const implementation &entry : impl::layer_norm::implementations()) {
        problem p = near.p;
        p.src = p.dst = p.diff_dst = p.diff_src = far;
        if (!entry.refusal(p).empty()) continue;
        run expected({.kind = kind, .dims = {rows, columns}});
        expected.execute();
        arguments args = near.make_arguments();
        args.set(SRC, src.data());
        args.set(DIFF_DST, diff_dst.data());
        args.set(DST, result.data());
        args.set(DIFF_SRC, result.data());
        const guarded_buffer scratchpad(entry.scratchpad_bytes(p), guard_side::before);
        args.set(SCRATCHPAD, scratchpad.data());
        ASSERT_EQ(entry.create(p)->execute(args), jitnorm_success);
        const std::vector<double> values = expected.result().values();
        for (size_t i = 0; i < values.size(); ++i)
            ASSERT_EQ(double(result.element(dim_t(i))), values[i]) << entry.name << ", element " << i;
        if (near.diff_scale.exists()) {
            EXPECT_EQ(near.diff_scale.values(), expected.diff_scale.values()) << entry.name;
        }
    }
}

class far_offsets : public testing::TestWithParam<jitnorm_prop_kind_t> {};

TEST_P(far_offsets, of_rows) { expect_equal_to_dense(GetParam(), 3, 100, {FAR, 1}); }
TEST_P(far_offsets, of_columns) { expect_equal_to_dense(GetParam(), 5, 3, {1, FAR}); }
TEST_P(far_offsets, of_both) { expect_equal_to_dense(GetParam(), 2, 3, {FAR, 2 * FAR}); }

INSTANTIATE_TEST_SUITE_P(kinds, far_offsets,
                         testing::Values(jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward,
                                         jitnorm_backward_data));

} // namespace
} // namespace jitnorm::tests
