// SPDX-License-Identifier: Apache-2.0
// argument_map: checks the argument list of an execution of a primitive, and turns it into pointers.
#pragma once

#include "../../norm/aliases.hpp"
#include "../memory/memory.hpp"
#include "primitive_desc.hpp"

namespace jitnorm::impl::api {

class argument_map {
public:
    // Keeps pointers into `what`.
    explicit argument_map(const described &what);

    // Whether some sizes or strides are known at execution only.
    bool has_runtime_sizes() const { return has_runtime_sizes_; }

    // Writes the pointers of the list to `result`, which must have been made by default. Returns invalid_arguments,
    // with the reason, unless the list is what the primitive needs; `result` is then useless. Arguments without a
    // memory count as not given, and such that the primitive ignores may be. With run-time sizes `sizes` must be a copy
    // of the primitive's problem, and gets the memories' descriptors; otherwise it is null. This function allocates
    // nothing.
    //
    // It handles arguments in slots of plain_, of which almost all lists consist. resolve_rest() handles the others,
    // from the first argument on that needs further checks.
    [[gnu::always_inline]] status resolve(int nargs, const jitnorm_exec_arg_t *args, layer_norm::arguments &result,
                                          layer_norm::problem *sizes = nullptr) const noexcept {
        slot_set plain = plain_; // those that have not been given yet
        const jitnorm_exec_arg_t *const end = args + nargs;
        for (; args != end; ++args) {
            const slot s = slot_of(args->arg);
            const jitnorm_memory *const memory = args->memory;
            if ((plain & only(s)) == 0 || memory == nullptr) break;
            if (memory->key != keys_[s] || memory->handle == nullptr) break;
            plain ^= only(s);
            result.put_unmarked(s, memory->handle);
        }
        result.mark_as_set(plain_ ^ plain);
        if (args != end || plain != 0 || plain_ != required_ || has_runtime_sizes_ || aliases_.finds_alias(result))
            JITNORM_TRY(resolve_rest(int(end - args), args, (required_ | ignored_) ^ plain_ ^ plain, result, sizes));
        if (void *const scratchpad = result[SCRATCHPAD]) result.set(SCRATCHPAD, align_up(scratchpad));
        return {};
    }

private:
    using slot_set = uint64_t; // bit s: slot s
    static_assert(SLOT_COUNT < 64);
    // For NO_SLOT this is a bit that no set has.
    static constexpr slot_set only(slot s) { return slot_set(1) << (unsigned(s) % 64); }

    struct reading;

    [[gnu::noinline]] status resolve_rest(int nargs, const jitnorm_exec_arg_t *args, slot_set awaited,
                                          layer_norm::arguments &result, layer_norm::problem *sizes) const noexcept;

    status take(const jitnorm_exec_arg_t &argument, reading &list) const noexcept;

    // Puts the descriptors of the given memories into `sizes`. All descriptors must make one problem.
    status fill_in(const reading &list, layer_norm::problem &sizes) const noexcept;

    // Refuses an output whose handle another tensor has too, although the two may not share memory. With run-time sizes
    // aliases_ finds more pairs than these.
    status check_addresses(const reading &list) const noexcept;

    uint64_t keys_[SLOT_COUNT]; // layout_key() of the descriptors
    const memory_desc *mds_[SLOT_COUNT];
    slot_set required_ = 0;
    slot_set ignored_ = 0;
    slot_set outputs_ = 0;
    slot_set with_elements_ = 0; // their handles must not be null
    slot_set runtime_ = 0;       // their sizes or strides are known at execution only
    slot_set plain_ = 0;         // required, and their keys say all
    bool has_runtime_sizes_;
    layer_norm::alias_check aliases_;
};

} // namespace jitnorm::impl::api
