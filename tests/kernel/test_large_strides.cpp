// SPDX-License-Identifier: Apache-2.0
// Strides of rows and of columns above 2^31 and 2^32, in elements and in bytes. Only the touched pages of the memory
// exist.
#include <sys/mman.h>

#include "dispatch/ranking.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr dim_t FAR = (dim_t(1) << 32) / 2 + 4096; // elements; of bytes, more than 2^32

class sparse_memory {
public:
    explicit sparse_memory(size_t bytes)
        : bytes_(bytes),
          data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    sparse_memory(const sparse_memory &) = delete;
    sparse_memory &operator=(const sparse_memory &) = delete;
    ~sparse_memory() {
        if (exists()) munmap(data_, bytes_);
    }
    bool exists() const { return data_ != MAP_FAILED; }
    void *data() const { return data_; }

private:
    size_t bytes_;
    void *data_;
};

// Dense tensors, and the same with these strides for src, dst and gradients.
void expect_equal_to_dense(jitnorm_prop_kind_t kind, dim_t rows, dim_t columns, const std::string &strides) {
    const setup dense{.kind = kind, .dims = {rows, columns}};
    setup far = dense;
    far.src = far.dst = far.diff_src = strides;
    const memory_desc md = make_layout(strides, far.dims, jitnorm_f32);
    run expected(dense);
    const std::vector<double> src = expected[SRC].values(), diff_dst = expected[DIFF_DST].values();
    expected.execute();
    for (const implementation &entry : impl::layer_norm::implementations()) {
        if (!entry.refusal(make_problem(far)).empty()) continue;
        const sparse_memory of_src(bytes(md)), of_diff_dst(bytes(md)), of_result(bytes(md));
        if (!of_src.exists() || !of_diff_dst.exists() || !of_result.exists()) GTEST_SKIP() << "no address space";
        run r(dense);
        r.p = make_problem(far);
        r[SRC] = tensor(md, of_src.data());
        r[SRC].fill(src);
        if (r[DIFF_DST].exists()) {
            r[DIFF_DST] = tensor(md, of_diff_dst.data());
            r[DIFF_DST].fill(diff_dst);
        }
        (r.p.is_forward() ? r[DST] : r[DIFF_SRC]) = tensor(md, of_result.data());
        r.execute_on(entry);
        expect_same(outputs_of(r), outputs_of(expected), far, entry.name);
    }
}

std::string strides(dim_t row, dim_t column) { return std::to_string(row) + "," + std::to_string(column); }

class large_strides : public testing::TestWithParam<jitnorm_prop_kind_t> {};

TEST_P(large_strides, of_rows) { expect_equal_to_dense(GetParam(), 3, 100, strides(FAR, 1)); }
TEST_P(large_strides, of_columns) { expect_equal_to_dense(GetParam(), 5, 3, strides(1, FAR)); }
TEST_P(large_strides, of_both) { expect_equal_to_dense(GetParam(), 2, 3, strides(FAR, 2 * FAR)); }

INSTANTIATE_TEST_SUITE_P(kinds, large_strides,
                         testing::Values(jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward,
                                         jitnorm_backward_data));

} // namespace
} // namespace jitnorm::tests
