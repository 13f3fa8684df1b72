// SPDX-License-Identifier: Apache-2.0
// C interface: primitives and their execution.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <utility>

#include "../../base/thread_state.hpp"
#include "../../base/verbose.hpp"
#include "../../dispatch/object_cache.hpp"
#include "../../dispatch/ready_call.hpp"
#include "../../norm/aliases.hpp"
#include "../../tensor/names.hpp"
#include "../memory/memory.hpp"
#include "jitnorm/jitnorm.h"
#include "primitive_desc.hpp"

namespace jitnorm::impl::api {

namespace {

// ---- reasons of refusals

// "DIFF_SHIFT", "ATTR_MULTIPLE_POST_OP(1)|SRC_1"; the number of an argument that no primitive has.
short_text argument_name(int arg) noexcept {
    short_text result;
    const int index = arg / JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    const int low = arg < JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE ? arg & ~JITNORM_ARG_ATTR_SCALES
                                                                 : arg % JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE;
    const auto found = std::ranges::find(layer_norm::TENSORS, low, &layer_norm::tensor_kind::arg);
    const bool is_tensor = found != layer_norm::TENSORS.end(), is_workspace = low == JITNORM_ARG_WORKSPACE;
    const char *name = is_workspace ? "WORKSPACE" : is_tensor ? found->arg_name : nullptr;
    if (arg < 0 || name == nullptr)
        std::snprintf(result.text, sizeof result.text, "%d", arg);
    else if (index >= 0)
        std::snprintf(result.text, sizeof result.text, "ATTR_MULTIPLE_POST_OP(%d)|%s", index, name);
    else
        std::snprintf(result.text, sizeof result.text, "%s%s", low != arg ? "ATTR_SCALES|" : "", name);
    return result;
}

// Says why a memory with this descriptor cannot be the argument for which the primitive has the descriptor `wanted`.
status explain_difference(int arg, const memory_desc &given, const memory_desc &wanted) noexcept {
    const short_text name = argument_name(arg);
    const auto fit = [](dim_t number, dim_t pattern) { return match(number, pattern, RUNTIME_DIM); };
    if (!std::ranges::equal(dims_of(given), dims_of(wanted), fit))
        return invalid(explain("argument %s has the dimensions %s, the primitive's are %s", name.text,
                               dims_text(given).text, dims_text(wanted).text));
    if (given.data_type != wanted.data_type)
        return invalid(explain("argument %s has the data type %s, the primitive's is %s", name.text,
                               text_of(given.data_type), text_of(wanted.data_type)));
    return invalid(explain("argument %s has another layout than the primitive's (compare the memory's descriptor with "
                           "jitnorm_primitive_desc_query_md)",
                           name.text));
}

// ---- descriptors with sizes or strides from the memories of an execution

// Whether a memory with the descriptor `md`, which fits the pattern, may be in this slot of a problem with these sizes.
// The problem itself is checked by validate(), not here. A dimension of a post-op that is left to run time cannot be
// broadcast, because the kernel was made for a dimension of dst's size.
bool agrees(const memory_desc &md, const memory_desc &pattern, slot s, const layer_norm::problem &sizes) {
    for (int d = 0; s >= FIRST_POST_OP && d < md.ndims; ++d)
        if (pattern.dims[d] == RUNTIME_DIM && md.dims[d] != sizes[DST].dims[d]) return false;
    if (s >= FIRST_POST_OP) return true;
    using layer_norm::extent;
    const extent dims = layer_norm::TENSORS[size_t(s)].dims;
    const bool follows = dims == extent::statistics || dims == extent::columns || dims == extent::gradient;
    return !follows || same_tensor(md, sizes.layout(s));
}

[[gnu::cold, gnu::noinline]] status complain(int arg, const char *reason) noexcept {
    return invalid(explain("argument %s %s", argument_name(arg).text, reason));
}

// What would have to be asked for, so that a primitive had the tensor.
constexpr std::pair<slot, const char *> WHY_ABSENT[] = {
    {DST, "backward has none, nor has forward with an empty dst_desc"},
    {MEAN, "forward_inference has statistics only with use_global_stats, and rms_norm has no mean"},
    {VARIANCE, "forward_inference has statistics only with use_global_stats"},
    {SCALE, "use_scale is not set"},
    {SHIFT, "use_shift is not set"},
    {DIFF_DST, "only backward has it"},
    {DIFF_SRC, "only backward has it"},
    {DIFF_SCALE, "only prop_kind backward has it, with use_scale"},
    {DIFF_SHIFT, "only prop_kind backward has it, with use_shift"},
    {RESIDUAL, "jitnorm_primitive_attr_set_residual has set no residual, or backward has no gate"},
    {SUM, "jitnorm_primitive_attr_set_residual has set no sum, or the primitive is backward"},
    {BIAS, "jitnorm_primitive_attr_set_residual has set no bias, or the primitive is backward"},
    {GATE, "jitnorm_primitive_attr_set_residual_gate has set no gate, or there is no residual"},
    {DIFF_SUM, "jitnorm_primitive_attr_set_residual has set no sum, or the primitive is forward"},
    {DIFF_GATED, "jitnorm_primitive_attr_set_residual_gate has set no gate, or the primitive is forward"},
    {DIFF_GATE, "only prop_kind backward has it, with a gate (jitnorm_primitive_attr_set_residual_gate)"},
#define FURTHER_OUTPUT(place, number, attribute, ...)                                                                  \
    {place, "jitnorm_primitive_attr_set_" #attribute "_dst has set no output"},
#include "../../../tables/outputs.inc"
    {SRC_SCALE, "the attributes have no scale of src (jitnorm_primitive_attr_set_scales_mask)"},
    {DST_SCALE, "the attributes have no scale of dst (jitnorm_primitive_attr_set_scales_mask)"},
    {ROW_SUMS, "the primitive normalizes whole rows"},
    {SCRATCHPAD, "the scratchpad mode is not user"}};
static_assert(std::size(WHY_ABSENT) == FIRST_POST_OP - 1); // every primitive has src

const char *why_absent(slot s) {
    if (s == NO_SLOT) return "unknown argument";
    if (s >= FIRST_POST_OP) return "the attributes have no binary post-op of this number";
    const auto *const found = std::ranges::find(WHY_ABSENT, s, &std::pair<slot, const char *>::first);
    return found == std::end(WHY_ABSENT) ? "" : found->second;
}

slot first_of(uint64_t slots) { return slot(std::countr_zero(slots)); }

} // namespace

// ---- the argument list of an execution

// Checks the list and turns it into pointers.
class argument_map {
public:
    // Keeps pointers into `what`.
    explicit argument_map(const described &what)
        : has_runtime_sizes_(what.problem.has_runtime_sizes()),
          aliases_(what.problem, what.tensors[SCRATCHPAD].ndims != 0) {
        const layer_norm::problem &p = what.problem;
        const size_t slots = FIRST_POST_OP + p.attr.post_ops.entries.size();
        for (size_t i = 0; i < slots; ++i) {
            const slot s = slot(i);
            const tensor t = tensor_of(what, s);
            if (t.as == role::absent) continue;
            mds_[s] = t.md;
            words_[s] = word_of(*t.md);
            (t.as == role::ignored ? ignored_ : required_) |= only(s);
            if (t.as == role::output) outputs_ |= only(s);
            if (words_[s] != 0) plain_ |= only(s);
            if (has_runtime_dims(*t.md))
                runtime_ |= only(s);
            else if (bytes(*t.md) != 0)
                with_elements_ |= only(s);
        }
        plain_ &= required_ & ~runtime_;
    }

    // Whether some sizes or strides are known at execution only.
    bool has_runtime_sizes() const { return has_runtime_sizes_; }

    // Writes the pointers of the list to `result`, which must have been made by default. Returns invalid_arguments,
    // with the reason, unless the list is exactly what the primitive needs; `result` is then useless. With run-time
    // sizes `sizes` must be a copy of the primitive's problem, and gets the memories' descriptors; otherwise it is
    // null. This function allocates nothing.
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
            if (memory->word != words_[s] || memory->handle == nullptr) break;
            plain ^= only(s);
            result.put(s, memory->handle);
        }
        result.mark(plain_ ^ plain);
        if (args != end || plain != 0 || plain_ != required_ || has_runtime_sizes_ || aliases_.fails(result))
            JITNORM_TRY(resolve_rest(int(end - args), args, (required_ | ignored_) ^ plain_ ^ plain, result, sizes));
        if (void *const scratchpad = result[SCRATCHPAD]) result.set(SCRATCHPAD, align_up(scratchpad));
        return {};
    }

private:
    using slot_set = uint64_t; // bit s: slot s
    static_assert(SLOT_COUNT < 64);
    // For NO_SLOT this is a bit that no set has.
    static constexpr slot_set only(slot s) { return slot_set(1) << (unsigned(s) % 64); }

    // The state while a list is read: the slots that have not been given yet, the slots of tensors with elements.
    struct reading {
        slot_set awaited, with_elements;
        layer_norm::arguments &result;
        const jitnorm_memory *memories[SLOT_COUNT]; // set for the given slots that have run-time sizes

        reading(slot_set slots, slot_set with_elements_before, layer_norm::arguments &to)
            : awaited(slots), with_elements(with_elements_before), result(to) {}
    };

    [[gnu::noinline]] status resolve_rest(int nargs, const jitnorm_exec_arg_t *args, slot_set awaited,
                                          layer_norm::arguments &result, layer_norm::problem *sizes) const noexcept {
        reading list(awaited, with_elements_, result);
        for (int i = 0; i < nargs; ++i)
            if (args[i].memory != nullptr) JITNORM_TRY(take(args[i], list));
        if (const slot_set missing = required_ & list.awaited; missing != 0)
            return complain(arg_of(first_of(missing)), "is missing");
        if (sizes != nullptr) JITNORM_TRY(fill_in(list, *sizes));
        return aliases_.fails(result) ? check_addresses(list) : status();
    }

    status take(const jitnorm_exec_arg_t &argument, reading &list) const noexcept {
        const slot s = slot_of(argument.arg);
        if (s == NO_SLOT || ((required_ | ignored_) & only(s)) == 0)
            return invalid(explain("argument %s does not belong to this primitive: %s",
                                   argument_name(argument.arg).text, why_absent(s)));
        if ((list.awaited & only(s)) == 0) return complain(argument.arg, "is given twice");
        list.awaited ^= only(s);
        if ((ignored_ & only(s)) != 0) return {};
        const jitnorm_memory &memory = *argument.memory;
        const bool has_runtime_sizes = (runtime_ & only(s)) != 0, says_all = words_[s] != 0 && !has_runtime_sizes;
        if (says_all ? memory.word != words_[s] : !fits(memory.md, *mds_[s]))
            return explain_difference(argument.arg, memory.md, *mds_[s]);
        if (has_runtime_sizes && bytes(memory.md) != 0) list.with_elements |= only(s);
        if (memory.handle == nullptr && (list.with_elements & only(s)) != 0)
            return complain(argument.arg, "has a memory without data");
        list.memories[s] = &memory;
        list.result.set(s, memory.handle);
        return {};
    }

    // Puts the descriptors of the given memories into `sizes`. All descriptors must make one problem.
    status fill_in(const reading &list, layer_norm::problem &sizes) const noexcept {
        for (slot_set slots = runtime_ & required_; slots != 0; slots &= slots - 1) {
            const slot s = first_of(slots);
            const memory_desc &given = list.memories[s]->md;
            if (memory_desc *md = sizes.descriptor(s))
                *md = given;
            else if (s == DIFF_SHIFT && sizes[SHIFT].ndims != 0) // backward does not read shift
                sizes[SHIFT] = make_dense({given.dims, size_t(given.ndims)}, sizes.scale_shift_type);
        }
        if (!sizes.uses(VARIANCE))
            sizes[VARIANCE] = make_dense({sizes[SRC].dims, size_t(sizes[SRC].ndims - 1)}, jitnorm_f32);
        for (slot_set slots = runtime_ & required_; slots != 0; slots &= slots - 1) {
            const slot s = first_of(slots);
            if (!agrees(list.memories[s]->md, *mds_[s], s, sizes))
                return complain(arg_of(s), "has a memory whose sizes do not match those of the other arguments");
        }
        // What no implementation takes depends on strides that come this late only where scale and shift have some.
        const status fits = layer_norm::validate(sizes);
        return fits.failed() ? invalid(fits.reason) : fits;
    }

    // Refuses an output whose handle another tensor has too, although the two may not share memory. With run-time sizes
    // aliases_ fails for more than these.
    status check_addresses(const reading &list) const noexcept {
        const auto use = [&](slot s) {
            const memory_desc *md = (runtime_ & only(s)) != 0 ? &list.memories[s]->md : mds_[s];
            return layer_norm::tensor_use{int(s), s, (outputs_ & only(s)) != 0, md};
        };
        const slot_set all = required_ & list.with_elements;
        for (slot_set outputs = outputs_ & all; outputs != 0; outputs &= outputs - 1) {
            const slot output = first_of(outputs);
            for (slot_set others = all & ~only(output); others != 0; others &= others - 1) {
                const slot other = first_of(others);
                if (list.result[output] == list.result[other] && !layer_norm::may_share(use(output), use(other)))
                    return invalid(layer_norm::explain_alias(argument_name(arg_of(output)).text,
                                                             argument_name(arg_of(other)).text));
            }
        }
        return {};
    }

    uint64_t words_[SLOT_COUNT]; // word_of() the descriptors
    const memory_desc *mds_[SLOT_COUNT];
    slot_set required_ = 0;
    slot_set ignored_ = 0;
    slot_set outputs_ = 0;
    slot_set with_elements_ = 0; // their handles must not be null
    slot_set runtime_ = 0;       // their sizes or strides are known at execution only
    slot_set plain_ = 0;         // required, and their words say all
    bool has_runtime_sizes_;
    layer_norm::alias_check aliases_;
};

// ---- primitives

// The part that all primitives of one `described` share.
struct executable {
    executable(const described &what, layer_norm::ready_call made) // keeps pointers into `what`
        : call(std::move(made)), map(what) {
        const size_t wanted = what.scratchpad_bytes();
        const bool is_known = !what.problem.has_runtime_sizes() || what.user_gives_scratchpad();
        if (is_known && size_with_alignment(wanted) > bytes(what.tensors[SCRATCHPAD])) thread_bytes = wanted;
    }

    layer_norm::ready_call call;
    argument_map map;
    // The bytes that an execution takes from the executing thread's buffer: 0 if the user's scratchpad is large enough.
    // It may be too small if another implementation than the chosen one had to be used. With run-time sizes and without
    // a user's scratchpad this is 0, because each execution finds the size.
    size_t thread_bytes = 0;
};

// Returns the executable that was made for `what` before, or a new one. If another implementation has to be used,
// `what` becomes a description with that implementation. Throws std::bad_alloc, std::system_error. Such an
// executable is not kept, so the next call tries the chosen implementation again.
std::shared_ptr<const executable> executable_of(std::shared_ptr<const described> &what) {
    const bool is_kept = layer_norm::caches_objects();
    if (is_kept)
        if (auto made = what->made()) return made;
    layer_norm::ready_call call({"primitive"}, what->problem, what->solution);
    if (!call.is_as_chosen()) what = std::make_shared<const described>(*what, call.solution());
    auto made = std::make_shared<const executable>(*what, std::move(call));
    return made->call.is_as_chosen() && is_kept ? what->keep(std::move(made)) : made;
}

} // namespace jitnorm::impl::api

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

struct jitnorm_primitive {
    jitnorm_primitive_desc desc;
    std::shared_ptr<const executable> made;

    explicit jitnorm_primitive(const jitnorm_primitive_desc &pd) : desc(pd), made(executable_of(desc.what)) {
        const size_t bytes = made->thread_bytes;
        if (bytes != 0 && thread_scratchpad(bytes).data() == nullptr) throw std::bad_alloc();
    }
};

namespace {

status execute(const jitnorm_primitive &primitive, const jitnorm_stream &stream, int nargs,
               const jitnorm_exec_arg_t *args) {
    layer_norm::arguments arguments;
    const executable &made = *primitive.made;
    JITNORM_TRY(made.map.resolve(nargs, args, arguments));
    return made.call.execute(arguments, stream.thread_pool(), made.thread_bytes);
}

// Executes with the sizes of the memories. The copy of the problem allocates memory if there are post-ops.
[[gnu::noinline]] status execute_with_sizes(const jitnorm_primitive &primitive, const jitnorm_stream &stream, int nargs,
                                            const jitnorm_exec_arg_t *args) {
    const described &what = *primitive.desc.what;
    const executable &made = *primitive.made;
    layer_norm::problem sizes = what.problem;
    layer_norm::arguments arguments;
    layer_norm::plan planned;
    arguments.sizes = &sizes;
    arguments.planned = &planned;
    JITNORM_TRY(made.map.resolve(nargs, args, arguments, &sizes));
    const bool by_user = what.tensors[SCRATCHPAD].ndims != 0;
    planned = layer_norm::plan_for_sizes(what.solution, sizes, by_user ? what.scratchpad_bytes() : SIZE_MAX);
    return made.call.execute(arguments, stream.thread_pool(), by_user ? made.thread_bytes : planned.scratchpad.bytes());
}

} // namespace

jitnorm_status_t jitnorm_primitive_create(jitnorm_primitive_t *primitive,
                                          const_jitnorm_primitive_desc_t primitive_desc) {
    JITNORM_REFUSE_NULL(primitive, primitive_desc);
    return guarded(__func__, [&] {
        using layer_norm::stopwatch;
        const bool is_timed = verbose_level() >= 2; // reading the clock takes longer than finding a primitive
        const auto start = is_timed ? stopwatch::now() : stopwatch::time_point();
        auto made = std::make_unique<jitnorm_primitive>(*primitive_desc);
        if (is_timed) made->made->call.log("create", start);
        *primitive = made.release();
    });
}

jitnorm_status_t jitnorm_primitive_get_cache_blob(const_jitnorm_primitive_t primitive, size_t *size, uint8_t *) {
    JITNORM_REFUSE_NULL(primitive, size);
    *size = 0;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_create_from_cache_blob(jitnorm_primitive_t *primitive,
                                                          const_jitnorm_primitive_desc_t primitive_desc, size_t size,
                                                          const uint8_t *) {
    if (size != 0) return report(__func__, invalid("cache_blob was not made by this library"));
    return jitnorm_primitive_create(primitive, primitive_desc);
}

jitnorm_status_t jitnorm_primitive_execute(const_jitnorm_primitive_t primitive, jitnorm_stream_t stream, int nargs,
                                           const jitnorm_exec_arg_t *args) {
    if (any_null(primitive, stream) || (nargs > 0 && args == nullptr))
        return report_null(__func__, "primitive, stream, args", {primitive, stream, args});
    if (nargs < 0) return report(__func__, invalid(explain("nargs is %d, which is negative", nargs)));
    return guarded(__func__, [&] {
        return primitive->made->map.has_runtime_sizes() ? execute_with_sizes(*primitive, *stream, nargs, args)
                                                        : execute(*primitive, *stream, nargs, args);
    });
}

JITNORM_GETTER(jitnorm_primitive_get_primitive_desc, const_jitnorm_primitive_t, primitive,
               const_jitnorm_primitive_desc_t, primitive_desc, &primitive->desc)

jitnorm_status_t jitnorm_primitive_destroy(jitnorm_primitive_t primitive) { return destroy(primitive); }
