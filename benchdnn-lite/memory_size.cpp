// SPDX-License-Identifier: Apache-2.0
// How much memory a problem needs and how much there is.
#include "memory_size.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

#include <unistd.h>

namespace benchdnn_lite {

namespace {

constexpr double NO_LIMIT = std::numeric_limits<double>::infinity();

// The first number in a file, if it starts with one ("max" means no limit).
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

double bytes_needed(const problem &p) {
    double elements = 1;
    for (const dim_t dim : p.size.dims) elements *= double(dim);
    const double src = elements * double(size_of(p.types.src)), dst = elements * double(size_of(p.types.dst));
    double bytes = p.is_forward() ? src + dst : src + dst + elements * double(size_of(p.types.diff_src));
    for (const post_op &op : p.attr.post_ops)
        if (const auto *binary = std::get_if<binary_post_op>(&op)) {
            double source = double(size_of(binary->type));
            for (const dim_t dim : binary->source_dims(p.size.dims)) source *= double(dim);
            bytes += source;
        }
    return 2 * bytes;
}

memory_limits machine_memory() {
    const double physical = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    const double limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
    const double left = limit == NO_LIMIT || used == NO_LIMIT ? NO_LIMIT : std::max(limit - used, 0.0);
    const double total = std::min(physical, limit);
    return {total, std::min({total, available_in_meminfo(), left})};
}

std::string readable_bytes(double bytes) {
    constexpr const char *UNITS[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 < std::size(UNITS); ++unit) bytes /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", bytes, UNITS[unit]);
    return text;
}

} // namespace benchdnn_lite
