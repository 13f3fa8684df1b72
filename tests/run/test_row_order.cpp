// SPDX-License-Identifier: Apache-2.0
// The order of rows in memory: neighbours follow each other, and no element moves.
#include "tensor/descriptors.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

TEST(row_order, neighbours_in_memory_follow_each_other) {
    const auto steps = [](const values &dims, jitnorm_format_tag_t tag) {
        const memory_desc md = in_order(tagged(dims, tag, jitnorm_f32));
        return values(md.dims, md.dims + md.ndims);
    };
    EXPECT_EQ(steps({2, 3, 4}, jitnorm_abc), (values{2, 3, 4}));
    EXPECT_EQ(steps({2, 3, 4}, jitnorm_bac), (values{3, 2, 4}));
    EXPECT_EQ(steps({2, 3, 4}, jitnorm_cba), (values{3, 2, 4}));
    EXPECT_EQ(steps({2, 3, 4, 5}, jitnorm_aBcd8b), (values{2, 4, 3, 5}));
    EXPECT_EQ(steps({2, 3, 4, 5}, jitnorm_ABcd16b16a), (values{4, 3, 2, 5}));
    EXPECT_EQ(steps({1, 3, 4}, jitnorm_cba), (values{1, 3, 4})); // a single index has no place
}

TEST(row_order, the_same_elements_at_the_same_places) {
    for (const named_tag &named : named_tags()) {
        const int ndims = parse_layout(named.name).ndims;
        const memory_desc md = tagged(values{3, 9, 2, 5, 4}, jitnorm_abcde, jitnorm_f32);
        const values dims(md.dims, md.dims + ndims);
        const memory_desc tensor = tagged(dims, named.tag, jitnorm_f32);
        const row_order order = order_in_memory(tensor, ndims - 1);
        const memory_desc ordered = with_row_order(tensor, ndims - 1, order);
        for (dim_t i = 0; i < nelems(tensor); ++i) {
            dim_t position[MAX_NDIMS] = {}, moved[MAX_NDIMS] = {};
            dim_t rest = i;
            for (int d = ndims - 1; d >= 0; rest /= dims[size_t(d--)]) position[d] = rest % dims[size_t(d)];
            for (int d = 0; d < ndims; ++d) moved[d] = position[d == ndims - 1 ? d : order[size_t(d)]];
            ASSERT_EQ(offset(tensor, position), offset(ordered, moved)) << named.name;
        }
    }
}

} // namespace
