// SPDX-License-Identifier: Apache-2.0
// Makes the cross product of the settings' lists.
#include "settings.hpp"

#include "../error.hpp"
#include "../problem/tag.hpp"

namespace benchdnn_lite {

namespace {

constexpr size_t MAX_JOBS = 250'000;

using problems = std::vector<problem>;

// Copies each problem once for each value of the list, and assigns the value to the copy.
template <typename List, typename Assign>
problems cross(const problems &so_far, const List &values, Assign assign) {
    if (so_far.size() * values.size() > MAX_JOBS)
        throw input_error("the knobs make more than ", std::to_string(MAX_JOBS), " problems");
    problems product;
    product.reserve(so_far.size() * values.size());
    for (const problem &p : so_far)
        for (const auto &value : values) {
            product.push_back(p);
            assign(product.back(), value);
        }
    return product;
}

problems cross_product(const settings &s, const shape &size) {
    problems list(1);
    list[0].size = size;
    list[0].filter = s.filter;
    list = cross(list, s.dirs, [](problem &p, direction value) { p.dir = value; });
    list = cross(list, s.types, [](problem &p, row_types value) { p.types = value; });
    list = cross(list, s.tags, [](problem &p, const row_tags &value) { p.tags = value; });
    list = cross(list, s.stat_tags, [](problem &p, const std::string &value) { p.stat_tag = value; });
    list = cross(list, s.scale_shift_types, [](problem &p, weight_types value) { p.scale_shift = value; });
    list = cross(list, s.flags, [](problem &p, unsigned value) { p.flags = value; });
    list = cross(list, s.epsilons, [](problem &p, double value) { p.epsilon = value; });
    list = cross(list, s.unquantized, [](problem &p, const auto &value) { p.attr.unquantized = value; });
    list = cross(list, s.residuals, [](problem &p, const residual_addition &value) { p.attr.residual = value; });
    list = cross(list, s.scales, [](problem &p, const tensor_scales &value) { p.attr.scales = value; });
    list = cross(list, s.post_ops, [](problem &p, const std::vector<post_op> &value) { p.attr.post_ops = value; });
    list = cross(list, s.user_scratchpad, [](problem &p, bool value) { p.attr.user_scratchpad = value; });
    list = cross(list, s.precisions, [](problem &p, fpmath value) { p.attr.precision = value; });
    list = cross(list, s.deterministic, [](problem &p, bool value) { p.attr.deterministic = value; });
    list = cross(list, s.creations, [](problem &p, thread_context value) { p.creation = value; });
    list = cross(list, s.executions, [](problem &p, thread_context value) { p.execution = value; });
    return cross(list, s.in_place, [](problem &p, bool value) { p.in_place = value; });
}

void check_tag(std::string_view knob, const std::string &tag, size_t ndims) {
    try {
        if (!tag.empty()) canonical_tag(tag, ndims);
    } catch (const input_error &error) {
        throw input_error("--", knob, ": ", error.what());
    }
}

void check_tags(const problem &p) {
    for (const std::string &tag : {p.tags.src, p.tags.dst, p.tags.diff_src}) check_tag("tag", tag, p.ndims());
    check_tag("stat_tag", p.stat_tag, p.ndims() - 1);
    for (const auto &tensor : {p.attr.residual.added, p.attr.residual.sum})
        if (tensor) check_tag("attr-residual", tensor->tag, p.ndims());
    if (p.attr.unquantized) check_tag("attr-unquantized", p.attr.unquantized->tag, p.ndims());
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
    knob(options.judged_by != judge::oracle, "check", options.judged_by == judge::oracle ? "oracle" : "benchdnn");
    knob(options.seed != run_options{}.seed, "seed", std::to_string(options.seed));
    text += "--lnorm ";
    knob(false, "engine", "cpu");
    knob(!options.enum_tags_only, "allow-enum-tags-only", options.enum_tags_only ? "true" : "false");
    knob(options.cold_cache != cold_cache_mode{}, "cold-cache", to_text(options.cold_cache));
    return text + prb.line(options.canonical);
}

void append_problems(const settings &s, const shape &size, const run_options &options, std::vector<job> &jobs) {
    for (problem &p : cross_product(s, size)) {
        check_tags(p);
        check_third_fields(p);
        check_residual(p);
        job next{std::move(p), options};
        if (!s.match.empty() && !has_match(next.line(), s.match)) continue;
        for (int64_t i = 0; i < options.repeats && jobs.size() <= MAX_JOBS; ++i) jobs.push_back(next);
    }
    if (jobs.size() > MAX_JOBS) throw input_error("the knobs make more than ", std::to_string(MAX_JOBS), " problems");
}

} // namespace benchdnn_lite
