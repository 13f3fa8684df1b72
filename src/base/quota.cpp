// SPDX-License-Identifier: Apache-2.0
#include "quota.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <unistd.h>

namespace jitnorm::impl {

namespace {

constexpr size_t LONGEST_NAME = 4096, LONGEST_TEXT = 4096;

// The beginning of the file, as much as fits into `to`; empty if it cannot be read. errno stays as it was: the
// environment is read in whatever function is called first.
std::string_view content(const char *file, char (&to)[LONGEST_TEXT]) {
    const int before = errno;
    const int opened = open(file, O_RDONLY | O_CLOEXEC);
    const ssize_t size = opened < 0 ? 0 : read(opened, to, LONGEST_TEXT);
    if (opened >= 0) close(opened);
    errno = before;
    return {to, size > 0 ? size_t(size) : 0};
}

// The group of version 2 in a text like "0::/a/b\n". One of another namespace, which begins with "/..", counts as none.
std::string_view group_in(std::string_view membership) {
    constexpr std::string_view BEFORE = "0::";
    while (!membership.empty()) {
        const std::string_view line = membership.substr(0, membership.find('\n'));
        if (line.starts_with(BEFORE)) return line.starts_with("0::/..") ? "" : line.substr(BEFORE.size());
        membership.remove_prefix(std::min(line.size() + 1, membership.size()));
    }
    return {};
}

int processors_of_group(std::string_view root, std::string_view group) {
    constexpr std::string_view FILE = "/cpu.max";
    char name[LONGEST_NAME], text[LONGEST_TEXT];
    if (root.size() + group.size() + FILE.size() >= LONGEST_NAME) return NO_QUOTA;
    char *end = name;
    for (const std::string_view part : {root, group, FILE}) end = std::ranges::copy(part, end).out;
    *end = '\0';
    return processors_in(content(name, text));
}

// Takes a positive number from the beginning of the text; 0 if there is none.
long take_number(std::string_view &text) {
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(size_t(end - text.data()));
    return error == std::errc() && number > 0 ? number : 0;
}

} // namespace

int processors_in(std::string_view cpu_max) {
    const long quota = take_number(cpu_max);
    if (quota == 0 || !cpu_max.starts_with(' ')) return NO_QUOTA;
    cpu_max.remove_prefix(1);
    const long period = take_number(cpu_max);
    if (period == 0) return NO_QUOTA;
    return int(std::min<long>(quota / period + (quota % period != 0 ? 1 : 0), NO_QUOTA));
}

int processors_of_quota(const char *membership, std::string_view root) {
    char text[LONGEST_TEXT];
    std::string_view group = group_in(content(membership, text));
    int least = NO_QUOTA;
    for (;;) {
        least = std::min(least, processors_of_group(root, group));
        if (group.empty()) return least;
        group = group.substr(0, group.rfind('/') == group.npos ? 0 : group.rfind('/'));
    }
}

} // namespace jitnorm::impl
