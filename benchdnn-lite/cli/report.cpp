// SPDX-License-Identifier: Apache-2.0
// Prints the lines of tests, the totals and the progress line.
#include "report.hpp"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

#include "../text.hpp"

namespace benchdnn_lite {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds FIRST_PROGRESS{1000}, NEXT_PROGRESS{200};
constexpr size_t FAILURES_SHOWN = 10;
constexpr int SHOWS_RUNS = 1;

std::string test_line(size_t index, const test_title &title, const test_result &r) {
    std::string text = concat(std::to_string(index), ":", name_of(r.what.status));
    if (!r.what.reason.empty()) text += concat(" (", r.what.reason, ")");
    if (r.what.errors > 0) {
        text += concat(" (errors:", std::to_string(r.what.errors), " total:", std::to_string(r.what.total));
        text += concat(r.implementation.empty() ? "" : " ", r.implementation, ")");
    }
    return concat(text, " (", std::to_string(long(r.milliseconds)), " ms) __REPRO: ", title.line);
}

} // namespace

void tally::count(const outcome &what) {
    const state status = what.status;
    ++tests;
    passed += status == state::passed || status == state::executed || status == state::initialized;
    skipped += status == state::skipped;
    unimplemented += status == state::unimplemented;
    invalid_arguments += status == state::invalid_arguments;
    failed += what.is_failure();
    listed += status == state::listed;
    filtered += what.filtered;
}

std::string tally::line() const {
    // benchdnn's line has a count of tests whose results it does not trust. Here there are none.
    return format("tests:%zu passed:%zu skipped:%zu mistrusted:0 unimplemented:%zu invalid_arguments:%zu failed:%zu "
                  "listed:%zu",
                  tests, passed, skipped, unimplemented, invalid_arguments, failed, listed);
}

report::report(size_t tests, const summary_parts &summary)
    : tests_(tests), summary_(summary), is_terminal_(isatty(STDERR_FILENO) == 1), start_(clock::now()),
      last_progress_(start_) {}

double report::seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

void report::announce(const test_title &next) {
    show_progress(next);
    if (next.verbosity < SHOWS_RUNS || next.is_listed) return;
    clear_progress();
    std::printf("run: %s\n", next.line.c_str());
    std::fflush(stdout);
}

void report::show_progress(const test_title &next) {
    const auto now = clock::now();
    if (!is_terminal_ || now - start_ < FIRST_PROGRESS || now - last_progress_ < NEXT_PROGRESS) return;
    last_progress_ = now;
    std::fprintf(stderr, "\r\033[K[%zu/%zu, %zu failed] %.80s", counts_.tests, tests_, counts_.failed,
                 next.shown.c_str());
    std::fflush(stderr);
    progress_shown_ = true;
}

void report::clear_progress() {
    if (progress_shown_) std::fputs("\r\033[K", stderr);
    progress_shown_ = false;
}

void report::add(const test_title &title, const test_result &r, const timed_lines &timed) {
    clear_progress();
    for (const std::string &note : r.what.notes) std::printf("%s\n", note.c_str());
    print_timed(title, timed);
    const std::string line = test_line(counts_.tests, title, r);
    if (!timed.replace_result) std::printf("%s\n", line.c_str());
    for (const std::string &detail : r.what.details) std::printf("    %s\n", detail.c_str());
    if (r.what.is_failure()) {
        std::printf("    reproduce: %s\n", title.reproduction.c_str());
        if (failure_count_++ < FAILURES_SHOWN) failures_.push_back(line);
    }
    std::fflush(stdout);
    counts_.count(r.what);
    if (!r.implementation.empty()) ++implementations_[r.implementation];
}

void report::print_timed(const test_title &title, const timed_lines &timed) {
    if (timed.lines.empty()) return;
    if (timed.heading != heading_) std::printf("%s", timed.heading.c_str());
    heading_ = timed.heading;
    for (const std::string &line : timed.lines) std::printf("%s\n", line.c_str());
    ++timed_count_;
    least_ms_ += timed.least_ms;
    average_ms_ += timed.average_ms;
    if (timed.over_memcpy > 0)
        over_memcpy_.emplace_back(timed.over_memcpy, title.name.empty() ? title.shown : title.name);
    bool restless = false;
    for (const spread &s : timed.spreads) {
        if (!s.is_beyond_reason()) continue;
        restless = true;
        if (s.worst_over_best() <= worst_over_best_) continue;
        worst_over_best_ = s.worst_over_best();
        most_restless_ = title.shown;
    }
    restless_count_ += restless;
}

void report::finish(const phase_times &phases) {
    clear_progress();
    if (summary_.failures) print_failures();
    print_implementations();
    std::printf("%s\n", counts_.line().c_str());
    if (timed_count_ > 0) std::printf("total perf: min(ms):%g avg(ms):%g\n", least_ms_, average_ms_);
    print_meaning();
    print_phases(phases);
    std::fflush(stdout);
    print_unrest();
}

void report::print_failures() const {
    if (!failures_.empty()) std::printf("failed:\n");
    for (const std::string &failure : failures_) std::printf("  %s\n", failure.c_str());
    if (failure_count_ > failures_.size()) std::printf("  and %zu more\n", failure_count_ - failures_.size());
}

void report::print_implementations() const {
    if (implementations_.empty()) return;
    std::vector<std::pair<std::string, size_t>> by_count(implementations_.begin(), implementations_.end());
    std::stable_sort(by_count.begin(), by_count.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
    size_t total = 0;
    std::string table = "implementations:\n", csv = "benchdnn_summary,impl_names"; // the latter as benchdnn prints it
    for (const auto &[name, count] : by_count) total += count;
    for (const auto &[name, count] : by_count) {
        table += format("  %s: %zu (%.0f%%)\n", name.c_str(), count, 100.0 * double(count) / double(total));
        csv += format(",%s:%zu", name.c_str(), count);
    }
    if (summary_.implementations) std::printf("%s", table.c_str());
    if (summary_.implementations_csv) std::printf("%s\n", csv.c_str());
}

void report::print_meaning() const {
    if (over_memcpy_.size() < 2 || restless_count_ > 0) return;
    std::vector<double> ratios;
    for (const auto &[ratio, name] : over_memcpy_) ratios.push_back(ratio);
    const auto [best, worst] = std::minmax_element(over_memcpy_.begin(), over_memcpy_.end());
    std::printf(
        "to normalize takes %.2f times as long as to copy as many bytes (median of %zu problems): from %.2f (%s) to "
        "%.2f (%s)\n",
        spread_of(ratios).median, ratios.size(), best->first, best->second.c_str(), worst->first,
        worst->second.c_str());
}

void report::print_phases(const phase_times &phases) const {
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

void report::print_unrest() const {
    if (restless_count_ == 0) return;
    std::fprintf(
        stderr,
        "benchdnn-lite: this machine is too busy to measure on: in %zu of %zu timed tests the usual or the average "
        "execution or copy took more than twice as long as the best one, or as one thread needs; the worst took %.3g "
        "times as long (%s). "
        "docs/benchdnn-lite.md says what helps\n",
        restless_count_, timed_count_, worst_over_best_, most_restless_.c_str());
}

} // namespace benchdnn_lite
