// SPDX-License-Identifier: Apache-2.0
// mode: what is done with a problem: --mode, --mode-modifier and what else is common to all problems of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cold_cache_mode.hpp"

namespace benchdnn_lite {

struct run_mode {
    bool list = false;    // L: only print the problem's line
    bool init = false;    // I: create the primitive
    bool run = false;     // R: execute once
    bool check = true;    // C: judge the results
    bool bitwise = false; // B: the same bits in other circumstances
    bool time = false;    // P
    bool fast = false;    // F: P with both modifiers and 10 ms

    bool operator==(const run_mode &) const = default;
};

// L, I or R alone, or any of C, B, P, F together; in either case of letters. Throws input_error.
run_mode parse_mode(std::string_view text);
std::string to_text(const run_mode &mode);

struct mode_modifiers {
    bool parallel_creation = false; // P: primitives of as many problems as there are threads at once
    bool no_filling = false;        // M: inputs are one constant byte; nothing can be checked
    bool operator==(const mode_modifiers &) const = default;
};

mode_modifiers parse_mode_modifiers(std::string_view text); // letters P and M; throws input_error
std::string to_text(const mode_modifiers &modifiers);

// How results are judged: by bounds in ulps on random and adversarial data, or on benchdnn's data by its thresholds.
enum class judge { oracle, benchdnn };

constexpr double DEFAULT_MAX_MS = 3000, FAST_MAX_MS = 10;

// Common to all problems; --reset leaves it alone.
struct run_options {
    run_mode mode;
    mode_modifiers modifiers;
    judge judged_by = judge::oracle;
    double max_ms = DEFAULT_MAX_MS; // of timing, per problem
    int64_t fixed_times = 0;        // executions to time; 0: as many as max_ms allows
    int64_t repeats = 1;
    uint64_t seed = 1;
    bool enum_tags_only = true; // a blocked tag that the library has no name for is a mistake
    cold_cache_mode cold_cache;
    std::string perf_template; // as perf_template.hpp expands it; empty: the default
    bool canonical = false;    // lines name every knob
    int verbosity = 0;

    bool creates_in_parallel() const { return modifiers.parallel_creation || mode.fast; }
    bool fills() const { return !modifiers.no_filling && !mode.fast; }
    double time_limit_ms() const { return mode.fast ? FAST_MAX_MS : max_ms; }
};

} // namespace benchdnn_lite
