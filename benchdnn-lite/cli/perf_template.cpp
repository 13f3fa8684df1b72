// SPDX-License-Identifier: Apache-2.0
// Fills in the line that a timed problem prints.
#include "perf_template.hpp"

#include <algorithm>
#include <cstdio>

#include "../error.hpp"
#include "../problem/tag.hpp"

namespace benchdnn_lite {

namespace {

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

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

double seconds(const perf_values &v, modifiers m) { return modifiers{m.statistic, 1e6}.of(v.times.us); }
double per_second(double amount, const perf_values &v, modifiers m) {
    const double s = seconds(v, m);
    return s > 0 ? amount / s / m.unit : 0;
}

std::string tags_text(const problem &p) {
    return concat(canonical_tag(p.tags.src, p.ndims()), ":", canonical_tag(p.tags.dst, p.ndims()));
}

std::string attributes_text(const problem &p) {
    std::string text;
    const auto knob = [&](bool set, std::string_view name, std::string_view value) {
        if (set) text += concat(text.empty() ? "" : " ", "--", name, "=", value);
    };
    knob(p.attr.unquantized.has_value(), "attr-unquantized", to_text(p.attr.unquantized));
    knob(p.attr.residual != residual_addition{}, "attr-residual", to_text(p.attr.residual));
    knob(p.attr.scales != tensor_scales{}, "attr-scales", to_text(p.attr.scales));
    knob(!p.attr.post_ops.empty(), "attr-post-ops", to_text(p.attr.post_ops));
    knob(p.attr.user_scratchpad, "attr-scratchpad", "user");
    return text;
}

std::string quoted_name(const problem &p) { return p.size.name.empty() ? "" : concat("\"", p.size.name, "\""); }
std::string types_text(const problem &p) { return concat(name_of(p.types.src), ":", name_of(p.types.dst)); }

using values = const perf_values &;

struct placeholder {
    std::string_view name;
    std::string (*text)(values v, modifiers m);
};

#define TEXT(expression) [](values v, modifiers) -> std::string { return std::string(expression); }
#define NUMBER(expression) [](values v, modifiers m) { return number(expression); }
#define NOTHING [](values, modifiers) { return std::string(); }

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
    {"impl", TEXT(v.implementation)},
    {"idx", TEXT(std::to_string(v.index))},
    {"driver", [](values, modifiers) { return std::string("lnorm"); }},
    {"engine", [](values, modifiers) { return std::string("cpu"); }},
    {"time", NUMBER(m.of(v.times.us) / 1e3)},
    {"median", NUMBER(v.times.us.median / 1e3 / m.unit)},
    {"memcpy", NUMBER(v.times.over_memcpy() / m.unit)},
    {"clocks", NUMBER(m.of(v.times.clocks))},
    {"freq", NUMBER(per_second(modifiers{m.statistic, 1}.of(v.times.clocks), v, m))},
    {"ibytes", NUMBER(v.times.input_bytes / m.unit)},
    {"obytes", NUMBER(v.times.output_bytes / m.unit)},
    {"iobytes", NUMBER(v.times.bytes() / m.unit)},
    {"bw", NUMBER(per_second(v.times.bytes(), v, m))},
    {"cpdtime", NUMBER(m.of(v.descriptor_ms, '+'))},
    {"cptime", NUMBER(m.of(v.primitive_ms, '+'))},
    {"ctime", NUMBER(m.of(v.descriptor_ms, '+') + m.of(v.primitive_ms, '+'))},
    {"ops", [](values, modifiers) { return number(0); }}, // operations are not counted for this driver
    {"flops", [](values, modifiers) { return number(0); }},
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

const placeholder *find_placeholder(std::string_view name) {
    const auto found = std::find_if(std::begin(PLACEHOLDERS), std::end(PLACEHOLDERS),
                                    [&](const placeholder &p) { return p.name == name; });
    return found == std::end(PLACEHOLDERS) ? nullptr : found;
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
        const placeholder *p = find_placeholder(name);
        if (!p) throw input_error("unknown placeholder '%", text.substr(0, end), "%'");
        on_placeholder(*p, m);
        text.remove_prefix(end + 1);
    }
}

} // namespace

std::string default_perf_template() { return std::string(DEFAULT); }

std::string parse_perf_template(std::string_view text) {
    if (text.empty() || text == "def") return default_perf_template();
    if (text == "csv") return std::string(CSV);
    walk(
        text, [](std::string_view) {}, [](const placeholder &, modifiers) {});
    return std::string(text);
}

std::string fill_in(std::string_view perf_template, const perf_values &v) {
    std::string line;
    walk(
        perf_template, [&](std::string_view text) { line += text; },
        [&](const placeholder &p, modifiers m) { line += p.text(v, m); });
    return line;
}

} // namespace benchdnn_lite
