// SPDX-License-Identifier: Apache-2.0
// Makes the combinations of the settings' lists.
#include "settings.hpp"

#include <algorithm>

#include "../error.hpp"
#include "../problem/tag.hpp"

namespace benchdnn_lite {

namespace {

constexpr size_t MAX_JOBS = 250'000;

[[noreturn]] void reject_too_many() {
    throw input_error("the knobs make more than ", std::to_string(MAX_JOBS), " problems");
}

// Calls visit(values) for each list that is not empty. The list that varies fastest comes first.
template <typename Visit>
void for_each_list(const settings &s, Visit visit) {
    const auto knobs = problem_knobs();
    const size_t in_place = size_t(find_named(knobs, "inplace") - knobs.data());
    if (!s.lists[in_place].empty()) visit(s.lists[in_place]);
    for (size_t i = knobs.size(); i-- > 0;)
        if (i != in_place && !s.lists[i].empty()) visit(s.lists[i]);
}

size_t count_combinations(const settings &s) {
    size_t count = 1;
    for_each_list(s, [&](const auto &values) {
        if (values.size() > MAX_JOBS / count) reject_too_many();
        count *= values.size();
    });
    return count;
}

problem combination(const settings &s, const shape &size, size_t number) {
    problem p;
    p.size = size;
    p.filter = s.filter;
    for_each_list(s, [&](const auto &values) {
        values[number % values.size()](p);
        number /= values.size();
    });
    return p;
}

// A blocked tag without an enumerator of the library is a mistake. Each value of a list is looked at once, because that
// takes long.
void check_enumerators(const settings &s) {
    for (const auto &values : s.lists)
        for (const problem_setter &set : values) {
            problem p;
            set(p);
            for (const std::string &tag : {p.tags.src, p.tags.dst, p.tags.diff_src})
                if (!tag.empty()) blame("--tag", [&] { check_tag_name(tag, true); });
            blame("--stat_tag", [&] { check_tag_name(p.stat_tag, true); });
        }
}

void check_tag(std::string_view knob, const std::string &tag, size_t ndims) {
    if (!tag.empty()) blame(concat("--", knob), [&] { return canonical_tag(tag, ndims); });
}

void check_tags(const problem &p) {
    for (const std::string &tag : {p.tags.src, p.tags.dst, p.tags.diff_src}) check_tag("tag", tag, p.ndims());
    check_tag("stat_tag", p.stat_tag, p.ndims() - 1);
    for_each_row_tensor(p.attr,
                        [&](const residual_tensor &t, std::string_view knob) { check_tag(knob, t.tag, p.ndims()); });
    for (const post_op &op : p.attr.post_ops)
        if (const auto *binary = std::get_if<binary_post_op>(&op)) check_tag("attr-post-ops", binary->tag, p.ndims());
}

void check_residual(const problem &p) {
    if (p.is_forward() && !p.attr.residual.added && p.attr.residual.sum)
        throw input_error("--attr-residual: a forward problem with dst1 needs src1");
}

void check_third_fields(const problem &p) {
    constexpr std::string_view REASON = " is diff_src's, which a forward problem does not have";
    if (!p.is_forward()) return;
    if (p.types.diff_src != p.types.src) throw input_error("--dt: the third type", REASON);
    if (!p.tags.diff_src.empty()) throw input_error("--tag: the third tag", REASON);
}

} // namespace

std::string job::line() const {
    std::string text;
    const auto knob = [&](bool differs, std::string_view name, std::string_view value) {
        if (differs || options.canonical) text += concat("--", name, "=", value, " ");
    };
    knob(options.mode != run_mode{}, "mode", to_text(options.mode));
    knob(options.modifiers != mode_modifiers{}, "mode-modifier", to_text(options.modifiers));
    knob(options.seed != run_options{}.seed, "seed", std::to_string(options.seed));
    text += "--lnorm ";
    knob(false, "engine", "cpu");
    knob(!options.enum_tags_only, "allow-enum-tags-only", bool_text(options.enum_tags_only));
    knob(options.cold_cache != cold_cache_mode{}, "cold-cache", to_text(options.cold_cache));
    return text + prb.line(options.canonical);
}

void job_list::append(std::shared_ptr<const job_settings> from, const shape &size) {
    group added{std::move(from), size, {}, this->size()};
    const auto &[lists, options] = *added.from;
    const size_t count = count_combinations(lists);
    if (options.enum_tags_only) check_enumerators(lists);
    for (size_t number = 0; number < count; ++number) {
        const job next{combination(lists, size, number), options};
        check_tags(next.prb);
        check_third_fields(next.prb);
        check_residual(next.prb);
        if (!lists.match.empty() && has_match(next.line(), lists.match)) added.chosen.push_back(uint32_t(number));
    }
    const size_t kept = lists.match.empty() ? count : added.chosen.size();
    if (kept > (MAX_JOBS - added.end) / size_t(options.repeats)) reject_too_many();
    if (kept == 0) return;
    added.end += kept * size_t(options.repeats);
    groups_.push_back(std::move(added));
}

const job_list::group &job_list::group_of(size_t number) const {
    return *std::upper_bound(groups_.begin(), groups_.end(), number,
                             [](size_t n, const group &g) { return n < g.end; });
}

job job_list::operator[](size_t number) const {
    const group &g = group_of(number);
    const auto &[lists, options] = *g.from;
    const size_t begin = &g == groups_.data() ? 0 : (&g)[-1].end;
    const size_t kept = (number - begin) / size_t(options.repeats);
    return {combination(lists, g.size, g.chosen.empty() ? kept : g.chosen[kept]), options};
}

} // namespace benchdnn_lite
