// SPDX-License-Identifier: Apache-2.0
// The choice among implementations: by rank, by force, and the lines that the log gets.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "dispatch/prepare.hpp"
#include "support/log.hpp"
#include "support/run.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

// ---------------------------------------------------------------- a list of our own

std::string takes_all(const problem &) { return {}; }
std::string takes_rms(const problem &p) { return p.is_rms() ? "" : "only rms"; }
std::string takes_forward(const problem &p) { return p.is_forward() ? "" : "only forward"; }

const std::array LIST = {implementation{"rms", takes_rms, nullptr, nullptr},
                         implementation{"forward", takes_forward, nullptr, nullptr},
                         implementation{"all", takes_all, nullptr, nullptr}};

// Its name; empty: none.
std::string chosen(const problem &p, std::string_view forced = {}, const implementation *from = nullptr) {
    const implementation *found = choose(p, from, LIST, forced);
    return found == nullptr ? "" : found->name;
}

problem rms_problem() {
    problem p = forward_problem();
    p.flags = jitnorm_rms_norm;
    return p;
}

TEST(choose, by_refusals_place_and_forced_name) {
    const problem rms = rms_problem(), forward = forward_problem(), backward = backward_problem();
    const struct {
        const problem &p;
        std::string_view forced;
        const implementation *from;
        std::string expected;
    } cases[] = {{rms, "", nullptr, "rms"}, // the first that does not refuse
                 {forward, "", nullptr, "forward"},
                 {backward, "", nullptr, "all"},
                 {rms, "", &LIST[0], "rms"}, // from a place in the list
                 {rms, "", &LIST[1], "forward"},
                 {rms, "", &LIST[2], "all"},
                 {rms, "", LIST.data() + LIST.size(), ""},
                 {rms, "all", nullptr, "all"}, // a forced name, or nothing
                 {rms, "forward", nullptr, "forward"},
                 {forward, "rms", nullptr, ""},
                 {forward, "forward", &LIST[2], ""}}; // which comes earlier in the list
    for (const auto &[p, forced, from, expected] : cases)
        EXPECT_EQ(chosen(p, forced, from), expected) << describe(p) << " '" << forced << "'";
    for (const char *name : {"rm", "rmss", "RMS", "unknown", " "}) EXPECT_EQ(chosen(rms, name), "") << name;
}

TEST(choice_log, has_a_line_for_each_refusal_and_for_an_unknown_name) {
    const problem p = backward_problem();
    const std::string refusals = "jitnorm_verbose,v1,refuse,rms,only rms," + describe(p) +
                                 "\njitnorm_verbose,v1,refuse,forward,only forward," + describe(p) + "\n";
    const std::string unknown = "jitnorm_verbose,v1,error,unknown implementation in JITNORM_IMPL: no-such\n";
    for (const int level : {0, 1, 2}) {
        EXPECT_EQ(log_of(level, [&] { chosen(p); }), level < 2 ? "" : refusals) << level;
        EXPECT_EQ(log_of(level, [&] { chosen(p, "no-such"); }), level < 1 ? "" : unknown) << level;
    }
}

// ---------------------------------------------------------------- the library's list (also tests/api/test_service.cpp)

TEST(forced_implementation, unknown_name_is_an_error) {
    ASSERT_TRUE(set_forced_implementation("ref:any"));
    EXPECT_FALSE(set_forced_implementation("jit:sse2"));
    EXPECT_STREQ(choose(forward_problem())->name, "ref:any") << "what was set stays";
    EXPECT_TRUE(set_forced_implementation(""));
}

} // namespace
