// SPDX-License-Identifier: Apache-2.0
// Every tag against an enumeration of memory that follows from its name.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "support/undefined.hpp"
#include "tensor/names.hpp"

using namespace jitnorm::impl;
using jitnorm::tests::undefined;

namespace {

using values = std::vector<dim_t>;

// One digit of the memory order: `size` positions of dimension `dim`.
struct digit {
    size_t dim;
    dim_t size;
};

struct memory_order {
    std::vector<digit> digits; // outermost first
    values padded;
};

size_t dimension_of(char letter) { return size_t(std::tolower(letter) - 'a'); }

// The blocks of "aBc16b", then the outer dimensions in front of them.
memory_order order_of(const std::string &name, const values &dims) {
    const size_t first_digit = std::min(name.find_first_of("0123456789"), name.size());
    memory_order order = {{}, dims};
    std::vector<digit> blocks;
    values block_of(dims.size(), 1);
    for (size_t at = first_digit; at < name.size(); ++at) {
        size_t used = 0;
        const dim_t size = std::stoll(name.substr(at), &used);
        at += used;
        blocks.push_back({dimension_of(name[at]), size});
        block_of[dimension_of(name[at])] *= size;
    }
    for (const char letter : name.substr(0, first_digit)) {
        const size_t d = dimension_of(letter);
        EXPECT_EQ(std::isupper(letter) != 0, block_of[d] > 1) << "capitals are the dimensions with blocks";
        const dim_t outer = (dims[d] + block_of[d] - 1) / block_of[d];
        order.digits.push_back({d, outer});
        order.padded[d] = outer * block_of[d];
    }
    order.digits.insert(order.digits.end(), blocks.begin(), blocks.end());
    return order;
}

// The logical position of what lies at `offset`, reading the digits of the offset.
values position_at(const memory_order &order, dim_t offset) {
    std::vector<dim_t> index(order.digits.size());
    for (size_t i = order.digits.size(); i-- > 0; offset /= order.digits[i].size)
        index[i] = offset % order.digits[i].size;
    values position(order.padded.size(), 0);
    for (size_t i = 0; i < index.size(); ++i)
        position[order.digits[i].dim] = position[order.digits[i].dim] * order.digits[i].size + index[i];
    return position;
}

void check_tag(const named_tag &entry, const values &dims) {
    SCOPED_TRACE(std::string(entry.name));
    const memory_order order = order_of(std::string(entry.name), dims);
    memory_desc md;
    ASSERT_EQ(make_with_tag(md, int(dims.size()), dims.data(), jitnorm_f16, entry.tag), jitnorm_success);
    ASSERT_EQ(values(md.padded_dims, md.padded_dims + md.ndims), order.padded);
    dim_t count = 1;
    for (const dim_t dim : order.padded) count *= dim;
    EXPECT_EQ(bytes(md), size_t(count) * 2);
    for (dim_t at = 0; at < count; ++at) ASSERT_EQ(offset(md, position_at(order, at).data()), at);
}

size_t rank_of(std::string_view name) { return std::min(name.find_first_of("0123456789"), name.size()); }

TEST(format_tag, each_lays_memory_out_as_its_name_says) {
    const dim_t odd[] = {5, 19, 3, 2, 4}, whole[] = {96, 64, 1, 2, 1};
    ASSERT_EQ(named_tags().size(), size_t(jitnorm_format_tag_last) - 2);
    for (const named_tag &entry : named_tags()) {
        const size_t rank = rank_of(entry.name);
        check_tag(entry, values(odd, odd + rank));
        check_tag(entry, values(whole, whole + rank));
        check_tag(entry, values(rank, 1));
    }
}

TEST(format_tag, names_follow_the_enumeration) {
    EXPECT_EQ(tag_name(jitnorm_a), "a");
    EXPECT_EQ(tag_name(jitnorm_edcba), "edcba");
    EXPECT_EQ(tag_name(jitnorm_BA16a64b), "BA16a64b");
    EXPECT_EQ(tag_name(jitnorm_aBc8b), "aBc8b");
    EXPECT_EQ(tag_name(jitnorm_ABcde16a16b), "ABcde16a16b");
    EXPECT_EQ(tag_name(jitnorm_format_tag_undef), "");
    EXPECT_EQ(tag_name(jitnorm_format_tag_any), "");
    EXPECT_EQ(tag_name(jitnorm_format_tag_last), "");
    EXPECT_EQ(tag_name(undefined<jitnorm_format_tag_t>(-1)), "");
}

TEST(format_tag, any_leaves_the_layout_open) {
    const values dims = {3, 5};
    memory_desc md;
    ASSERT_EQ(make_with_tag(md, 2, dims.data(), jitnorm_f32, jitnorm_format_tag_any), jitnorm_success);
    EXPECT_EQ(md.format_kind, jitnorm_format_kind_any);
    EXPECT_EQ(nelems(md), 15);
    EXPECT_EQ(bytes(md), 0u);
}

jitnorm_status_t status_of_tag(const values &dims, jitnorm_format_tag_t tag, jitnorm_data_type_t type = jitnorm_f32) {
    memory_desc md;
    return make_with_tag(md, int(dims.size()), dims.data(), type, tag).code;
}

TEST(format_tag, refuses_what_has_no_meaning) {
    for (const auto tag : {jitnorm_format_tag_undef, jitnorm_abc, jitnorm_a, jitnorm_format_tag_last,
                           undefined<jitnorm_format_tag_t>(-7), undefined<jitnorm_format_tag_t>(INT32_MIN)})
        EXPECT_EQ(status_of_tag({3, 5}, tag), jitnorm_invalid_arguments) << tag;
    for (const auto tag : {jitnorm_ab, jitnorm_format_tag_any})
        EXPECT_EQ(status_of_tag({3, -5}, tag), jitnorm_invalid_arguments) << tag;
    EXPECT_EQ(status_of_tag({3, 5}, jitnorm_ab, jitnorm_data_type_undef), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of_tag({}, jitnorm_format_tag_undef, jitnorm_data_type_undef), jitnorm_success) << "no tensor";
}

TEST(format_tag, refuses_what_does_not_fit) {
    const dim_t big = dim_t(1) << 32, largest = INT64_MAX;
    for (const auto &[dims, tag] :
         {std::pair(values{big, big}, jitnorm_ba), std::pair(values{big, big}, jitnorm_format_tag_any),
          std::pair(values{2, largest}, jitnorm_aB16b), std::pair(values{largest}, jitnorm_Ab16a)})
        EXPECT_EQ(status_of_tag(dims, tag), jitnorm_invalid_arguments) << tag;
}

TEST(format_tag, runtime_dimensions) {
    const values dims = {RUNTIME_DIM, 20};
    memory_desc md;
    ASSERT_EQ(make_with_tag(md, 2, dims.data(), jitnorm_f32, jitnorm_aB8b), jitnorm_success);
    EXPECT_TRUE(has_runtime_dims(md));
    EXPECT_EQ(md.padded_dims[0], RUNTIME_DIM);
    EXPECT_EQ(md.padded_dims[1], 24);
    EXPECT_EQ(md.strides[0], 24);
    EXPECT_EQ(md.strides[1], 8);
}

} // namespace
