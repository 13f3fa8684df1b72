// SPDX-License-Identifier: Apache-2.0
// The calls of the library that a problem makes, recorded by a fake library; one of an earlier version lacks functions.
#include "problem/operation.hpp"

#include <gtest/gtest.h>

#include "cli/command_line.hpp"
#include "error.hpp"

namespace benchdnn_lite {
namespace {

struct asked {
    int deterministic = -1, mode = -1, for_integers = -1, accumulation = -1;
    bool operator==(const asked &) const = default;
};
asked heard;

jitnorm_status_t hear_deterministic(jitnorm_primitive_attr_t attr, int value) {
    heard.deterministic = value;
    return jitnorm_primitive_attr_set_deterministic(attr, value);
}

jitnorm_status_t hear_mode(jitnorm_primitive_attr_t attr, jitnorm_fpmath_mode_t mode, int for_integers) {
    heard.mode = mode;
    heard.for_integers = for_integers;
    return jitnorm_primitive_attr_set_fpmath_mode_v2(attr, mode, for_integers);
}

jitnorm_status_t hear_accumulation(jitnorm_primitive_attr_t attr, jitnorm_accumulation_mode_t mode) {
    heard.accumulation = mode;
    return jitnorm_primitive_attr_set_accumulation_mode(attr, mode);
}

library listening() {
    library l;
    l.find_later = [](std::string_view name) {
        if (name == "jitnorm_primitive_attr_set_deterministic") return reinterpret_cast<void *>(hear_deterministic);
        if (name == "jitnorm_primitive_attr_set_accumulation_mode") return reinterpret_cast<void *>(hear_accumulation);
        return reinterpret_cast<void *>(hear_mode);
    };
    return l;
}

problem parse(const char *knob) { return parse_command_line({"--lnorm", knob, "2x3"}).jobs[0].prb; }

asked what_is_asked(const char *knob) {
    heard = {};
    const session s(listening());
    const operation o(s, parse(knob));
    return heard;
}

TEST(operation, hands_modes_to_the_library) {
    EXPECT_EQ(what_is_asked("--dt=f32"), asked{});
    EXPECT_EQ(what_is_asked("--attr-deterministic=true"), (asked{1, -1, -1}));
    EXPECT_EQ(what_is_asked("--attr-fpmath=tf32"), (asked{-1, jitnorm_fpmath_mode_tf32, 0}));
    EXPECT_EQ(what_is_asked("--attr-acc-mode=relaxed"), (asked{-1, -1, -1, jitnorm_accumulation_mode_relaxed}));
    EXPECT_THROW(what_is_asked("--attr-acc-mode=f16"), api_error) << "refused at creation";
    EXPECT_THROW(what_is_asked("--attr-fpmath=any:true"), api_error) << "refused at creation";
    EXPECT_EQ(heard, (asked{-1, jitnorm_fpmath_mode_any, 1}));
}

TEST(operation, asks_no_earlier_version_for_modes) {
    library earlier;
    earlier.find_later = [](const char * /* name */) { return nullptr; };
    const session s(earlier);
    EXPECT_NO_THROW(operation(s, parse("--dt=f32")));
    EXPECT_THROW(operation(s, parse("--attr-deterministic=true")), unsupported);
    EXPECT_THROW(operation(s, parse("--attr-fpmath=bf16")), unsupported);
}

} // namespace
} // namespace benchdnn_lite
