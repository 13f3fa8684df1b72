// SPDX-License-Identifier: Apache-2.0
#include "verbose.hpp"

#include <array>
#include <cstdio>

#include "environment.hpp"
#include "standard_output.hpp"

namespace jitnorm::impl {

namespace {

// A line of the log. Texts may come from a program's user, so only printable ASCII is in it as it is: what else there
// is, and the backslash, becomes \xHH.
class line {
public:
    void add(std::string_view text) {
        static constexpr const char *DIGITS = "0123456789abcdef";
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            const char code[] = {'\\', 'x', DIGITS[byte / 16], DIGITS[byte % 16]};
            const bool is_plain = c >= ' ' && c <= '~' && c != '\\';
            if (!add_whole(is_plain ? std::string_view(&c, 1) : std::string_view(code, sizeof code))) return;
        }
    }

    std::string_view finish() {
        const std::string_view end = is_cut_ ? "...\n" : "\n";
        size_ += end.copy(text_.data() + size_, end.size());
        return {text_.data(), size_};
    }

private:
    static constexpr size_t ROOM_FOR_END = 4;

    bool add_whole(std::string_view text) {
        is_cut_ |= size_ + text.size() > text_.size() - ROOM_FOR_END;
        if (!is_cut_) size_ += text.copy(text_.data() + size_, text.size());
        return !is_cut_;
    }

    std::array<char, LONGEST_LINE> text_;
    size_t size_ = 0;
    bool is_cut_ = false;
};

bool write_event(std::string_view event, std::string_view text) {
    line whole;
    for (const std::string_view part : {std::string_view("jitnorm_verbose,v1,"), event, std::string_view(","), text})
        whole.add(part);
    return write_line(whole.finish());
}

// The lines that could not be written since the last one that could.
constinit std::atomic<int> lost = 0;

bool tell_of_lost_lines() {
    const int lines = lost.exchange(0, std::memory_order_relaxed);
    if (lines == 0) return true;
    char text[32];
    std::snprintf(text, sizeof text, "%d lines", lines);
    if (write_event("lost", text)) return true;
    lost.fetch_add(lines, std::memory_order_relaxed);
    return false;
}

void log_unknown_word(const char *word) {
    char text[128];
    std::snprintf(text, sizeof text, "JITNORM_VERBOSE has no word %s and goes without it", word);
    log_line("error", text);
}

} // namespace

constinit std::atomic<int> verbose_level_if_read = VERBOSE_LEVEL_NOT_READ;

// If another thread sets a level meanwhile, that level stays.
int read_verbose_level() {
    int level = VERBOSE_LEVEL_NOT_READ;
    const environment &asked = the_environment();
    if (!verbose_level_if_read.compare_exchange_strong(level, asked.verbose, std::memory_order_relaxed)) return level;
    if (asked.verbose >= VERBOSE_ERRORS && asked.unknown_verbose[0] != '\0') log_unknown_word(asked.unknown_verbose);
    return asked.verbose;
}

void set_verbose_level(int value) { verbose_level_if_read.store(value, std::memory_order_relaxed); }

void log_line(std::string_view event, std::string_view text) {
    if (!tell_of_lost_lines() || !write_event(event, text)) lost.fetch_add(1, std::memory_order_relaxed);
}

std::string milliseconds_since(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", taken.count());
    return text;
}

} // namespace jitnorm::impl
