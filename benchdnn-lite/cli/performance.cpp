// SPDX-License-Identifier: Apache-2.0
// Fills in the template, or prints a row of our own table.
#include "performance.hpp"

#include <cstdio>

#include "../problem/threads.hpp"
#include "../text.hpp"

namespace benchdnn_lite {

namespace {

std::string table_heading() {
    const jitnorm_version_t *v = jitnorm_version();
    char text[512];
    std::snprintf(text, sizeof text,
                  "jitnorm %d.%d.%d, %d thread%s. GB/s: bytes the problem reads and writes over the median time.\n"
                  "x memcpy: median time over that of a memcpy that reads and writes as many bytes.\n"
                  "%-8s %-18s %11s %11s %8s %9s  %s\n",
                  v->major, v->minor, v->patch, thread_count(), thread_count() == 1 ? "" : "s", "status",
                  "implementation", "median us", "min us", "GB/s", "x memcpy", "problem");
    return text;
}

std::string table_row(const job &j, const lnorm_result &r) {
    char text[256];
    std::snprintf(text, sizeof text, "%-8s %-18s %11.3f %11.3f %8.2f %9.2f  ", name_of(r.what.status),
                  r.implementation.c_str(), r.times.us.median, r.times.us.least, r.times.gigabytes_per_second(),
                  r.times.over_memcpy());
    return text + j.prb.line(j.options.canonical);
}

} // namespace

timed_lines performance_of(const job &j, const lnorm_result &r, size_t index) {
    if (!r.timed) return {};
    const std::string perf_template =
        j.options.perf_template.empty() ? default_perf_template() : j.options.perf_template;
    const bool is_table = perf_template == TABLE_TEMPLATE;
    const perf_values values{j, index, r.implementation, r.descriptor_ms, r.primitive_ms, r.times};
    timed_lines timed;
    timed.heading = is_table ? table_heading() : concat("Output template: ", perf_template, "\n");
    timed.lines = {is_table ? table_row(j, r) : fill_in(perf_template, values)};
    timed.spreads = {r.times.us, r.times.copy_us};
    timed.least_ms = r.times.us.least / 1e3;
    timed.average_ms = r.times.us.average / 1e3;
    timed.over_memcpy = is_table ? r.times.over_memcpy() : 0;
    timed.replace_result = is_table || r.what.status == state::executed;
    return timed;
}

} // namespace benchdnn_lite
