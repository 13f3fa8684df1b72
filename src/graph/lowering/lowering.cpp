// SPDX-License-Identifier: Apache-2.0
#include "lowering.hpp"

#include <algorithm>

#include "../../core/reasons.hpp"
#include "lowering_tensors.hpp"

namespace jitnorm::impl::graph {

namespace {

bool is_statistics(role r) { return r == MEAN || r == VARIANCE; }
bool is_data(role r) { return r == SRC || r == DIFF_DST || r == DST || r == SUM || r == DIFF_SRC; }

// The steps of lowering. run() takes them in order; each relies on those before it.
class lowerer {
public:
    lowerer(const norm_op &op, lowered &result) : op_(op), tensors_(result.tensors), result_(result) {}

    verdict run(tensor_list inputs, tensor_list outputs);

private:
    verdict take(tensor_list inputs, tensor_list outputs);
    verdict take(role r, tensor_list given);
    verdict find_axis();
    verdict fit_shape(role r);
    verdict lay_out(role r);
    verdict describe(role r);
    verdict add_follower(const follower &f, tensor_list inputs);
    void make_problem();
    void choose_gradients(layer_norm::problem &p) const;
    void choose_sides(layer_norm::problem &p);

    const char *name(role r) const { return role_name(r, op_); }
    logical_tensor &tensor(role r) const { return tensors_[size_t(r)]; }
    memory_desc &layout(role r) { return layouts_[size_t(r)]; }
    const logical_tensor &src() const { return tensor(SRC); }

    // Calls step(role) for the roles that are used, src first, until one fails.
    template <typename Step>
    verdict for_each_role(Step &&step) const {
        for (int r = 0; r < ROLE_COUNT; ++r) {
            if (op_[role(r)].how == port::use::unused) continue;
            if (verdict v = step(role(r)); v.failed()) return v;
        }
        return ACCEPTED;
    }

    const norm_op &op_;
    by_role<logical_tensor> &tensors_;
    lowered &result_;
    // The layouts as the problem has them: statistics have the dimensions that count rows; gamma, beta and their
    // gradients have the normalized dimensions.
    by_role<memory_desc> layouts_;
    int axis_ = 0; // the first normalized dimension of src
};

// ---------------------------------------------------------------- what was given

verdict lowerer::take(role r, tensor_list given) { return take_tensor(op_[r], name(r), given, tensor(r)); }

verdict lowerer::take(tensor_list inputs, tensor_list outputs) {
    for (const tensor_list &list : {inputs, outputs})
        if (std::find(list.begin(), list.end(), nullptr) != list.end())
            return invalid("a logical tensor of the list is null");
    return for_each_role([&](role r) { return take(r, op_.reads(r) ? inputs : outputs); });
}

// ---------------------------------------------------------------- shapes

// If all dimensions are normalized, the problem gets a dimension of 1 in front, for which there must be room.
constexpr int MOST_DIMENSIONS = MAX_NDIMS - 1;

verdict lowerer::find_axis() {
    const int64_t rank = src().ndims;
    if (rank > MOST_DIMENSIONS)
        return unsupported(explain("src has %d dimensions, up to %d are supported", src().ndims, MOST_DIMENSIONS));
    const int64_t begin = op_.counts_axes_of_gamma ? -int64_t(tensor(GAMMA).ndims) : op_.begin_norm_axis;
    if (begin < -rank || begin >= rank || (op_.counts_axes_of_gamma && begin == 0))
        return misfit(explain("the first normalized axis is %lld and src has %lld dimensions",
                              static_cast<long long>(begin), static_cast<long long>(rank)));
    axis_ = int(begin < 0 ? begin + rank : begin);
    return ACCEPTED;
}

// Each rule for a shape: what fits, and otherwise the difference.
verdict lowerer::fit_shape(role r) {
    const std::span<const dim_t> dims = dims_of(src()), rows = dims.first(size_t(axis_));
    const std::span<const dim_t> normalized = dims.subspan(size_t(axis_));
    const bool may_be_unknown = op_.writes(r);
    const auto expected = [&](bool fit, const char *of, std::span<const dim_t> wanted) {
        return fit ? ACCEPTED : misfit(explain_dims(name(r), dims_of(tensor(r)), of, wanted));
    };
    if (is_data(r)) return expected(fits(tensor(r), dims, may_be_unknown), "src", dims);
    if (r == RESIDUAL || op_.is_rms)
        return check_broadcast(tensor(r), name(r), src(), r == RESIDUAL ? dims : normalized);
    if (!is_statistics(r))
        return expected(fits(tensor(r), normalized, may_be_unknown) || fits_flat(tensor(r), normalized, may_be_unknown),
                        "src's normalized axes", normalized);
    jitnorm_dims_t with_ones;
    std::fill(std::copy(rows.begin(), rows.end(), with_ones), std::end(with_ones), 1);
    return expected(fits(tensor(r), rows, may_be_unknown) || fits(tensor(r), {with_ones, dims.size()}, may_be_unknown),
                    "src without its normalized axes", rows);
}

// ---------------------------------------------------------------- layouts

verdict lowerer::lay_out(role r) {
    logical_tensor &lt = tensor(r);
    const bool is_any = lt.layout_type == jitnorm_graph_layout_type_any;
    if (!is_any && lt.layout_type != jitnorm_graph_layout_type_strided)
        return invalid(
            explain("the layout type of %s is %d, strided or any is expected", name(r), int(lt.layout_type)));
    if (!is_any && are_strides_known(lt)) return ACCEPTED;
    if (!is_any && op_.reads(r)) return invalid(explain("the strides of %s are not known", name(r)));
    const bool fit = is_any && is_data(r) && r != SRC ? lay_out_densely_like(lt, src()) : lay_out_densely(lt);
    return fit ? ACCEPTED : invalid(explain("%s is too large to be addressed", name(r)));
}

verdict lowerer::describe(role r) {
    const int rank = src().ndims, first = is_data(r) || is_statistics(r) || r == RESIDUAL ? 0 : axis_;
    const logical_tensor &lt = tensor(r);
    const std::span<const dim_t> described = dims_of(src()).subspan(size_t(first));
    const bool is_flat = lt.ndims == 1 && first != 0 && rank - first > 1;
    bool fit = is_statistics(r)                               ? describe_dims(lt, 0, axis_, layout(r))
               : r == RESIDUAL || (op_.is_rms && !is_data(r)) ? describe_broadcast(lt, described, layout(r))
               : is_flat                                      ? describe_flat(lt, described, layout(r))
                                                              : describe_dims(lt, 0, rank - first, layout(r));
    if (fit && (is_data(r) || r == RESIDUAL) && axis_ == 0) fit = prepend_one(layout(r));
    if (!fit) return explain_no_strides(lt, name(r));
    return op_.writes(r) && is_broadcast(layout(r)) ? invalid(explain("%s has a stride of 0 and is an output", name(r)))
                                                    : ACCEPTED;
}

// ---------------------------------------------------------------- what follows

verdict lowerer::add_follower(const follower &f, tensor_list inputs) {
    std::vector<post_op> &entries = result_.problem.attr.post_ops.entries;
    if (const auto *function = std::get_if<eltwise_post_op>(&f)) {
        entries.emplace_back(*function);
        return ACCEPTED;
    }
    const auto &[alg, other] = std::get<combination>(f);
    operand taken{entries.size(), {}};
    binary_post_op binary{alg, {}};
    if (verdict v = take_tensor(other, "an operand", inputs, taken.tensor); v.failed()) return v;
    if (verdict v = describe_operand(taken.tensor, src(), result_.problem.dst.ndims, binary.src1); v.failed()) return v;
    entries.emplace_back(binary);
    result_.operands.push_back(taken);
    return ACCEPTED;
}

// ---------------------------------------------------------------- the problem

unsigned flag(bool wanted, jitnorm_normalization_flags_t value) { return wanted ? unsigned(value) : 0; }

void lowerer::choose_gradients(layer_norm::problem &p) const {
    const bool sums = op_.writes(DIFF_GAMMA) || op_.writes(DIFF_BETA);
    const auto leave_out = [&](role r, layer_norm::output o) {
        if (!op_.writes(r)) p.left_out |= unsigned(o);
    };
    p.prop_kind = sums ? jitnorm_backward : jitnorm_backward_data;
    p.flags = flag(sums || op_.reads(GAMMA), jitnorm_use_scale) | flag(sums, jitnorm_use_shift);
    p.scale_is_ones = sums && !op_.reads(GAMMA);
    leave_out(DIFF_SRC, layer_norm::output::diff_src);
    if (!sums) return;
    leave_out(DIFF_GAMMA, layer_norm::output::diff_scale);
    leave_out(DIFF_BETA, layer_norm::output::diff_shift);
    const role one = op_.writes(DIFF_GAMMA) ? DIFF_GAMMA : DIFF_BETA;
    const role other = op_.writes(DIFF_BETA) ? DIFF_BETA : DIFF_GAMMA;
    p.diff_scale_shift_type = layer_norm::common_type(op_[one].type, op_[other].type);
}

void lowerer::make_problem() {
    layer_norm::problem &p = result_.problem;
    p.epsilon = op_.epsilon;
    p.normalized_axes = src().ndims - axis_;
    p.src = layout(SRC);
    if (op_.is_forward) {
        p.prop_kind = op_.writes(MEAN) ? jitnorm_forward_training : jitnorm_forward_inference;
        p.flags = flag(op_.reads(GAMMA), jitnorm_use_scale) | flag(op_.reads(BETA), jitnorm_use_shift) |
                  flag(op_.is_rms, jitnorm_rms_norm);
        p.dst = layout(DST);
        p.attr.residual = {layout(RESIDUAL), layout(SUM), jitnorm_data_type_undef, op_.writes(SUM)};
    } else {
        choose_gradients(p);
        p.diff_dst = layout(DIFF_DST);
        p.diff_src = layout(op_.writes(DIFF_SRC) ? DIFF_SRC : DIFF_DST);
    }
    if (op_.reads(GAMMA) || op_.reads(BETA)) p.scale_shift_type = op_[op_.reads(GAMMA) ? GAMMA : BETA].type;
    choose_sides(p);
}

// problem::statistics is the layout of mean and variance if they have the same one; otherwise it is dense.
void lowerer::choose_sides(layer_norm::problem &p) {
    result_.sides = {layout(GAMMA),     layout(BETA), layout(DIFF_GAMMA),
                     layout(DIFF_BETA), layout(MEAN), layout(VARIANCE)};
    const memory_desc &given = layout(VARIANCE);
    const jitnorm_data_type_t type =
        given.ndims != 0 ? layer_norm::common_type(given.data_type, layout(MEAN).data_type) : jitnorm_f32;
    const auto rows = size_t(p.src.ndims - p.normalized_axes);
    p.statistics = given.ndims != 0 && given == layout(MEAN) ? given : make_dense({p.src.dims, rows}, type);
}

verdict lowerer::run(tensor_list inputs, tensor_list outputs) {
    if (verdict v = take(inputs, outputs); v.failed()) return v;
    if (verdict v = find_axis(); v.failed()) return v;
    const auto decide = [&](role r) {
        verdict v = fit_shape(r);
        if (v.status == jitnorm_success) v = lay_out(r);
        return v.status == jitnorm_success ? describe(r) : v;
    };
    if (verdict v = for_each_role(decide); v.failed()) return v;
    make_problem();
    for (const follower &f : op_.followers)
        if (verdict v = add_follower(f, inputs); v.failed()) return v;
    return ACCEPTED;
}

} // namespace

verdict lower(const norm_op &op, tensor_list inputs, tensor_list outputs, lowered &result) {
    return lowerer(op, result).run(inputs, outputs);
}

} // namespace jitnorm::impl::graph
