// SPDX-License-Identifier: Apache-2.0
// lowering: turns an operation and the descriptions of its tensors into a problem.
#include <algorithm>
#include <cstdio>

#include "../tensor/names.hpp"
#include "graph.hpp"

namespace jitnorm::impl::graph {

namespace {

// ---- Whether a description fits, and what it is as a memory descriptor. Functions that describe return false if the
// description makes no tensor.

// Whether the tensor has these dimensions. A number or size that an output leaves open fits, and becomes the one here.
bool fits(logical_tensor &lt, std::span<const dim_t> dims) {
    const auto agree = [](dim_t expected, dim_t given) { return match(expected, given, JITNORM_GRAPH_UNKNOWN_DIM); };
    const bool fit = lt.ndims == JITNORM_GRAPH_UNKNOWN_NDIMS || std::ranges::equal(dims, dims_of(lt), agree);
    if (fit) set_shape(lt, dims);
    return fit;
}

// The same for a vector of as many elements as `dims` have.
bool fits_flat(logical_tensor &lt, std::span<const dim_t> dims) {
    dim_t elements = 1;
    for (const dim_t dim : dims)
        if (__builtin_mul_overflow(elements, dim, &elements)) return false;
    return lt.ndims == 1 && fits(lt, {&elements, 1});
}

// All tensors of an execution are described here.
bool describe(const logical_tensor &lt, std::span<const dim_t> dims, const dim_t *strides, memory_desc &md) {
    return !make_with_strides(md, int(dims.size()), dims.data(), lt.data_type, strides).failed() && fits_in_memory(md);
}

// Describes the part of the tensor that the first `count` dimensions span, at index 0 of the others. Without dimensions
// it is one element.
bool describe_dims(const logical_tensor &lt, int count, memory_desc &md) {
    constexpr dim_t ONE = 1;
    return count == 0 ? describe(lt, {&ONE, 1}, &ONE, md)
                      : describe(lt, {lt.dims, size_t(count)}, lt.layout.strides, md);
}

// Describes a tensor that can be broadcast to `dims` with these dimensions: a dimension along which it is repeated has
// the stride 0.
bool describe_broadcast(const logical_tensor &lt, std::span<const dim_t> dims, memory_desc &md) {
    jitnorm_dims_t strides = {};
    const int rank = int(dims.size()), more = rank - lt.ndims;
    for (int d = std::max(0, more); d < rank; ++d)
        if (lt.dims[d - more] == dims[size_t(d)]) strides[d] = lt.layout.strides[d - more];
    return describe(lt, dims, strides, md);
}

// Refuses a tensor that cannot be broadcast to `dims`, which are src's or some of them, or has more dimensions than
// src. `name` is the tensor's name in the reason.
status check_broadcast(const logical_tensor &lt, const char *name, const logical_tensor &src,
                       std::span<const dim_t> dims) {
    if (lt.ndims <= src.ndims && broadcasts_to(lt, dims)) return ACCEPTED;
    return misfit(explain("%s is %s, which cannot be broadcast to %s of src", name, dims_text(dims_of(lt)).text,
                          dims_text(dims).text));
}

// Says why the strides of a tensor make none.
status explain_no_strides(const logical_tensor &lt, const char *name) {
    memory_desc md;
    const status made = make_with_strides(md, lt.ndims, lt.dims, lt.data_type, lt.layout.strides);
    return invalid(explain_part(name, made.failed() ? made.reason : TOO_LARGE.reason));
}

// Describes the other tensor that a follower reads, with `rank` dimensions, which are src's or 1: in front, dimensions
// of 1 are put in or left out. If the operand's layout is any, it becomes dense.
status describe_operand(logical_tensor &operand, const logical_tensor &src, int rank, memory_desc &md) {
    char name[32];
    std::snprintf(name, sizeof name, "tensor %zu", operand.id);
    if (operand.layout_type == jitnorm_graph_layout_type_any && !lay_out_densely(operand))
        return invalid(explain("%s is too large to be addressed", name));
    if (operand.layout_type != jitnorm_graph_layout_type_strided || !are_strides_known(operand))
        return invalid(explain(operand.layout_type == jitnorm_graph_layout_type_strided
                                   ? "the strides of %s are not known"
                                   : "the layout of %s is neither strided nor any",
                               name));
    JITNORM_TRY(check_broadcast(operand, name, src, dims_of(src)));
    const int kept = std::min(rank, operand.ndims); // of the operand's dimensions, the last ones
    jitnorm_dims_t dims, strides;
    std::fill_n(dims, rank, 1);
    std::fill_n(strides, rank, 1);
    std::copy_n(operand.dims + operand.ndims - kept, kept, dims + rank - kept);
    std::copy_n(operand.layout.strides + operand.ndims - kept, kept, strides + rank - kept);
    return describe(operand, {dims, size_t(rank)}, strides, md) ? ACCEPTED : explain_no_strides(operand, name);
}

// Puts a dimension of 1 in front of the others. Nothing moves by its stride, because it has a single index: if the
// natural stride overflows, it is 1. False if the result is no tensor.
bool prepend_one(memory_desc &md) {
    jitnorm_dims_t dims = {1}, strides = {};
    if (__builtin_mul_overflow(md.dims[0], md.strides[0], &strides[0])) strides[0] = 1;
    std::copy(md.dims, md.dims + md.ndims, dims + 1);
    std::copy(md.strides, md.strides + md.ndims, strides + 1);
    return make_with_strides(md, md.ndims + 1, dims, md.data_type, strides) == jitnorm_success;
}

bool is_statistics(slot s) { return layer_norm::TENSORS[size_t(s)].dims == layer_norm::extent::statistics; }
bool has_rows(slot s) { return layer_norm::TENSORS[size_t(s)].dims == layer_norm::extent::rows; }

// If all dimensions are normalized, the problem gets a dimension of 1 in front, for which there must be room.
constexpr int MOST_DIMENSIONS = MAX_NDIMS - 1;

// The steps of lowering. run() takes them in order; each relies on those before it.
class lowerer {
public:
    lowerer(const norm_op &op, lowered &result) : op_(op), result_(result) {}

    status run(tensor_list inputs, tensor_list outputs) {
        JITNORM_TRY(take(inputs, outputs));
        JITNORM_TRY(find_axis());
        for (const placed_tensor &t : result_.tensors) JITNORM_TRY(decide(t.place));
        layer_norm::problem &p = result_.problem;
        p.epsilon = op_.epsilon;
        p.normalized_axes = src().ndims - axis_;
        if (op_.is_rms) p.flags = unsigned(jitnorm_rms_norm);
        p.attr.normalizes_rounded_sum = op_.writes(SUM);
        for (const follower &f : op_.followers) JITNORM_TRY(add_follower(f, inputs));
        return ACCEPTED;
    }

private:
    bool modulates(slot s) const { return op_.is_modulated && (s == SCALE || s == SHIFT); }
    const char *name(slot s) const { return modulates(s) ? "an operand" : role_name(s, op_); }
    logical_tensor &tensor(slot s) const {
        return std::ranges::find(result_.tensors, s, &placed_tensor::place)->tensor;
    }
    // The tensor as the core has it: statistics have the dimensions that count rows; gamma, beta and their gradients
    // have the normalized dimensions or one.
    memory_desc &layout(slot s) { return has_rows(s) ? result_.problem[s] : result_.layouts[s]; }
    bool may_be_broadcast(slot s) const { return s == RESIDUAL || (op_.is_rms && !has_rows(s)); }
    const logical_tensor &src() const { return tensor(SRC); }

    // ---- what was given

    // Finds the tensor with the port's id among those given. Fails if the tensor is missing, has another type than the
    // port, or is an input of unknown shape. `called` is the tensor's name in the reason.
    status take(slot s, const port &p, const char *called, tensor_list given) {
        const auto found = std::find_if(given.begin(), given.end(), [&](auto *lt) { return lt->id == p.id; });
        if (found == given.end()) return invalid(explain("%s (tensor %zu) is missing", called, p.id));
        const logical_tensor &lt = **found;
        if (!has_legal_rank(lt)) return bad_rank(lt.ndims);
        if (lt.data_type == jitnorm_data_type_undef) return invalid(explain("%s has no data type", called));
        if (lt.data_type != p.type)
            return {jitnorm_invalid_data_type, explain("%s is %s; the operation was made with %s", called,
                                                       text_of(lt.data_type), text_of(p.type))};
        if (p.how == use::read && !is_shape_known(lt))
            return invalid(
                explain("the shape of %s (tensor %zu) is not known: inputs must be compiled with all their dimensions "
                        "(jitnorm_graph_logical_tensor_init_with_dims)",
                        called, p.id));
        result_.tensors.push_back({s, p.how == use::read, lt});
        return ACCEPTED;
    }

    status take(tensor_list inputs, tensor_list outputs) {
        for (const tensor_list &list : {inputs, outputs})
            if (std::find(list.begin(), list.end(), nullptr) != list.end())
                return invalid("a logical tensor of the list is null");
        for (int s = 0; s < FIRST_POST_OP; ++s)
            if (const port &p = op_[slot(s)]; p.how != use::absent)
                JITNORM_TRY(take(slot(s), p, name(slot(s)), p.how == use::read ? inputs : outputs));
        return ACCEPTED;
    }

    // ---- shapes

    status find_axis() {
        const int64_t rank = src().ndims;
        if (rank > MOST_DIMENSIONS)
            return unsupported(explain("src has %d dimensions; up to %d are supported", src().ndims, MOST_DIMENSIONS));
        const int64_t begin = op_.counts_axes_of_gamma ? -int64_t(tensor(SCALE).ndims) : op_.begin_norm_axis;
        if (begin < -rank || begin >= rank || (op_.counts_axes_of_gamma && begin == 0))
            return misfit(explain("the first normalized axis is %lld; src has %lld dimensions", as_number(begin),
                                  static_cast<long long>(rank)));
        axis_ = int(begin < 0 ? begin + rank : begin);
        return ACCEPTED;
    }

    // Each rule for a shape: what fits, and otherwise the difference.
    status fit_shape(slot s) {
        const std::span<const dim_t> dims = dims_of(src()), rows = dims.first(size_t(axis_));
        const std::span<const dim_t> normalized = dims.subspan(size_t(axis_));
        const auto expected = [&](bool fit, const char *of, std::span<const dim_t> wanted) {
            return fit ? ACCEPTED : misfit(explain_dims(name(s), dims_of(tensor(s)), of, wanted));
        };
        if (may_be_broadcast(s)) return check_broadcast(tensor(s), name(s), src(), s == RESIDUAL ? dims : normalized);
        if (has_rows(s)) return expected(fits(tensor(s), dims), "src", dims);
        if (!is_statistics(s))
            return expected(fits(tensor(s), normalized) || fits_flat(tensor(s), normalized), "src's normalized axes",
                            normalized);
        jitnorm_dims_t with_ones;
        std::fill(std::copy(rows.begin(), rows.end(), with_ones), std::end(with_ones), 1);
        return expected(fits(tensor(s), rows) || fits(tensor(s), {with_ones, dims.size()}),
                        "src without its normalized axes", rows);
    }

    // ---- layouts

    status lay_out(slot s) {
        logical_tensor &lt = tensor(s);
        const bool is_any = lt.layout_type == jitnorm_graph_layout_type_any;
        if (!is_any && lt.layout_type != jitnorm_graph_layout_type_strided)
            return invalid(
                explain("the layout type of %s is %d; strided or any is expected", name(s), int(lt.layout_type)));
        if (!is_any && are_strides_known(lt)) return ACCEPTED;
        if (!is_any && op_.reads(s)) return invalid(explain("the strides of %s are not known", name(s)));
        const bool follows_src = is_any && has_rows(s) && s != SRC && s != RESIDUAL;
        if (lay_out_densely(lt, follows_src ? &src() : nullptr)) return ACCEPTED;
        return invalid(explain("%s is too large to be addressed", name(s)));
    }

    status describe(slot s) {
        const logical_tensor &lt = tensor(s);
        bool fit = may_be_broadcast(s)
                       ? describe_broadcast(lt, dims_of(src()).subspan(s == RESIDUAL ? 0 : size_t(axis_)), layout(s))
                       : describe_dims(lt, is_statistics(s) ? axis_ : lt.ndims, layout(s));
        if (fit && has_rows(s) && axis_ == 0) fit = prepend_one(layout(s));
        if (!fit) return explain_no_strides(lt, name(s));
        if (!op_.writes(s) || !is_broadcast(layout(s))) return ACCEPTED;
        return invalid(explain("%s has a stride of 0 and is an output", name(s)));
    }

    status decide(slot s) {
        if (modulates(s)) return describe_modulation(s);
        JITNORM_TRY(fit_shape(s));
        JITNORM_TRY(lay_out(s));
        return describe(s);
    }

    // ---- what follows

    status describe_modulation(slot s) {
        const logical_tensor &lt = tensor(s);
        JITNORM_TRY(describe_operand(tensor(s), src(), src().ndims, layout(s)));
        if (lt.ndims > 0 && lt.dims[lt.ndims - 1] == src().dims[axis_]) return ACCEPTED;
        return misfit(explain("tensor %zu is %s, whose last dimension is not that of src, %s", lt.id,
                              dims_text(dims_of(lt)).text, dims_text(dims_of(src())).text));
    }

    status add_follower(const follower &f, tensor_list inputs) {
        std::vector<post_op> &entries = result_.problem.attr.post_ops.entries;
        if (const auto *function = std::get_if<eltwise_post_op>(&f)) {
            entries.emplace_back(*function);
            return ACCEPTED;
        }
        const auto &[alg, other] = std::get<combination>(f);
        binary_post_op binary{alg, {}};
        JITNORM_TRY(take(layer_norm::post_op_slot(entries.size()), other, "an operand", inputs));
        JITNORM_TRY(describe_operand(result_.tensors.back().tensor, src(), result_.problem[DST].ndims, binary.src1));
        entries.emplace_back(binary);
        return ACCEPTED;
    }

    const norm_op &op_;
    lowered &result_;
    int axis_ = 0; // the first normalized dimension of src
};

} // namespace

status lower(const norm_op &op, tensor_list inputs, tensor_list outputs, lowered &result) {
    return lowerer(op, result).run(inputs, outputs);
}

} // namespace jitnorm::impl::graph
