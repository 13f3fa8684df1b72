// SPDX-License-Identifier: Apache-2.0
// The lines on standard output, the totals, and the progress line.
#include "report.hpp"

#include <cstdio>

#include <unistd.h>

#include "../text.hpp"

namespace benchdnn_lite {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds FIRST_PROGRESS{1000}, NEXT_PROGRESS{200};
constexpr size_t FAILURES_SHOWN = 10;
constexpr int SHOWS_RUNS = 1;

std::string test_line(size_t index, const job &j, const test_result &r) {
    std::string text = concat(std::to_string(index), ":", name_of(r.what.status));
    if (!r.what.reason.empty()) text += concat(" (", r.what.reason, ")");
    if (r.what.errors > 0)
        text += concat(" (errors:", std::to_string(r.what.errors), " total:", std::to_string(r.what.total), " ",
                       r.implementation, ")");
    return concat(text, " (", std::to_string(long(r.milliseconds)), " ms) __REPRO: ", j.line());
}

// The same problem on the same data, whatever the default seed is.
std::string reproduction(job j) {
    const std::string seed = concat("--seed=", std::to_string(j.options.seed), " ");
    j.options.seed = run_options{}.seed;
    return concat("benchdnn-lite ", j.options.canonical ? "" : seed, j.line());
}

} // namespace

const char *name_of(state status) {
    constexpr const char *NAMES[] = {"LISTED",   "SKIPPED", "INVALID_ARGUMENTS", "UNIMPLEMENTED", "INITIALIZED",
                                     "EXECUTED", "PASSED",  "MISTRUSTED",        "FAILED"};
    return NAMES[size_t(status)];
}

bool outcome::is_failure() const {
    return status == state::failed || status == state::unimplemented || status == state::invalid_arguments;
}

void tally::count(state status) {
    ++tests;
    passed += status == state::passed || status == state::executed || status == state::initialized;
    skipped += status == state::skipped;
    mistrusted += status == state::mistrusted;
    unimplemented += status == state::unimplemented;
    invalid_arguments += status == state::invalid_arguments;
    failed += outcome{status, {}, {}, {}, 0, 0}.is_failure();
    listed += status == state::listed;
}

std::string tally::line() const {
    char text[256];
    std::snprintf(text, sizeof text,
                  "tests:%zu passed:%zu skipped:%zu mistrusted:%zu unimplemented:%zu invalid_arguments:%zu failed:%zu "
                  "listed:%zu",
                  tests, passed, skipped, mistrusted, unimplemented, invalid_arguments, failed, listed);
    return text;
}

report::report(size_t jobs)
    : jobs_(jobs), is_terminal_(isatty(STDERR_FILENO) == 1), start_(clock::now()), last_progress_(start_) {}

double report::seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

void report::announce(const job &next) {
    show_progress(next);
    if (next.options.verbosity < SHOWS_RUNS || next.options.mode.list) return;
    clear_progress();
    std::printf("run: %s\n", next.line().c_str());
    std::fflush(stdout);
}

void report::show_progress(const job &next) {
    const auto now = clock::now();
    if (!is_terminal_ || now - start_ < FIRST_PROGRESS || now - last_progress_ < NEXT_PROGRESS) return;
    last_progress_ = now;
    std::fprintf(stderr, "\r\033[K[%zu/%zu, %zu failed] %.80s", counts_.tests, jobs_, counts_.failed,
                 next.prb.line().c_str());
    std::fflush(stderr);
    progress_shown_ = true;
}

void report::clear_progress() {
    if (progress_shown_) std::fputs("\r\033[K", stderr);
    progress_shown_ = false;
}

void report::add(const job &j, const test_result &r) {
    clear_progress();
    for (const std::string &note : r.what.notes) std::printf("%s\n", note.c_str());
    if (r.timed) print_timing(j, r);
    const std::string line = test_line(counts_.tests, j, r);
    const bool is_told = r.timed && (r.what.status == state::executed || j.options.perf_template == TABLE_TEMPLATE);
    if (!is_told) std::printf("%s\n", line.c_str());
    for (const std::string &detail : r.what.details) std::printf("    %s\n", detail.c_str());
    if (r.what.is_failure()) {
        std::printf("    reproduce: %s\n", reproduction(j).c_str());
        if (failure_count_++ < FAILURES_SHOWN) failures_.push_back(line);
    }
    std::fflush(stdout);
    counts_.count(r.what.status);
}

void report::print_heading_once(const std::string &perf_template) {
    if (heading_printed_) return;
    heading_printed_ = true;
    if (perf_template != TABLE_TEMPLATE) {
        std::printf("Output template: %s\n", perf_template.c_str());
        return;
    }
    const jitnorm_version_t *v = jitnorm_version();
    std::printf("jitnorm %d.%d.%d, %d thread%s. GB/s: bytes the problem reads and writes over the median time.\n"
                "x memcpy: median time over that of a memcpy that reads and writes as many bytes.\n",
                v->major, v->minor, v->patch, thread_count(), thread_count() == 1 ? "" : "s");
    std::printf("%-8s %-18s %11s %11s %8s %9s  %s\n", "status", "implementation", "median us", "min us", "GB/s",
                "x memcpy", "problem");
}

void report::print_timing(const job &j, const test_result &r) {
    ++timed_count_;
    least_ms_ += r.times.us.least / 1e3;
    average_ms_ += r.times.us.average / 1e3;
    const std::string perf_template =
        j.options.perf_template.empty() ? default_perf_template() : j.options.perf_template;
    print_heading_once(perf_template);
    if (perf_template == TABLE_TEMPLATE) return print_table_row(j, r);
    const perf_values values{j, counts_.tests, r.implementation, r.descriptor_ms, r.primitive_ms, r.times};
    std::printf("%s\n", fill_in(perf_template, values).c_str());
}

void report::print_table_row(const job &j, const test_result &r) {
    std::printf("%-8s %-18s %11.3f %11.3f %8.2f %9.2f  %s\n", name_of(r.what.status), r.implementation.c_str(),
                r.times.us.median, r.times.us.least, r.times.gigabytes_per_second(), r.times.over_memcpy(),
                j.prb.line(j.options.canonical).c_str());
}

void report::finish(const phase_times &phases) {
    clear_progress();
    if (!failures_.empty()) std::printf("failed:\n");
    for (const std::string &failure : failures_) std::printf("  %s\n", failure.c_str());
    if (failure_count_ > failures_.size()) std::printf("  and %zu more\n", failure_count_ - failures_.size());
    std::printf("%s\n", counts_.line().c_str());
    if (timed_count_ > 0) std::printf("total perf: min(ms):%g avg(ms):%g\n", least_ms_, average_ms_);
    const double total = seconds();
    std::printf("total: %.2fs;", total);
    const auto part = [&](const char *name, double milliseconds) {
        const double s = milliseconds / 1e3;
        if (milliseconds > 0) std::printf(" %s: %.2fs (%.0f%%);", name, s, 100 * s / total);
    };
    part("create", phases.create);
    part("fill", phases.fill);
    part("execute", phases.execute);
    part("compare", phases.compare);
    std::printf("\n");
}

} // namespace benchdnn_lite
