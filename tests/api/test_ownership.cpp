// SPDX-License-Identifier: Apache-2.0
// Who frees what in jitnorm.hpp: what the same source says of oneDNN's header (onednn_ownership.cpp), and what oneDNN 2
// cannot be asked.
#include <string>

#include "jitnorm/jitnorm.hpp"

namespace dnnl = jitnorm;
#define C_NAME(name) jitnorm_##name
#define jitnorm_const_primitive_desc_t const_jitnorm_primitive_desc_t

#include "ownership.hpp"

namespace {

// As with oneDNN 2; the constructor of later versions is explicit.
TEST_F(ownership, an_engine_becomes_a_stream) { EXPECT_TRUE((std::is_convertible<dnnl::engine, dnnl::stream>::value)); }

TEST_F(ownership, a_descriptor_of_memory_is_taken_over) {
    jitnorm_memory_desc_t raw = nullptr;
    ASSERT_EQ(jitnorm_memory_desc_clone(&raw, rows().get()), jitnorm_success);
    const dnnl::memory::desc taken = raw;
    EXPECT_EQ(taken, rows());
    EXPECT_EQ(taken.get(), raw);
}

TEST_F(ownership, after_next_impl_copies_follow_and_clones_stay) {
    const forward::primitive_desc clone(training.get());
    forward::primitive_desc copy = training;
    const std::string before = training.impl_info_str();
    if (!copy.next_impl()) GTEST_SKIP() << "there is but one implementation here";
    EXPECT_EQ(training.impl_info_str(), copy.impl_info_str());
    EXPECT_EQ(clone.impl_info_str(), before);
}

} // namespace
