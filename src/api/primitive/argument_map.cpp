// SPDX-License-Identifier: Apache-2.0
#include "argument_map.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <utility>

#include "../../tensor/names.hpp"

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
// The problem itself is checked by validate(), not here. A dimension that is left to run time cannot be broadcast (of
// scale, shift, gate or a post-op), because the executor was made for a dimension of src's size.
bool agrees(const memory_desc &md, const memory_desc &pattern, slot s, const layer_norm::problem &sizes) {
    for (int d = 0; md.ndims == sizes[SRC].ndims && d < md.ndims; ++d)
        if (pattern.dims[d] == RUNTIME_DIM && md.dims[d] != sizes[SRC].dims[d]) return false;
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

// ---- the map

// The state while a list is read: the slots that have not been given yet, the slots of tensors with elements.
struct argument_map::reading {
    slot_set awaited, with_elements;
    layer_norm::arguments &result;
    const jitnorm_memory *memories[SLOT_COUNT]; // set for the given slots that have run-time sizes

    reading(slot_set slots, slot_set with_elements_before, layer_norm::arguments &to)
        : awaited(slots), with_elements(with_elements_before), result(to) {}
};

argument_map::argument_map(const described &what)
    : has_runtime_sizes_(what.problem.has_runtime_sizes()),
      aliases_(what.problem, what.tensors[SCRATCHPAD].ndims != 0) {
    const layer_norm::problem &p = what.problem;
    const size_t slots = FIRST_POST_OP + p.attr.post_ops.entries.size();
    for (size_t i = 0; i < slots; ++i) {
        const slot s = slot(i);
        const tensor t = tensor_of(what, s);
        if (t.as == role::absent) continue;
        mds_[s] = t.md;
        keys_[s] = layout_key(*t.md);
        (t.as == role::ignored ? ignored_ : required_) |= only(s);
        if (t.as == role::output) outputs_ |= only(s);
        if (keys_[s] != 0) plain_ |= only(s);
        if (has_runtime_dims(*t.md))
            runtime_ |= only(s);
        else if (bytes(*t.md) != 0)
            with_elements_ |= only(s);
    }
    plain_ &= required_ & ~runtime_;
}

status argument_map::resolve_rest(int nargs, const jitnorm_exec_arg_t *args, slot_set awaited,
                                  layer_norm::arguments &result, layer_norm::problem *sizes) const noexcept {
    reading list(awaited, with_elements_, result);
    for (int i = 0; i < nargs; ++i)
        if (args[i].memory != nullptr) JITNORM_TRY(take(args[i], list));
    if (const slot_set missing = required_ & list.awaited; missing != 0)
        return complain(arg_of(first_of(missing)), "is missing");
    if (sizes != nullptr) JITNORM_TRY(fill_in(list, *sizes));
    return aliases_.finds_alias(result) ? check_addresses(list) : status();
}

status argument_map::take(const jitnorm_exec_arg_t &argument, reading &list) const noexcept {
    const slot s = slot_of(argument.arg);
    if (s == NO_SLOT || ((required_ | ignored_) & only(s)) == 0)
        return invalid(explain("argument %s does not belong to this primitive: %s", argument_name(argument.arg).text,
                               why_absent(s)));
    if ((list.awaited & only(s)) == 0) return complain(argument.arg, "is given twice");
    list.awaited ^= only(s);
    if ((ignored_ & only(s)) != 0) return {};
    const jitnorm_memory &memory = *argument.memory;
    const bool has_runtime_sizes = (runtime_ & only(s)) != 0, says_all = keys_[s] != 0 && !has_runtime_sizes;
    if (says_all ? memory.key != keys_[s] : !fits(memory.md, *mds_[s]))
        return explain_difference(argument.arg, memory.md, *mds_[s]);
    if (has_runtime_sizes && bytes(memory.md) != 0) list.with_elements |= only(s);
    if (memory.handle == nullptr && (list.with_elements & only(s)) != 0)
        return complain(argument.arg, "has a memory without data");
    list.memories[s] = &memory;
    list.result.set(s, memory.handle);
    return {};
}

status argument_map::fill_in(const reading &list, layer_norm::problem &sizes) const noexcept {
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

status argument_map::check_addresses(const reading &list) const noexcept {
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
                return invalid(
                    layer_norm::explain_alias(argument_name(arg_of(output)).text, argument_name(arg_of(other)).text));
        }
    }
    return {};
}

} // namespace jitnorm::impl::api
