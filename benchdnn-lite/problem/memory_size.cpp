// SPDX-License-Identifier: Apache-2.0
// Estimates the memory that a problem needs, and asks the system how much there is.
#include "memory_size.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include <unistd.h>

#include "../text.hpp"
#include "tag.hpp"
#include "threads.hpp"

namespace benchdnn_lite {

namespace {

constexpr double NO_LIMIT = std::numeric_limits<double>::infinity();

// The number at the beginning of a file. NO_LIMIT without such a file, or if it has no number ("max").
double number_in(const char *path) {
    std::ifstream file(path);
    double value = 0;
    return file >> value ? value : NO_LIMIT;
}

double available_in_meminfo() {
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    double kilobytes = 0;
    while (file >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(file, unit);
    }
    return NO_LIMIT;
}

} // namespace

double bytes_needed(const problem &p, double copies) {
    // In each thread: for one column, and for the sums of one element of a gradient.
    constexpr double ORACLE_BYTES = 160, ORACLE_SUM_BYTES = 64;
    const std::vector<used_tensor> tensors = p.tensors();
    double bytes = 0, oracle_sums = 0;
    for (const used_tensor &t : tensors)
        bytes += product<double>(padded_dims(canonical_tag(t.tag, t.dims.size()), t.dims)) * double(size_of(t.type));
    for (const used_tensor &t : std::span(tensors).subspan(p.row_tensors().size()))
        if (t.is_output && !p.is_forward()) oracle_sums += product<double>(t.dims);
    for (const post_op &op : p.attr.post_ops)
        if (const auto *binary = std::get_if<binary_post_op>(&op))
            bytes += product<double>(binary->source_dims(p.size.dims)) * double(size_of(binary->type));
    return copies * bytes +
           double(thread_count()) * (ORACLE_BYTES * double(p.row_length()) + ORACLE_SUM_BYTES * oracle_sums);
}

double available_bytes() {
    const double physical = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    const double limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
    const double left = limit == NO_LIMIT || used == NO_LIMIT ? NO_LIMIT : std::max(limit - used, 0.0);
    return std::min({physical, limit, available_in_meminfo(), left});
}

std::string readable_bytes(double bytes) {
    constexpr const char *UNITS[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 < std::size(UNITS); ++unit) bytes /= 1000;
    return format(unit ? "%.1f %s" : "%.0f %s", bytes, UNITS[unit]);
}

} // namespace benchdnn_lite
