// SPDX-License-Identifier: Apache-2.0
#include "argument_map.hpp"

#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "../core/boundary.hpp"
#include "../core/verbose.hpp"
#include "memory.hpp"
#include "runtime_sizes.hpp"

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

// The tensors of the problem that may share their handle, if there are such.
argument_map::slot_set argument_map::in_place_pair(const layer_norm::problem &p) noexcept {
    if (p.is_forward()) return same_tensor(p.src, p.dst) ? only(SRC) | only(DST) : 0;
    return same_tensor(p.diff_dst, p.diff_src) ? only(DIFF_DST) | only(DIFF_SRC) : 0;
}

argument_map::argument_map(const jitnorm_primitive_desc &pd)
    : has_runtime_sizes_(pd.problem.has_runtime_sizes()), in_place_(in_place_pair(pd.problem)) {
    const layer_norm::problem &p = pd.problem;
    const size_t slots = FIRST_POST_OP + p.attr.post_ops.entries.size();
    for (size_t i = 0; i < slots; ++i) {
        const slot s = slot(i);
        const tensor t = tensor_of(pd, s);
        if (t.use == role::absent) continue;
        mds_[s] = t.md;
        digests_[s] = tensor_digest(*t.md);
        (t.use == role::ignored ? ignored_ : required_) |= only(s);
        if (t.use == role::output) outputs_ |= only(s);
        if (digests_[s].says_all()) short_ |= only(s);
        if (has_runtime_dims(*t.md))
            runtime_ |= only(s);
        else if (bytes(*t.md) != 0)
            with_elements_ |= only(s);
    }
}

void argument_map::put(layer_norm::arguments &result, slot s, void *handle) noexcept {
    std::memcpy(reinterpret_cast<std::byte *>(&result) + place_of(s), &handle, sizeof handle);
}

void *argument_map::get(const layer_norm::arguments &result, slot s) noexcept {
    void *handle;
    std::memcpy(&handle, reinterpret_cast<const std::byte *>(&result) + place_of(s), sizeof handle);
    return handle;
}

inline bool argument_map::matches(const jitnorm_memory &memory, slot s) const noexcept {
    if ((runtime_ & only(s)) != 0) return fits(memory.md, *mds_[s]);
    return memory.digest == digests_[s] && ((short_ & only(s)) != 0 || same_tensor(memory.md, *mds_[s]));
}

// Null, or why the argument cannot be taken.
inline const char *argument_map::take(const jitnorm_exec_arg_t &argument, reading &list) const noexcept {
    const slot s = slot_of(argument.arg);
    if (s == NO_SLOT || ((required_ | ignored_) & only(s)) == 0) return "the primitive has no such argument";
    if ((list.given & only(s)) != 0) return "given twice";
    list.given |= only(s);
    if ((ignored_ & only(s)) != 0) return nullptr;
    const jitnorm_memory &memory = *argument.memory;
    if (!matches(memory, s)) return "its memory has another descriptor than the primitive's";
    if ((runtime_ & only(s)) != 0) {
        list.memories[s] = &memory;
        if (bytes(memory.md) != 0) list.with_elements |= only(s);
    }
    if (memory.handle == nullptr && (list.with_elements & only(s)) != 0) return "its memory has no data";
    put(list.result, s, memory.handle);
    return nullptr;
}

// The sizes of the given memories, which must make one problem.
jitnorm_status_t argument_map::fill_in(const reading &list, layer_norm::problem &sizes) const noexcept {
    for (slot_set slots = runtime_ & required_; slots != 0; slots &= slots - 1) {
        const slot s = first_of(slots);
        if (memory_desc *md = described_by(s, sizes)) *md = list.memories[s]->md;
    }
    if (!sizes.uses_variance())
        make_with_strides(sizes.statistics, sizes.src.ndims - 1, sizes.src.dims, jitnorm_f32, nullptr);
    for (slot_set slots = runtime_ & required_; slots != 0; slots &= slots - 1) {
        const slot s = first_of(slots);
        if (!agrees(list.memories[s]->md, *mds_[s], s, sizes))
            return complain(arg_of(s), "its memory does not fit to those of the other arguments");
    }
    const verdict v = layer_norm::validate(sizes);
    return v.status == jitnorm_success ? v.status : report("jitnorm_primitive_execute", v);
}

// An output whose handle another tensor has too; NO_SLOT if there is none.
slot argument_map::find_alias(const reading &list, slot_set in_place) const noexcept {
    for (slot_set outputs = outputs_ & list.with_elements; outputs != 0; outputs &= outputs - 1) {
        const slot output = first_of(outputs);
        const void *handle = get(list.result, output);
        for (slot_set others = required_ & list.with_elements & ~only(output); others != 0; others &= others - 1) {
            const slot other = first_of(others);
            if (handle == get(list.result, other) && (only(output) | only(other)) != in_place) return output;
        }
    }
    return NO_SLOT;
}

jitnorm_status_t argument_map::resolve(int nargs, const jitnorm_exec_arg_t *args, layer_norm::arguments &result,
                                       layer_norm::problem *sizes) const noexcept {
    reading list(with_elements_, result);
    for (int i = 0; i < nargs; ++i) {
        if (args[i].memory == nullptr) continue;
        if (const char *reason = take(args[i], list)) return complain(args[i].arg, reason);
    }
    if (const slot_set missing = required_ & ~list.given; missing != 0)
        return complain(arg_of(first_of(missing)), "missing");
    if (sizes != nullptr)
        if (const auto status = fill_in(list, *sizes); status != jitnorm_success) return status;
    if (const slot alias = find_alias(list, sizes == nullptr ? in_place_ : in_place_pair(*sizes)); alias != NO_SLOT)
        return complain(arg_of(alias), "this output has the handle of another tensor");
    result.scratchpad = align(result.scratchpad);
    return jitnorm_success;
}

} // namespace jitnorm::impl::api
