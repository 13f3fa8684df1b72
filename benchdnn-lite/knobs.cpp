// SPDX-License-Identifier: Apache-2.0
// The table of options. Adding a knob is adding a row (and, for a driver's list, its place in the cross product).
#include "knobs.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "error.hpp"
#include "tag.hpp"
#include "text.hpp"

namespace benchdnn_lite {

namespace {

// The elements of a comma-separated list, each read by `parse`.
template <typename Value, typename Parse>
void set_list(std::vector<Value> &list, std::string_view text, Parse parse) {
    std::vector<Value> values;
    for (const std::string &part : split(text, ',')) values.push_back(parse(part));
    list = std::move(values);
}

// An empty statistics tag leaves the layout to the library, as benchdnn has it.
std::string parse_stat_tag(std::string_view text) {
    if (text.empty()) return std::string(TAG_UNDEF);
    check_tag_name(text);
    return std::string(text);
}

float parse_epsilon(std::string_view text) {
    const float epsilon = parse_float(text);
    if (epsilon < 0) throw input_error("'", text, "' is negative");
    return epsilon;
}

void set_mode(knob_state &state, std::string_view text) {
    run_options options = state.options;
    options.check = options.time = options.list = false;
    for (const char letter : text) {
        switch (std::toupper(static_cast<unsigned char>(letter))) {
        case 'C':
            options.check = true;
            break;
        case 'P':
            options.time = true;
            break;
        case 'L':
            options.list = true;
            break;
        default:
            throw input_error("mode '", text, "' is none of C, P, CP, L");
        }
    }
    if (text.empty() || (options.list && text.size() > 1))
        throw input_error("mode '", text, "' is none of C, P, CP, L");
    state.options = options;
}

// Saturates as benchdnn does.
void set_max_ms(knob_state &state, std::string_view text) {
    state.options.max_ms = std::clamp(double(parse_float(text)), 10.0, 60000.0);
}

void set_fixed_times(knob_state &state, std::string_view text) {
    state.options.fixed_times = parse_integer(text, 0, std::numeric_limits<int32_t>::max());
}

void set_seed(knob_state &state, std::string_view text) {
    state.options.seed = uint64_t(parse_integer(text, 0, std::numeric_limits<int64_t>::max()));
}

#define LIST(member, parse) [](knob_state &s, std::string_view v) { set_list(s.driver.member, v, parse); }

const knob TABLE[] = {
    {"dir", "FWD_D,FWD_I,BWD_D,BWD_DW",
     "forward training, forward inference, backward of data, of data and weights (FWD_D)", LIST(dirs, parse_direction)},
    {"dt", "SRC[:DST[:DIFF_SRC]],...", "data types, of f32 bf16 f16 f64 s8 u8 (f32)", LIST(types, parse_row_types)},
    {"tag", "SRC[:DST[:DIFF_SRC]],...", "layouts: abx axb xba any, acb, aBx8b, tnc, ... (abx:any)",
     LIST(tags, parse_row_tags)},
    {"stat_tag", "TAG,...", "layouts of mean and variance, or undef (any)", LIST(stat_tags, parse_stat_tag)},
    {"ss_dt", "TYPE[:GRADIENT],...", "data types of scale and shift, of f32 bf16 f16 (f32)",
     LIST(scale_shift_types, parse_weight_types)},
    {"flags", "[G][C][H][M],...", "global statistics, scale, shift, root mean square (none)", LIST(flags, parse_flags)},
    {"eps", "X,...", "epsilon (0.0625, benchdnn's)", LIST(epsilons, parse_epsilon)},
    {"attr-scales", "ARG:common:X[+...],...", "scales of src and dst, as src:common:64+dst:common:0.5 (none)",
     LIST(scales, parse_scales)},
    {"attr-post-ops", "OP[:...][+...],...", "post-operations, as sum+add:f32:per_oc,linear:0.5:-1 (none)",
     LIST(post_ops, parse_post_ops)},
    {"attr-scratchpad", "library|user,...", "who owns the scratchpad (library)",
     LIST(user_scratchpad, parse_user_scratchpad)},
    {"inplace", "true|false,...", "dst = src, diff_src = diff_dst (false)", LIST(in_place, parse_bool)},
    {"mode", "C|P|CP|L", "check results, time, both, or list the problems (C)", set_mode},
    {"max-ms-per-prb", "MS", "timing stops after this long, 10 to 60000 (3000)", set_max_ms},
    {"fix-times-per-prb", "N", "executions to time instead; 0: until the time is up (0)", set_fixed_times},
    {"seed", "N", "of the random data (1)", set_seed},
    {"reset", "", "back to the defaults of the knobs above from --dir to --inplace",
     [](knob_state &s, std::string_view) { s.driver = settings{}; }},
    {"help", "", "this text", [](knob_state &s, std::string_view) { s.help = true; }},
};

#undef LIST

} // namespace

std::span<const knob> knobs() { return TABLE; }

const knob *find_knob(std::string_view name) {
    const auto entry = std::find_if(std::begin(TABLE), std::end(TABLE), [&](const knob &k) { return k.name == name; });
    return entry == std::end(TABLE) ? nullptr : entry;
}

} // namespace benchdnn_lite
