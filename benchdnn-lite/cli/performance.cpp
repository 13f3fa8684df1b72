// SPDX-License-Identifier: Apache-2.0
// Fills in the template, or prints a row of our own table.
#include "performance.hpp"

#include <algorithm>

#include "../error.hpp"
#include "../problem/tag.hpp"
#include "../problem/threads.hpp"

namespace benchdnn_lite {

namespace {

// What the placeholders show.
struct perf_values {
    const job &what;
    size_t index; // the test's number
    const lnorm_result &result;
};

constexpr std::string_view TABLE_TEMPLATE = "table"; // a table with columns of our own
constexpr std::string_view DEFAULT =
    "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";
constexpr std::string_view CSV =
    "perf,%engine%,%impl%,%name%,%dir%,%dt%,%tag%,%stat_tag%,%flags%,%attr%,%DESC%,%Gops%,%+ctime%,%-time%,%-Gflops%,"
    "%0time%,%0Gflops%";

struct modifiers {
    char statistic = ' '; // - 0 + or a space for none
    double unit = 1;

    // The chosen statistic in the chosen unit; without a choice, that of `unless_said`.
    double of(const spread &s, char unless_said = '-') const {
        const char which = statistic == ' ' ? unless_said : statistic;
        return (which == '-' ? s.least : which == '0' ? s.average : s.most) / unit;
    }
};

std::string number(double value) { return format("%g", value); }

double seconds(const perf_values &v, modifiers m) { return modifiers{m.statistic, 1e6}.of(v.result.times.us); }
double per_second(double amount, const perf_values &v, modifiers m) {
    const double s = seconds(v, m);
    return s > 0 ? amount / s / m.unit : 0;
}

std::string tags_text(const problem &p) {
    return concat(canonical_tag(p.tags.src, p.ndims()), ":", canonical_tag(p.tags.dst, p.ndims()));
}

std::string attributes_text(const problem &p) {
    std::string text;
    for (const problem_knob &k : problem_knobs())
        if (k.name.starts_with("attr-") && !k.equal(p, {}))
            text += concat(text.empty() ? "" : " ", "--", k.name, "=", k.text(p));
    return text;
}

std::string quoted_name(const problem &p) { return p.size.name.empty() ? "" : concat("\"", p.size.name, "\""); }
std::string types_text(const problem &p) { return concat(name_of(p.types.src), ":", name_of(p.types.dst)); }

using shown = const perf_values &;

struct placeholder {
    std::string_view name;
    std::string (*text)(shown v, modifiers m);
};

#define TEXT(expression) [](shown v, modifiers) -> std::string { return std::string(expression); }
#define NUMBER(expression) [](shown v, modifiers m) { return number(expression); }
#define NOTHING [](shown, modifiers) { return std::string(); }

// Placeholders with NOTHING are those that benchdnn has for other drivers. Here they are empty.
constexpr placeholder PLACEHOLDERS[] = {
    {"prb", TEXT(v.what.line())},
    {"desc", TEXT(to_text(v.what.prb.size))},
    {"DESC", TEXT(to_text(v.what.prb.size))},
    {"name", TEXT(quoted_name(v.what.prb))},
    {"dir", TEXT(name_of(v.what.prb.dir))},
    {"dt", TEXT(types_text(v.what.prb))},
    {"sdt", TEXT(types_text(v.what.prb))},
    {"tag", TEXT(tags_text(v.what.prb))},
    {"stag", TEXT(tags_text(v.what.prb))},
    {"stat_tag", TEXT(canonical_tag(v.what.prb.stat_tag, v.what.prb.ndims() - 1))},
    {"ss_dt", TEXT(to_text(v.what.prb.scale_shift))},
    {"flags", TEXT(flags_text(v.what.prb.flags))},
    {"attr", TEXT(attributes_text(v.what.prb))},
    {"impl", TEXT(v.result.implementation)},
    {"idx", TEXT(std::to_string(v.index))},
    {"driver", [](shown, modifiers) { return std::string("lnorm"); }},
    {"engine", [](shown, modifiers) { return std::string("cpu"); }},
    {"time", NUMBER(m.of(v.result.times.us) / 1e3)},
    {"median", NUMBER(v.result.times.us.median / 1e3 / m.unit)},
    {"memcpy", NUMBER(v.result.times.over_memcpy() / m.unit)},
    {"clocks", NUMBER(m.of(v.result.times.clocks))},
    {"freq", NUMBER(per_second(modifiers{m.statistic, 1}.of(v.result.times.clocks), v, m))},
    {"ibytes", NUMBER(v.result.times.input_bytes / m.unit)},
    {"obytes", NUMBER(v.result.times.output_bytes / m.unit)},
    {"iobytes", NUMBER(v.result.times.bytes() / m.unit)},
    {"bw", NUMBER(per_second(v.result.times.bytes(), v, m))},
    {"cpdtime", NUMBER(m.of(v.result.descriptor_ms, '+'))},
    {"cptime", NUMBER(m.of(v.result.primitive_ms, '+'))},
    {"ctime", NUMBER(m.of(v.result.descriptor_ms, '+') + m.of(v.result.primitive_ms, '+'))},
    {"ops", [](shown, modifiers) { return number(0); }}, // operations are not counted for this driver
    {"flops", [](shown, modifiers) { return number(0); }},
    {"axis", NOTHING},
    {"group", NOTHING},
    {"mb", NOTHING},
    {"ddt", NOTHING},
    {"dtag", NOTHING},
    {"wtag", NOTHING},
    {"prop", NOTHING},
};

#undef TEXT
#undef NUMBER
#undef NOTHING

double unit_of(char letter) { return letter == 'K' ? 1e3 : letter == 'M' ? 1e6 : letter == 'G' ? 1e9 : 0; }

// Removes the modifiers from the beginning of a placeholder (the text between two percent signs) and returns them.
modifiers take_modifiers(std::string_view &text) {
    modifiers m;
    if (!text.empty() && std::string_view("-0+").find(text[0]) != text.npos) {
        m.statistic = text[0];
        text.remove_prefix(1);
    }
    if (!text.empty() && unit_of(text[0]) > 0) {
        m.unit = unit_of(text[0]);
        text.remove_prefix(1);
    }
    return m;
}

// Splits a template, and calls `on_text` and `on_placeholder` with its parts in their order.
template <typename OnText, typename OnPlaceholder>
void walk(std::string_view text, OnText on_text, OnPlaceholder on_placeholder) {
    for (;;) {
        const size_t begin = text.find('%');
        on_text(text.substr(0, begin));
        if (begin == text.npos) return;
        text.remove_prefix(begin + 1);
        const size_t end = text.find('%');
        if (end == text.npos) throw input_error("placeholder '%", text, "' does not end in %");
        std::string_view name = text.substr(0, end);
        const modifiers m = take_modifiers(name);
        const placeholder *p = find_named(PLACEHOLDERS, name);
        if (!p)
            throw input_error("unknown placeholder '%", text.substr(0, end), "%'",
                              closest_or_known(name, names_in(PLACEHOLDERS)));
        on_placeholder(*p, m);
        text.remove_prefix(end + 1);
    }
}

std::string fill_in(std::string_view perf_template, const perf_values &v) {
    std::string line;
    walk(
        perf_template, [&](std::string_view text) { line += text; },
        [&](const placeholder &p, modifiers m) { line += p.text(v, m); });
    return line;
}

std::string table_heading() {
    return format("jitnorm %s, %d thread%s. GB/s: bytes the problem reads and writes over the median time.\n"
                  "x memcpy: median time over that of a memcpy that reads and writes as many bytes.\n"
                  "%-8s %-18s %11s %11s %8s %9s  %s\n",
                  library_version().c_str(), thread_count(), thread_count() == 1 ? "" : "s", "status", "implementation",
                  "median us", "min us", "GB/s", "x memcpy", "problem");
}

std::string table_row(const job &j, const lnorm_result &r) {
    return format("%-8s %-18s %11.3f %11.3f %8.2f %9.2f  ", name_of(r.what.status), r.implementation.c_str(),
                  r.times.us.median, r.times.us.least, r.times.gigabytes_per_second(), r.times.over_memcpy()) +
           j.prb.line(j.options.canonical);
}

} // namespace

std::string parse_perf_template(std::string_view text) {
    if (text.empty() || text == "def") return std::string(DEFAULT);
    if (text == "csv") return std::string(CSV);
    if (text != TABLE_TEMPLATE && text.find('%') == text.npos)
        throw input_error("'", text, "' is none of def, csv, table, and has no placeholder such as %-time%");
    walk(
        text, [](std::string_view) {}, [](const placeholder &, modifiers) {});
    return std::string(text);
}

timed_lines performance_of(const job &j, const lnorm_result &r, size_t index) {
    if (!r.timed) return {};
    const std::string perf_template = j.options.perf_template.empty() ? std::string(DEFAULT) : j.options.perf_template;
    const bool is_table = perf_template == TABLE_TEMPLATE;
    timed_lines timed;
    timed.heading = is_table ? table_heading() : concat("Output template: ", perf_template, "\n");
    timed.lines = {is_table ? table_row(j, r) : fill_in(perf_template, {j, index, r})};
    timed.spreads = {r.times.us, r.times.copy_us};
    timed.least_ms = r.times.us.least / 1e3;
    timed.average_ms = r.times.us.average / 1e3;
    timed.over_memcpy = is_table ? r.times.over_memcpy() : 0;
    timed.replace_result = is_table || r.what.status == state::executed;
    return timed;
}

} // namespace benchdnn_lite
