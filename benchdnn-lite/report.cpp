// SPDX-License-Identifier: Apache-2.0
// The lines on standard output, the totals, and the progress line.
#include "report.hpp"

#include <cstdio>

#include <unistd.h>

#include "text.hpp"

namespace benchdnn_lite {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds FIRST_PROGRESS{1000}, NEXT_PROGRESS{200};

const char *name_of(state status) {
    switch (status) {
    case state::passed:
        return "PASSED";
    case state::executed:
        return "EXECUTED";
    case state::skipped:
        return "SKIPPED";
    case state::failed:
        return "FAILED";
    case state::listed:
        return "LISTED";
    }
    return "";
}

} // namespace

report::report(size_t jobs)
    : jobs_(jobs), is_terminal_(isatty(STDERR_FILENO) == 1), start_(clock::now()), last_progress_(start_) {}

void report::progress(const problem &next) {
    const auto now = clock::now();
    if (!is_terminal_ || now - start_ < FIRST_PROGRESS || now - last_progress_ < NEXT_PROGRESS) return;
    last_progress_ = now;
    std::fprintf(stderr, "\r\033[K[%zu/%zu, %zu failed] %.80s", tests_, jobs_, failed_, next.line().c_str());
    std::fflush(stderr);
    progress_shown_ = true;
}

void report::clear_progress() {
    if (progress_shown_) std::fputs("\r\033[K", stderr);
    progress_shown_ = false;
}

void report::count(state status) {
    ++tests_;
    passed_ += status == state::passed || status == state::executed;
    skipped_ += status == state::skipped;
    failed_ += status == state::failed;
    listed_ += status == state::listed;
}

void report::add(const job &j, const outcome &result, double milliseconds) {
    clear_progress();
    const std::string reason = result.reason.empty() ? "" : concat(" (", result.reason, ")");
    std::printf("%zu:%s%s (%.0f ms) __REPRO: --lnorm %s\n", tests_, name_of(result.status), reason.c_str(),
                milliseconds, j.prb.line().c_str());
    for (const std::string &line : result.lines) std::printf("    %s\n", line.c_str());
    if (result.status == state::failed)
        std::printf("    reproduce: benchdnn-lite --seed=%llu --lnorm %s\n",
                    static_cast<unsigned long long>(j.options.seed), j.prb.line().c_str());
    std::fflush(stdout);
    count(result.status);
}

void report::print_header_once() {
    if (header_printed_) return;
    header_printed_ = true;
    const jitnorm_version_t *v = jitnorm_version();
    std::printf("jitnorm %d.%d.%d, %d thread%s. GB/s: bytes the problem reads and writes over the median time.\n"
                "x memcpy: median time over that of a memcpy that reads and writes as many bytes.\n",
                v->major, v->minor, v->patch, thread_count(), thread_count() == 1 ? "" : "s");
    std::printf("%-8s %-18s %11s %11s %8s %9s  %s\n", "status", "implementation", "median us", "min us", "GB/s",
                "x memcpy", "problem");
}

void report::add_timed(const job &j, const outcome &result, const timing &t, const std::string &implementation) {
    clear_progress();
    print_header_once();
    std::printf("%-8s %-18s %11.3f %11.3f %8.2f %9.2f  %s\n", name_of(result.status), implementation.c_str(),
                t.median_us, t.min_us, t.gigabytes_per_second(), t.over_memcpy(), j.prb.line().c_str());
    std::fflush(stdout);
    count(result.status);
}

void report::finish() {
    clear_progress();
    const double seconds = std::chrono::duration<double>(clock::now() - start_).count();
    std::printf("tests:%zu passed:%zu skipped:%zu mistrusted:0 unimplemented:0 invalid_arguments:0 failed:%zu "
                "listed:%zu\ntotal: %.2fs\n",
                tests_, passed_, skipped_, failed_, listed_, seconds);
}

} // namespace benchdnn_lite
