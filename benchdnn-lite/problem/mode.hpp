// SPDX-License-Identifier: Apache-2.0
// mode: what the program does with a problem: --mode, --mode-modifier, and the other options of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace benchdnn_lite {

struct run_mode {
    bool list = false;    // L: only print the problem's line
    bool init = false;    // I: create the primitive
    bool run = false;     // R: execute once
    bool check = true;    // C: check the results
    bool bitwise = false; // B: compare the results' bits with those of other executions
    bool time = false;    // P: measure the time
    bool fast = false;    // F: P for 10 ms, with both modifiers; `time` is set too

    bool operator==(const run_mode &) const = default;
};

// Reads one of L, I and R, or any of C, B, P and F, in upper or lower case. Throws input_error.
run_mode parse_mode(std::string_view text);
std::string to_text(const run_mode &mode);

struct mode_modifiers {
    bool parallel_creation = false; // P: create as many primitives at once as there are threads
    bool no_filling = false;        // M: all bytes of inputs have one value; nothing can be checked
    bool operator==(const mode_modifiers &) const = default;
};

mode_modifiers parse_mode_modifiers(std::string_view text); // letters P and M; throws input_error
std::string to_text(const mode_modifiers &modifiers);

// Which tensors must not be in the caches when a timed execution starts.
struct cold_cache_mode {
    enum class arguments { none, weights, all };
    arguments cold = arguments::none;
    // Each time before the copies of the tensors are used in turn, all pages of this much memory are written, so that
    // the TLB forgets the translations of the tensors' addresses. 0: nothing is written.
    size_t tlb_bytes = 0;

    bool operator==(const cold_cache_mode &) const = default;
};

// Reads none, wei (or weights) or all. After wei and all, +tlb[:SIZE] may follow; SIZE is a number and M or G, by
// default 1G. Throws input_error.
cold_cache_mode parse_cold_cache(std::string_view text);
std::string to_text(const cold_cache_mode &mode);

// What is printed after all tests.
struct summary_parts {
    bool failures = true;             // the lines of the tests that failed
    bool implementations = false;     // how many tests each implementation has
    bool implementations_csv = false; // the same in one line for machines

    bool operator==(const summary_parts &) const = default;
};

// Reads failures, impl and impl-csv, each perhaps after no-, joined by +. Throws input_error.
summary_parts parse_summary(std::string_view text);

constexpr double DEFAULT_MAX_MS = 3000, FAST_MAX_MS = 10;

// Options that are no lists; --reset does not change them.
struct run_options {
    run_mode mode;
    mode_modifiers modifiers;
    double max_ms = DEFAULT_MAX_MS; // for timing one problem
    int64_t fixed_times = 0;        // executions to time; 0: as many as max_ms allows
    int64_t repeats = 1;            // how many times each problem runs
    int64_t start = 0;              // tests with a smaller number are skipped
    uint64_t seed = 1;              // of the data
    bool enum_tags_only = true;     // a blocked tag without an enumerator of the library is a mistake
    cold_cache_mode cold_cache;
    std::string perf_template; // the result of parse_perf_template(); empty: the default
    bool canonical = false;    // lines that reproduce a problem name every knob
    int verbosity = 0;

    bool creates_in_parallel() const { return modifiers.parallel_creation || mode.fast; }
    bool fills() const { return !modifiers.no_filling && !mode.fast; }
    double time_limit_ms() const { return mode.fast ? FAST_MAX_MS : max_ms; }
    // Whether to measure more after so many samples, which took `ms`. There is at least one.
    bool goes_on_timing(size_t samples, double ms) const {
        if (samples == 0) return true;
        return fixed_times > 0 ? int64_t(samples) < fixed_times : ms < time_limit_ms();
    }
};

} // namespace benchdnn_lite
