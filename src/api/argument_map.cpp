// SPDX-License-Identifier: Apache-2.0
#include "argument_map.hpp"

#include <bit>
#include <cstdio>

#include "../core/verbose.hpp"
#include "memory.hpp"
#include "tensor_match.hpp"

namespace jitnorm::impl::api {

namespace {

jitnorm_status_t complain(int arg, const char *reason) noexcept {
    if (verbose_level() >= 1) {
        char text[160];
        std::snprintf(text, sizeof text, "jitnorm_primitive_execute,invalid_arguments,argument %d: %s", arg, reason);
        log_line("error", text);
    }
    return jitnorm_invalid_arguments;
}

void *align(void *pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    return static_cast<char *>(pointer) + ((ALIGNMENT - address % ALIGNMENT) % ALIGNMENT);
}

slot first_of(uint64_t slots) { return slot(std::countr_zero(slots)); }

} // namespace

argument_map::argument_map(const jitnorm_primitive_desc &pd) {
    for (int i = 0; i < SLOT_COUNT; ++i) {
        const slot s = slot(i);
        const tensor t = tensor_of(pd, s);
        mds_[s] = t.md;
        if (t.use == role::ignored) ignored_ |= only(s);
        if (t.use == role::input || t.use == role::output) required_ |= only(s);
        if (t.use == role::output) outputs_ |= only(s);
        if (bytes(*t.md) != 0) with_elements_ |= only(s);
    }
    const layer_norm::problem &p = pd.problem;
    if (p.is_forward() && same_tensor(p.src, p.dst)) in_place_ = only(SRC) | only(DST);
    if (!p.is_forward() && same_tensor(p.diff_dst, p.diff_src)) in_place_ = only(DIFF_DST) | only(DIFF_SRC);
}

// Null, or why the argument cannot be taken.
const char *argument_map::take(const jitnorm_exec_arg_t &argument, handles &into) const noexcept {
    const slot s = slot_of(argument.arg);
    if (s == NO_SLOT || ((required_ | ignored_) & only(s)) == 0) return "the primitive has no such argument";
    if ((into.given & only(s)) != 0) return "given twice";
    into.given |= only(s);
    if ((ignored_ & only(s)) != 0) return nullptr;
    if (!same_tensor(argument.memory->md, *mds_[s])) return "its memory has another descriptor than the primitive's";
    into.at[s] = argument.memory->handle;
    return into.at[s] == nullptr && (with_elements_ & only(s)) != 0 ? "its memory has no data" : nullptr;
}

// An output whose handle another tensor has too; NO_SLOT if there is none.
slot argument_map::find_alias(const handles &from) const noexcept {
    for (slot_set outputs = outputs_ & with_elements_; outputs != 0; outputs &= outputs - 1) {
        const slot output = first_of(outputs);
        for (slot_set others = required_ & with_elements_ & ~only(output); others != 0; others &= others - 1) {
            const slot other = first_of(others);
            if (from.at[output] == from.at[other] && (only(output) | only(other)) != in_place_) return output;
        }
    }
    return NO_SLOT;
}

void argument_map::fill(const handles &from, layer_norm::arguments &result) const noexcept {
    result.src = from.at[SRC];
    result.dst = from.at[DST];
    result.mean = from.at[MEAN];
    result.variance = from.at[VARIANCE];
    result.scale = from.at[SCALE];
    result.shift = from.at[SHIFT];
    result.diff_dst = from.at[DIFF_DST];
    result.diff_src = from.at[DIFF_SRC];
    result.diff_scale = from.at[DIFF_SCALE];
    result.diff_shift = from.at[DIFF_SHIFT];
    result.src_scale = static_cast<const float *>(from.at[SRC_SCALE]);
    result.dst_scale = static_cast<const float *>(from.at[DST_SCALE]);
    result.scratchpad = align(from.at[SCRATCHPAD]);
    for (slot_set post_ops = required_ & ~(only(FIRST_POST_OP) - 1); post_ops != 0; post_ops &= post_ops - 1) {
        const slot s = first_of(post_ops);
        result.post_op_src[s - FIRST_POST_OP] = from.at[s];
    }
}

jitnorm_status_t argument_map::resolve(int nargs, const jitnorm_exec_arg_t *args,
                                       layer_norm::arguments &result) const noexcept {
    handles found;
    for (int i = 0; i < nargs; ++i) {
        if (args[i].memory == nullptr) continue;
        if (const char *reason = take(args[i], found)) return complain(args[i].arg, reason);
    }
    if (const slot_set missing = required_ & ~found.given; missing != 0)
        return complain(arg_of(first_of(missing)), "missing");
    if (const slot alias = find_alias(found); alias != NO_SLOT)
        return complain(arg_of(alias), "this output has the handle of another tensor");
    fill(found, result);
    return jitnorm_success;
}

} // namespace jitnorm::impl::api
