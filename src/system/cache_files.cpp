// SPDX-License-Identifier: Apache-2.0
// Reads the caches from files of Linux: FOLDER/online lists the processors; FOLDER/cpu0/cache/index0, index1 and so on
// describe one cache each.
#include "caches.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace jitnorm::impl {

namespace {

constexpr int MOST_INDICES = 16;
constexpr int LARGEST_NUMBER = 1 << 20; // the largest number that is read from a list

// The first line of a small file; empty if the file cannot be read. A longer line is cut, so that a list of processors
// loses its end.
class first_line {
public:
    explicit first_line(const char *path) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        const ssize_t got = read(file, room_, sizeof room_);
        close(file);
        const std::string_view all(room_, size_t(std::max<ssize_t>(got, 0)));
        text_ = all.substr(0, all.find('\n'));
    }
    first_line(const first_line &) = delete;
    first_line &operator=(const first_line &) = delete;

    std::string_view text() const { return text_; }

private:
    char room_[1024];
    std::string_view text_;
};

// Takes a number from the front of the text; false if there is none.
bool take_number(std::string_view &text, int &number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || number > LARGEST_NUMBER) return false;
    text.remove_prefix(size_t(end - text.data()));
    return true;
}

bool take(std::string_view &text, char wanted) {
    if (text.empty() || text.front() != wanted) return false;
    text.remove_prefix(1);
    return true;
}

// Calls body(first, last) for each range of a list like "0-3,8", until the end or the first text that is no range.
template <typename Body>
void for_each_range(std::string_view list, Body body) {
    int first = 0;
    do {
        if (!take_number(list, first)) return;
        int last = first;
        if (take(list, '-') && !take_number(list, last)) return;
        if (last >= first) body(first, last);
    } while (take(list, ','));
}

int count_of(std::string_view list) {
    int count = 0;
    for_each_range(list, [&](int first, int last) { count = std::min(count + last - first + 1, LARGEST_NUMBER); });
    return count;
}

// The number of the processor at a place in the list. The first place is 0.
int member_of(std::string_view list, int place) {
    int found = 0;
    for_each_range(list, [&](int first, int last) {
        if (place >= 0 && place <= last - first) found = first + place;
        place -= last - first + 1;
    });
    return found;
}

// The bytes that a text like "48K" says.
dim_t bytes_of(std::string_view text) {
    int number = 0;
    if (!take_number(text, number)) return 0;
    return dim_t(number) * (take(text, 'K') ? 1024 : 1);
}

// The folder with the files of one cache of a processor.
struct cache_folder {
    const char *folder;
    int processor, index;

    first_line file(const char *name) const {
        char path[PATH_MAX];
        std::snprintf(path, sizeof path, "%s/cpu%d/cache/index%d/%s", folder, processor, index, name);
        return first_line(path);
    }
};

cache_levels levels_of(const char *folder, int processor) {
    cache_levels levels;
    for (int index = 0; index < MOST_INDICES; ++index) {
        const cache_folder cache{folder, processor, index};
        const first_line type = cache.file("type");
        if (type.text().empty()) break; // there are no more
        if (type.text() == "Instruction") continue;
        const dim_t level = bytes_of(cache.file("level").text());
        if (level < 1 || level > CACHE_LEVELS) continue;
        levels[size_t(level - 1)] = {bytes_of(cache.file("size").text()),
                                     count_of(cache.file("shared_cpu_list").text())};
    }
    return levels;
}

} // namespace

cache_facts caches_by_files(const char *folder) {
    cache_facts facts{.source = "sysfs"};
    char path[PATH_MAX];
    std::snprintf(path, sizeof path, "%s/online", folder);
    const first_line online(path);
    const int processors = count_of(online.text()), asked = std::min(processors, cache_facts::MOST);
    for (int i = 0; i < asked; ++i) // evenly from the first to the last, since each kind of processor has a range
        facts.add(
            levels_of(folder, member_of(online.text(), int(dim_t(i) * (processors - 1) / std::max(asked - 1, 1)))));
    return facts;
}

} // namespace jitnorm::impl
