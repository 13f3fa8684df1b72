// SPDX-License-Identifier: Apache-2.0
#include "argument_map.hpp"

#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstring>

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

// Where in the arguments the tensors' pointers are, in bytes.
using layer_norm::arguments;
constexpr size_t PLACES[FIRST_POST_OP] = {
    offsetof(arguments, src),        offsetof(arguments, dst),       offsetof(arguments, mean),
    offsetof(arguments, variance),   offsetof(arguments, scale),     offsetof(arguments, shift),
    offsetof(arguments, diff_dst),   offsetof(arguments, diff_src),  offsetof(arguments, diff_scale),
    offsetof(arguments, diff_shift), offsetof(arguments, src_scale), offsetof(arguments, dst_scale),
    offsetof(arguments, scratchpad),
};

size_t place_of(slot s) {
    return s < FIRST_POST_OP ? PLACES[s]
                             : offsetof(arguments, post_op_src) + size_t(s - FIRST_POST_OP) * sizeof(void *);
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

void argument_map::put(layer_norm::arguments &result, slot s, void *handle) noexcept {
    std::memcpy(reinterpret_cast<std::byte *>(&result) + place_of(s), &handle, sizeof handle);
}

void *argument_map::get(const layer_norm::arguments &result, slot s) noexcept {
    void *handle;
    std::memcpy(&handle, reinterpret_cast<const std::byte *>(&result) + place_of(s), sizeof handle);
    return handle;
}

// Null, or why the argument cannot be taken.
const char *argument_map::take(const jitnorm_exec_arg_t &argument, slot_set &given,
                               layer_norm::arguments &result) const noexcept {
    const slot s = slot_of(argument.arg);
    if (s == NO_SLOT || ((required_ | ignored_) & only(s)) == 0) return "the primitive has no such argument";
    if ((given & only(s)) != 0) return "given twice";
    given |= only(s);
    if ((ignored_ & only(s)) != 0) return nullptr;
    if (!same_tensor(argument.memory->md, *mds_[s])) return "its memory has another descriptor than the primitive's";
    if (argument.memory->handle == nullptr && (with_elements_ & only(s)) != 0) return "its memory has no data";
    put(result, s, argument.memory->handle);
    return nullptr;
}

// An output whose handle another tensor has too; NO_SLOT if there is none.
slot argument_map::find_alias(const layer_norm::arguments &result) const noexcept {
    for (slot_set outputs = outputs_ & with_elements_; outputs != 0; outputs &= outputs - 1) {
        const slot output = first_of(outputs);
        const void *handle = get(result, output);
        for (slot_set others = required_ & with_elements_ & ~only(output); others != 0; others &= others - 1) {
            const slot other = first_of(others);
            if (handle == get(result, other) && (only(output) | only(other)) != in_place_) return output;
        }
    }
    return NO_SLOT;
}

jitnorm_status_t argument_map::resolve(int nargs, const jitnorm_exec_arg_t *args,
                                       layer_norm::arguments &result) const noexcept {
    slot_set given = 0;
    for (int i = 0; i < nargs; ++i) {
        if (args[i].memory == nullptr) continue;
        if (const char *reason = take(args[i], given, result)) return complain(args[i].arg, reason);
    }
    if (const slot_set missing = required_ & ~given; missing != 0)
        return complain(arg_of(first_of(missing)), "missing");
    if (const slot alias = find_alias(result); alias != NO_SLOT)
        return complain(arg_of(alias), "this output has the handle of another tensor");
    result.scratchpad = align(result.scratchpad);
    return jitnorm_success;
}

} // namespace jitnorm::impl::api
