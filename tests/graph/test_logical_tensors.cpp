// SPDX-License-Identifier: Apache-2.0
// Logical tensors and tensors: the functions that make and read them.
#include <cstdlib>

#include "graph_objects.hpp"

// Under a sanitizer too, memory that is not there is answered with null, not with the end of the program.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

namespace jitnorm::tests {
namespace {

constexpr auto STRIDED = jitnorm_graph_layout_type_strided, ANY = jitnorm_graph_layout_type_any,
               OPAQUE = jitnorm_graph_layout_type_opaque;
constexpr auto PLAIN = jitnorm_graph_tensor_property_undef;
constexpr int64_t UNKNOWN = JITNORM_GRAPH_UNKNOWN_DIM;
constexpr auto REFUSED = jitnorm_invalid_arguments;

bool are_equal(const lt &a, const lt &b) {
    uint8_t equal = 9;
    EXPECT_OK(jitnorm_graph_logical_tensor_is_equal(&a, &b, &equal));
    return equal == 1;
}

TEST(logical_tensor, of_unknown_dimensions) {
    for (const int32_t ndims : {-1, 0, 3, 12}) {
        const lt t = make_unknown_lt(7, jitnorm_bf16, ndims, ANY);
        EXPECT_EQ(t.id, 7u);
        EXPECT_EQ(t.ndims, ndims);
        EXPECT_EQ(t.data_type, jitnorm_bf16);
        EXPECT_EQ(t.layout_type, ANY);
        EXPECT_EQ(t.property, PLAIN);
        for (int d = 0; d < ndims; ++d) EXPECT_EQ(t.dims[d], UNKNOWN);
    }
    lt t = {};
    for (const int ndims : {-2, 13})
        EXPECT_EQ(jitnorm_graph_logical_tensor_init(&t, 1, jitnorm_f32, ndims, ANY, PLAIN), REFUSED) << ndims;
}

TEST(logical_tensor, of_dimensions) {
    const lt t = make_lt(1, {2, 3, 4, 5});
    EXPECT_EQ(dims(t.dims, t.dims + 4), (dims{2, 3, 4, 5}));
    EXPECT_EQ(dims(t.layout.strides, t.layout.strides + 4), (dims{60, 20, 5, 1}));
    const lt empty = make_lt(1, {2, 0, 4});
    EXPECT_EQ(dims(empty.layout.strides, empty.layout.strides + 3), (dims{4, 4, 1}));
    const lt partly = make_lt(1, {2, UNKNOWN});
    EXPECT_EQ(partly.layout.strides[1], UNKNOWN);
    lt result = {};
    const dims two = {2, 2}, enormous = {2, INT64_MAX, 3};
    const auto init = jitnorm_graph_logical_tensor_init_with_dims;
    for (const int ndims : {-1, 13})
        EXPECT_EQ(init(&result, 1, jitnorm_f32, ndims, two.data(), ANY, PLAIN), REFUSED) << ndims;
    EXPECT_EQ(init(&result, 1, jitnorm_f32, 3, enormous.data(), STRIDED, PLAIN), REFUSED);
    EXPECT_OK(init(&result, 1, jitnorm_f32, 0, nullptr, STRIDED, PLAIN));
    EXPECT_EQ(result.ndims, 0);
}

TEST(logical_tensor, of_strides) {
    const lt t = make_strided_lt(1, {2, 3}, {1, 2}, jitnorm_f16);
    EXPECT_EQ(t.layout_type, STRIDED);
    EXPECT_EQ(dims(t.layout.strides, t.layout.strides + 2), (dims{1, 2}));
    lt result;
    const dims two = {2, 2};
    const auto init = jitnorm_graph_logical_tensor_init_with_strides;
    for (const int ndims : {-1, 13})
        EXPECT_EQ(init(&result, 1, jitnorm_f32, ndims, two.data(), two.data(), PLAIN), REFUSED) << ndims;
    EXPECT_OK(init(&result, 1, jitnorm_f32, 0, nullptr, nullptr, PLAIN));
}

TEST(logical_tensor, size) {
    EXPECT_EQ(bytes_of(make_lt(1, {2, 3, 4})), 96u);
    EXPECT_EQ(bytes_of(make_lt(1, {2, 3, 4}, jitnorm_bf16)), 48u);
    EXPECT_EQ(bytes_of(make_lt(1, {}, jitnorm_f32)), 4u);
    EXPECT_EQ(bytes_of(make_lt(1, {2, 0, 4})), 0u);
    EXPECT_EQ(bytes_of(make_strided_lt(1, {2, 3}, {10, 2})), (10 + 2 * 2 + 1) * sizeof(float));
    EXPECT_EQ(bytes_of(make_strided_lt(1, {5, 3}, {0, 1})), 3 * sizeof(float));
    for (const lt &unknown : {make_unknown_lt(1), make_lt(1, {2, UNKNOWN}), make_lt(1, {2, 3}, jitnorm_f32, ANY),
                              make_lt(1, {2, 3}, jitnorm_f32, OPAQUE), make_strided_lt(1, {2, 3}, {UNKNOWN, 1}),
                              make_strided_lt(1, {2, 3}, {-3, 1}), make_lt(1, {2}, jitnorm_data_type_undef)})
        EXPECT_EQ(bytes_of(unknown), size_t(-1));
}

TEST(logical_tensor, equality) {
    const lt t = make_lt(1, {2, 3});
    EXPECT_TRUE(are_equal(t, make_lt(1, {2, 3})));
    EXPECT_TRUE(are_equal(t, make_strided_lt(1, {2, 3}, {3, 1})));
    EXPECT_FALSE(are_equal(t, make_lt(2, {2, 3})));
    EXPECT_FALSE(are_equal(t, make_lt(1, {2, 3}, jitnorm_bf16)));
    EXPECT_FALSE(are_equal(t, make_lt(1, {3, 2})));
    EXPECT_FALSE(are_equal(t, make_lt(1, {2, 3, 1})));
    EXPECT_FALSE(are_equal(t, make_strided_lt(1, {2, 3}, {1, 2})));
    EXPECT_FALSE(are_equal(t, make_lt(1, {2, 3}, jitnorm_f32, ANY)));
    lt other = t;
    other.property = jitnorm_graph_tensor_property_constant;
    EXPECT_FALSE(are_equal(t, other));
    // What has no meaning does not count.
    other = t;
    other.dims[2] = other.layout.strides[2] = 5;
    EXPECT_TRUE(are_equal(t, other));
    lt any = make_lt(1, {2, 3}, jitnorm_f32, ANY), same = any;
    same.layout.strides[0] = 5;
    EXPECT_TRUE(are_equal(any, same));
    EXPECT_FALSE(are_equal(any, make_lt(1, {2, 4}, jitnorm_f32, ANY)));
    lt opaque = make_lt(1, {2, 3}, jitnorm_f32, OPAQUE), another = opaque;
    opaque.layout.layout_id = another.layout.layout_id = 4;
    EXPECT_TRUE(are_equal(opaque, another));
    another.layout.layout_id = 5;
    EXPECT_FALSE(are_equal(opaque, another));
}

void *data_of(const owned_tensor &tensor) { return queried(jitnorm_graph_tensor_get_data_handle, tensor); }

owned_tensor make_tensor(const lt &t, void *data) {
    owned_tensor tensor;
    EXPECT_OK(jitnorm_graph_tensor_create(&tensor, &t, cpu(), data));
    return tensor;
}

TEST(tensor, memory) {
    const lt t = make_lt(1, {2, 3});
    float data[6];
    EXPECT_EQ(data_of(make_tensor(t, data)), data);
    const owned_tensor none = make_tensor(t, JITNORM_MEMORY_NONE), own = make_tensor(t, JITNORM_MEMORY_ALLOCATE);
    EXPECT_EQ(data_of(none), nullptr);
    EXPECT_OK(jitnorm_graph_tensor_set_data_handle(none, data));
    EXPECT_EQ(data_of(none), data);
    void *const handle = data_of(own);
    EXPECT_NE(handle, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(handle) % 64, 0u);
    static_cast<float *>(handle)[5] = 1;
    EXPECT_OK(jitnorm_graph_tensor_set_data_handle(own, handle)); // and it is still there
    static_cast<float *>(handle)[5] = 2;
    EXPECT_OK(jitnorm_graph_tensor_set_data_handle(own, data));
    make_tensor(make_lt(1, {0, 3}), JITNORM_MEMORY_ALLOCATE);
}

TEST(tensor, queries_and_errors) {
    const lt t = make_lt(5, {2, 3}), unknown = make_unknown_lt(1);
    owned_tensor failed;
    EXPECT_EQ(jitnorm_graph_tensor_create(&failed, &unknown, cpu(), JITNORM_MEMORY_ALLOCATE), REFUSED);
    const lt enormous = make_lt(1, {int64_t(1) << 55});
    EXPECT_EQ(jitnorm_graph_tensor_create(&failed, &enormous, cpu(), JITNORM_MEMORY_ALLOCATE), jitnorm_out_of_memory);
    EXPECT_TRUE(failed.is_empty());
    const owned_tensor tensor = make_tensor(t, nullptr);
    EXPECT_EQ(queried(jitnorm_graph_tensor_get_engine, tensor), cpu());
    EXPECT_TRUE(are_equal(queried(jitnorm_graph_tensor_get_logical_tensor, tensor), t));
}

} // namespace
} // namespace jitnorm::tests
