// SPDX-License-Identifier: Apache-2.0
// Strides of rows and of columns above 2^31 and 2^32, in elements and in bytes. Only the touched pages of the memory
// exist.
#include <sys/mman.h>

#include "dispatch/prepare.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr dim_t FAR = (dim_t(1) << 32) / 2 + 4096; // elements; of bytes, more than 2^32

// Null where there is no address space.
std::shared_ptr<void> sparse_memory(size_t bytes) {
    void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    return {data, [bytes](void *mapped) { munmap(mapped, bytes); }};
}

// Dense tensors, and the same with these strides for src, dst and gradients.
void expect_equal_to_dense(jitnorm_prop_kind_t kind, dim_t rows, dim_t columns, const std::string &strides) {
    const setup dense{.kind = kind, .dims = {rows, columns}};
    setup far = dense;
    far.src = far.dst = far.diff_src = strides;
    const memory_desc md = make_layout(strides, far.dims, jitnorm_f32);
    const outputs expected = outputs_by(reference_entry, dense);
    for (const implementation &entry : impl::layer_norm::implementations()) {
        if (!entry.refusal(make_problem(far)).empty()) continue;
        run r(dense);
        r.p = make_problem(far);
        std::vector<std::shared_ptr<void>> places;
        for (const slot each : {SRC, DST, DIFF_DST, DIFF_SRC}) {
            if (!r[each].exists()) continue;
            places.push_back(sparse_memory(bytes(md)));
            if (places.back() == nullptr) GTEST_SKIP() << "no address space";
            const std::vector<double> values = r[each].values();
            r[each] = tensor(md, places.back().get());
            r[each].fill(values);
        }
        r.execute_on(entry);
        expect_same(outputs_of(r), expected, far, entry.name);
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
