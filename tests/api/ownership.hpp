// SPDX-License-Identifier: Apache-2.0
// ownership: who frees what, asked of jitnorm.hpp and of oneDNN's own header with the same source. Before it is
// included, the header that is asked stands for `dnnl`, and C_NAME(x) for the C name of x.
#pragma once

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace {

using forward = dnnl::layer_normalization_forward;
using backward = dnnl::layer_normalization_backward;
using raw_desc = C_NAME(primitive_desc_t);

dnnl::memory::desc rows() { return {{3, 8}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab}; }
constexpr auto FLAGS = dnnl::normalization_flags::none;

forward::primitive_desc make_forward(const dnnl::engine &on, dnnl::prop_kind kind) {
#if DNNL_VERSION_MAJOR == 2
    return {{kind, rows(), 1e-5f, FLAGS}, on};
#else
    return {on, kind, rows(), rows(), 1e-5f, FLAGS};
#endif
}

backward::primitive_desc make_backward(const dnnl::engine &on, dnnl::prop_kind kind,
                                       const forward::primitive_desc &hint) {
#if DNNL_VERSION_MAJOR == 2
    return {{kind, rows(), rows(), 1e-5f, FLAGS}, on, hint};
#else
    return {on, kind, rows(), rows(), rows(), 1e-5f, FLAGS, hint};
#endif
}

template <typename Body>
void expect_invalid(Body body) {
    try {
        body();
        ADD_FAILURE() << "nothing is thrown";
    } catch (const dnnl::error &error) {
        EXPECT_EQ(error.status, C_NAME(invalid_arguments));
        EXPECT_STREQ(error.what(), error.message);
    }
}

// A C handle that the test itself owns.
class owned_raw {
public:
    explicit owned_raw(C_NAME(const_primitive_desc_t) from) {
        EXPECT_EQ(C_NAME(primitive_desc_clone)(&raw_, from), C_NAME(success));
    }
    owned_raw(const owned_raw &) = delete;
    owned_raw &operator=(const owned_raw &) = delete;
    ~owned_raw() { EXPECT_EQ(C_NAME(primitive_desc_destroy)(raw_), C_NAME(success)); }
    raw_desc get() const { return raw_; }

private:
    raw_desc raw_ = nullptr;
};

struct ownership : testing::Test {
    dnnl::engine on{dnnl::engine::kind::cpu, 0};
    forward::primitive_desc training = make_forward(on, dnnl::prop_kind::forward_training),
                            inference = make_forward(on, dnnl::prop_kind::forward_inference);
    backward::primitive_desc both = make_backward(on, dnnl::prop_kind::backward, training),
                             data = make_backward(on, dnnl::prop_kind::backward_data, training);
};

template <typename Primitive, typename Result> // a descriptor that only this direction has
void expect_made_of_a_clone(const typename Primitive::primitive_desc &from, Result result) {
    typename Primitive::primitive_desc made;
    {
        const owned_raw raw(from.get());
        made = typename Primitive::primitive_desc(raw.get());
        EXPECT_NE(made.get(), raw.get());
    }
    EXPECT_EQ(made.src_desc(), from.src_desc());
    EXPECT_EQ(result(made), result(from));
    EXPECT_EQ(Primitive(made).get_kind(), dnnl::primitive::kind::layer_normalization);
}

TEST_F(ownership, a_primitive_descriptor_is_made_of_a_clone) {
    for (const auto &from : {training, inference})
        expect_made_of_a_clone<forward>(from, [](const auto &one) { return one.dst_desc(); });
    for (const auto &from : {both, data})
        expect_made_of_a_clone<backward>(from, [](const auto &one) { return one.diff_src_desc(); });
}

TEST_F(ownership, a_primitive_descriptor_of_another_direction_is_refused) {
    for (const auto &from : {training, inference}) expect_invalid([&] { backward::primitive_desc made(from.get()); });
    for (const auto &from : {both, data}) expect_invalid([&] { forward::primitive_desc made(from.get()); });
    EXPECT_TRUE(training.get() != nullptr && both.get() != nullptr); // refused, and not freed
    EXPECT_EQ(training.src_desc(), inference.src_desc());
}

TEST_F(ownership, null_makes_an_empty_descriptor) {
    const forward::primitive_desc f(raw_desc(nullptr));
    const backward::primitive_desc b(raw_desc(nullptr));
    EXPECT_FALSE(f);
    EXPECT_FALSE(b);
    expect_invalid([&] { f.get(); });
    expect_invalid([&] { const forward primitive(f); });
    EXPECT_EQ(f.get(true), nullptr);
}

TEST_F(ownership, any_primitive_descriptor_takes_over_or_is_weak) {
    raw_desc raw = nullptr;
    ASSERT_EQ(C_NAME(primitive_desc_clone)(&raw, training.get()), C_NAME(success));
    const dnnl::primitive_desc_base taken(raw); // frees it
    const dnnl::primitive_desc_base weak(raw, true);
    EXPECT_EQ(taken.get(), raw);
    EXPECT_TRUE(taken == weak);
    EXPECT_FALSE(taken != weak);
    EXPECT_EQ(weak.impl_info_str(), taken.impl_info_str());
    EXPECT_EQ(weak.query_s64(dnnl::query::undef), 0); // no such number
}

TEST_F(ownership, reset_frees_the_old_one_only) {
    raw_desc first = nullptr, second = nullptr;
    ASSERT_EQ(C_NAME(primitive_desc_clone)(&first, training.get()), C_NAME(success));
    ASSERT_EQ(C_NAME(primitive_desc_clone)(&second, training.get()), C_NAME(success));
    dnnl::primitive_desc_base handle(first);
    const dnnl::primitive_desc_base copy = handle;
    handle.reset(second);
    EXPECT_EQ(copy.get(), first);
    EXPECT_EQ(handle.get(), second);
    handle.reset(first, true);
    EXPECT_TRUE(handle == copy);
    handle.reset(nullptr);
    EXPECT_FALSE(handle);
    EXPECT_TRUE(copy);
}

TEST_F(ownership, copies_share_and_moves_empty) {
    forward::primitive_desc copy = training;
    EXPECT_TRUE(copy == training);
    const forward::primitive_desc moved = std::move(copy);
    EXPECT_TRUE(moved == training);
    EXPECT_FALSE(copy); // NOLINT(bugprone-use-after-move)
    copy = moved;
    copy = *&copy;
    EXPECT_TRUE(copy == training);
}

TEST_F(ownership, engines_of_objects_are_weak) {
    dnnl::engine kept;
    {
        const dnnl::stream stream(on);
        const dnnl::memory memory(training.src_desc(), on);
        for (const dnnl::engine &e : {stream.get_engine(), memory.get_engine(), training.get_engine()})
            EXPECT_EQ(e.get_kind(), dnnl::engine::kind::cpu);
        kept = memory.get_engine();
    }
    EXPECT_TRUE(kept == on);
}

TEST_F(ownership, primitives_are_made_of_cpp_and_of_c_descriptors) {
    const dnnl::primitive implicit = training; // a primitive, not a handle of the descriptor
    const dnnl::primitive of_c(C_NAME(const_primitive_desc_t)(training.get()));
    const forward named = training;
    const std::vector<dnnl::primitive> all = {implicit, of_c, named};
    for (const dnnl::primitive &p : all) EXPECT_EQ(p.get_kind(), dnnl::primitive::kind::layer_normalization);
    // What the primitive lends stays its own.
    const forward::primitive_desc again(const_cast<raw_desc>(named.get_primitive_desc()));
    EXPECT_NE(again.get(), named.get_primitive_desc());
}

TEST_F(ownership, empty_handles_throw) {
    const dnnl::memory memory;
    const dnnl::primitive primitive;
    const dnnl::engine engine;
    expect_invalid([&] { memory.get_desc(); });
    expect_invalid([&] { primitive.get_primitive_desc(); });
    expect_invalid([&] { engine.get_kind(); });
    EXPECT_TRUE(memory == dnnl::memory());
    EXPECT_FALSE(memory);
}

TEST_F(ownership, post_ops_and_attributes_are_taken_over) {
    C_NAME(post_ops_t) raw = nullptr;
    ASSERT_EQ(C_NAME(post_ops_create)(&raw), C_NAME(success));
    dnnl::post_ops operations(raw);
    operations.append_sum(2.f);
    float scale = 0;
    operations.get_params_sum(0, scale);
    EXPECT_EQ(scale, 2.f);
    expect_invalid([&] { operations.kind(1); });

    C_NAME(primitive_attr_t) raw_attr = nullptr;
    ASSERT_EQ(C_NAME(primitive_attr_create)(&raw_attr), C_NAME(success));
    dnnl::primitive_attr attr(raw_attr);
    attr.set_post_ops(operations);
    const dnnl::post_ops copy = attr.get_post_ops();
    operations.append_sum(3.f);
    EXPECT_EQ(copy.len(), 1);
}

TEST_F(ownership, no_handle_is_made_silently) {
    EXPECT_FALSE((std::is_convertible<C_NAME(engine_t), dnnl::engine>::value));
    EXPECT_FALSE((std::is_convertible<C_NAME(stream_t), dnnl::stream>::value));
    EXPECT_FALSE((std::is_convertible<C_NAME(memory_t), dnnl::memory>::value));
    EXPECT_FALSE((std::is_convertible<C_NAME(primitive_t), dnnl::primitive>::value));
}

} // namespace
