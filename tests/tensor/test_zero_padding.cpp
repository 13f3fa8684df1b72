// SPDX-License-Identifier: Apache-2.0
// Padding becomes zero, and nothing else is written, by any number of parts.
#include <algorithm>
#include <cstring>

#include "descriptors.hpp"
#include "support/guarded_buffer.hpp"
#include "tensor/memory_desc.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::tests;

namespace {

// Bytes that padding, and nothing but padding, must turn to zero.
std::vector<unsigned char> zeroed(const memory_desc &md) {
    const size_t size = size_of(md.data_type);
    std::vector<unsigned char> expected(bytes(md), guarded_buffer::CANARY);
    dim_t position[MAX_NDIMS];
    for (dim_t i = 0; i < product_of({md.padded_dims, size_t(md.ndims)}); ++i) {
        dim_t rest = i;
        bool is_padding = false;
        for (int d = md.ndims - 1; d >= 0; rest /= md.padded_dims[d--]) {
            position[d] = rest % md.padded_dims[d];
            is_padding |= position[d] >= md.dims[d];
        }
        if (is_padding) std::memset(&expected[size_t(offset(md, position)) * size], 0, size);
    }
    return expected;
}

TEST(zero_padding, every_tag_by_any_number_of_parts) {
    for (const named_tag &named : named_tags())
        for (const values &dims : shapes_of(parse_layout(named.name).ndims))
            for (const jitnorm_data_type_t type : TYPES)
                for (const int parts : {1, 3, 40}) {
                    memory_desc md = tagged(dims, named.tag, type);
                    md.offset0 = parts;
                    const std::vector<unsigned char> expected = zeroed(md);
                    const guarded_buffer tensor(bytes(md));
                    for (int part = parts; part-- > 0;) zero_padding(md, tensor.data(), part, parts);
                    ASSERT_EQ(std::memcmp(expected.data(), tensor.data(), expected.size()), 0)
                        << text_of(md) << " by " << parts;
                }
}

// Threads do the parts at once.
TEST(zero_padding, no_two_parts_write_the_same_bytes) {
    for (const jitnorm_format_tag_t tag : {jitnorm_AB16b16a, jitnorm_BA16a16b, jitnorm_aBcd16b}) {
        const memory_desc md = tagged(tag == jitnorm_aBcd16b ? values{3, 5, 2, 2} : values{70, 10}, tag, jitnorm_f32);
        const std::vector<unsigned char> all = zeroed(md);
        std::ptrdiff_t written = 0;
        for (int part = 0; part < 3; ++part) {
            std::vector<unsigned char> tensor(all.size(), guarded_buffer::CANARY);
            zero_padding(md, tensor.data(), part, 3);
            written += std::ranges::count(tensor, 0);
        }
        EXPECT_EQ(written, std::ranges::count(all, 0)) << text_of(md);
    }
}

TEST(zero_padding, gaps_are_not_padding) {
    const memory_desc md = strided({5, 7}, {10, 1}, jitnorm_f32);
    const guarded_buffer tensor(bytes(md));
    zero_padding(md, tensor.data());
    EXPECT_TRUE(std::all_of(tensor.as<unsigned char>(), tensor.as<unsigned char>() + tensor.bytes(),
                            [](unsigned char byte) { return byte == guarded_buffer::CANARY; }));
    zero_padding(tagged({0, 7}, jitnorm_AB16b16a, jitnorm_f32), nullptr); // nothing to write
}

} // namespace
