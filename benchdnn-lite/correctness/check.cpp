// SPDX-License-Identifier: Apache-2.0
// Runs an execution and checks every output by the oracle, row by row, so that only one row of expected values is held
// in memory.
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "../problem/execution.hpp"
#include "../text.hpp"
#include "compare.hpp"
#include "solve.hpp"

namespace benchdnn_lite {

namespace {

// The library computes in f64 as soon as a tensor of rows is f64.
double unit_of(const problem &p) { return p.computes_in_f64() ? F64_ERROR : F32_ERROR; }

// The gradients of a product with a gate are computed from diff_src as it is stored.
double unit_of_gate(const problem &p) {
    const bool in_double = p.types.diff_src == jitnorm_f64 || p.type_of(p.gated()) == jitnorm_f64 ||
                           p.attr.modulation.gate_type == jitnorm_f64;
    return in_double ? F64_ERROR : F32_ERROR;
}

// A product with silu is rounded as src is.
rounded_types rounded_types_of(const problem &p) {
    const data_type row = p.writes_sum() && !p.attr.residual.silu ? p.type_of(*p.attr.residual.sum) : p.types.src;
    const bool has_weights = p.uses_scale() || p.uses_shift();
    return benchdnn_lite::rounded_types_of(p.flags, row, has_weights ? p.scale_shift.given : jitnorm_data_type_undef);
}

std::vector<double> values_of(const execution &e, int id) {
    std::vector<double> values;
    if (!e.has(id)) return values;
    values.resize(size_t(e.prb().row_length()));
    if (e.data(id).elements() != 0) e.data(id).get_row(0, values);
    return values;
}

acceptance acceptance_of(const problem &p, const argument &a, fill_kind kind) {
    const bool must_be_exact =
        (a.id == JITNORM_ARG_DST_1 && !p.attr.residual.silu) || (a.id == JITNORM_ARG_DST && kind == fill_kind::ties);
    return must_be_exact ? acceptance{is_exact, "must be exact"} : acceptance{};
}

buffer kept(const execution &e, int id, bool overwritten) { return overwritten ? e.data(id).clone() : e.data(id); }

// Inputs as they were before the execution, which may have overwritten them.
struct kept_inputs {
    explicit kept_inputs(const execution &e) : src(kept(e, JITNORM_ARG_SRC, e.prb().in_place && e.prb().is_forward())) {
        for (const argument &a : e.arguments()) {
            if (a.id == JITNORM_ARG_DST && a.use == role::both) old_dst = a.data.clone();
            if (a.id == JITNORM_ARG_SRC_1 && e.prb().is_forward()) residual = kept(e, a.id, e.prb().in_place);
            if (a.id == JITNORM_ARG_DIFF_DST) diff_dst = kept(e, a.id, e.prb().in_place);
        }
    }

    buffer src;
    std::optional<buffer> residual; // if one is added
    std::optional<buffer> old_dst;  // forward with a sum
    std::optional<buffer> diff_dst; // backward
};

class row_checker {
public:
    // `kind` decides how the outputs are checked.
    row_checker(const execution &e, const kept_inputs &inputs, fill_kind kind)
        : execution_(e), inputs_(inputs), sums_(e, inputs.residual), unit_(unit_of(e.prb())),
          scale_(values_of(e, JITNORM_ARG_SCALE)), shift_(values_of(e, JITNORM_ARG_SHIFT)),
          gradients_(groups_of(modulated()), no_sums()), gate_gradients_(groups_of(gate_mask()), no_sums()) {
        const size_t columns = size_t(prb().row_length());
        src_.resize(columns);
        scratch_.resize(columns);
        expected_.resize(columns);
        if (inputs.diff_dst) diff_dst_.resize(columns);
        in_ = {src_, scale_, shift_, diff_dst_, {}, prb().epsilon, prb().flags, 0, rounded_types_of(prb())};
        for (const argument &a : e.arguments())
            if (a.use == role::output || a.use == role::both)
                outputs_.emplace(a.id, comparison(e.name_of(a.id), a.data.shape(), acceptance_of(e.prb(), a, kind)));
    }

    row_checker(const row_checker &) = delete;
    row_checker &operator=(const row_checker &) = delete;

    void check_rows(dim_t begin, dim_t end) {
        for (dim_t row = begin; row < end; ++row) {
            read_inputs(row);
            prb().is_forward() ? check_forward_row(row) : check_backward_row(row);
        }
    }

    // `other` checked the rows after these.
    void merge(const row_checker &other) {
        for (auto &[id, output] : outputs_) output.merge(other.outputs_.at(id));
        const auto merge_all = [](std::vector<gradient_sums> &to, const std::vector<gradient_sums> &from) {
            for (size_t group = 0; group < to.size(); ++group) to[group].merge(from[group]);
        };
        merge_all(gradients_, other.gradients_);
        merge_all(gate_gradients_, other.gate_gradients_);
    }

    // After all rows have been checked.
    void check_gradients() {
        const auto compare_all = [&](int id, const std::vector<gradient_sums> &sums, double unit, auto expect) {
            if (!execution_.has(id)) return;
            const dim_t columns = prb().row_length();
            for (dim_t i = 0; i < dim_t(sums.size()) * columns; ++i)
                compare(id, i, (sums[size_t(i / columns)].*expect)(size_t(i % columns), unit),
                        execution_.data(id).at(i), unit);
        };
        compare_all(JITNORM_ARG_DIFF_SCALE, gradients_, unit_, &gradient_sums::diff_scale);
        compare_all(JITNORM_ARG_DIFF_SHIFT, gradients_, unit_, &gradient_sums::diff_shift);
        compare_all(JITNORM_ARG_DIFF_SRC_2, gate_gradients_, unit_of_gate(prb()), &gradient_sums::diff_scale);
    }

    std::map<int, comparison> &outputs() { return outputs_; }

private:
    const problem &prb() const { return execution_.prb(); }

    gradient_sums no_sums() const {
        return gradient_sums(prb().dir == direction::BWD_DW ? size_t(prb().row_length()) : 0);
    }

    // Rows with equal scale and shift are a group, and have gradients of their own; so have those with equal gates.
    unsigned modulated() const {
        return (prb().uses_scale() ? prb().attr.modulation.scale : prb().attr.modulation.shift).value_or(0);
    }
    unsigned gate_mask() const { return prb().attr.modulation.gate.value_or(0); }
    size_t groups_of(unsigned mask) const {
        const std::vector<dim_t> dims = modulation::dims_of(mask, prb().size.dims);
        return size_t(product(std::span(dims).first(dims.size() - 1)));
    }
    size_t group_of(dim_t row, unsigned mask) const {
        size_t group = 0, step = 1;
        for (size_t d = prb().ndims() - 1; d-- > 0; row /= prb().size.dims[d]) {
            if ((mask >> d & 1) == 0) continue;
            group += step * size_t(row % prb().size.dims[d]);
            step *= size_t(prb().size.dims[d]);
        }
        return group;
    }

    void read_modulation(dim_t row) {
        const auto read = [&](int id, const std::optional<unsigned> &mask, std::vector<double> &values) {
            if (mask && execution_.has(id)) execution_.data(id).get_broadcast_row(row, prb().size.dims, values);
        };
        read(JITNORM_ARG_SCALE, prb().attr.modulation.scale, scale_);
        read(JITNORM_ARG_SHIFT, prb().attr.modulation.shift, shift_);
    }

    void read_inputs(dim_t row) {
        read_modulation(row);
        inputs_.src.get_row(row, src_);
        in_.src_loss = sums_.add(row, src_);
        if (prb().writes_sum()) check_sum(row);
        if (prb().is_forward() && prb().attr.residual.silu && prb().attr.residual.rounded)
            take_products(row);
        else
            sums_.round(src_);
        if (inputs_.diff_dst) inputs_.diff_dst->get_row(row, diff_dst_);
        if (prb().statistics_are_inputs()) {
            in_.stats.mean = prb().is_rms() ? 0 : execution_.data(JITNORM_ARG_MEAN).at(row);
            in_.stats.variance = execution_.data(JITNORM_ARG_VARIANCE).at(row);
        } else {
            in_.stats = statistics_of(src_, prb().is_rms());
        }
    }

    void check_forward_row(dim_t row) {
        if (prb().statistics_are_outputs()) check_computed_statistics(row);
        if (!prb().has_dst()) return;
        expect_forward(in_, unit_, expected_);
        apply_attributes(
            expected_, prb().attr, unit_, [&](size_t index) { return operand_of(index, row); },
            [&](int further_output) {
                if (execution_.has(further_output)) compare_row(further_output, row);
            });
        if (prb().attr.scales.found) check_dynamic_scales(row);
        compare_row(JITNORM_ARG_DST, row);
    }

    // A sum must be exact, because its definition says which bits it has. A product with silu is approximated.
    void check_sum(dim_t row) {
        execution_.data(JITNORM_ARG_DST_1).get_row(row, scratch_);
        const dim_t first = row * prb().row_length();
        for (size_t c = 0; c < src_.size(); ++c)
            outputs_.at(JITNORM_ARG_DST_1).add(first + dim_t(c), {src_[c], in_.src_loss}, scratch_[c]);
    }

    // Products that are near the middle between two numbers of their type may be rounded to either.
    void take_products(dim_t row) {
        execution_.data(JITNORM_ARG_DST_1).get_row(row, src_);
        in_.src_loss = 0;
    }

    void check_computed_statistics(dim_t row) {
        const auto compare_one = [&](int id, expectation e, real more) {
            e.tolerance += more;
            if (execution_.has(id)) compare(id, row, e, execution_.data(id).at(row));
        };
        const real loss = in_.src_loss;
        compare_one(JITNORM_ARG_MEAN, expect_mean(src_, in_.stats, unit_), loss);
        compare_one(JITNORM_ARG_VARIANCE, expect_variance(in_.stats, unit_),
                    loss * (2 * std::sqrt(in_.stats.variance) + loss));
    }

    std::span<const double> operand_of(size_t index, dim_t row) {
        const post_op &op = prb().attr.post_ops[index];
        const int id = JITNORM_ARG_ATTR_MULTIPLE_POST_OP(int(index)) | JITNORM_ARG_SRC_1;
        if (const auto *sum = std::get_if<sum_post_op>(&op)) {
            const data_type type = sum->type == jitnorm_data_type_undef ? inputs_.old_dst->type() : sum->type;
            inputs_.old_dst->read_as(type).get_row(row, scratch_);
        }
        if (std::holds_alternative<binary_post_op>(op))
            execution_.data(id).get_broadcast_row(row, prb().size.dims, scratch_);
        return scratch_;
    }

    // Checks the scales that the library found, then expects the values that follow from these: dst is right or wrong
    // for them. Dynamic scales are computed from f32, so values that were computed in f64 are rounded to f32 first.
    void check_dynamic_scales(dim_t row) {
        const buffer &scales = execution_.data(DST_SCALES);
        const dim_t groups = scales.shape().dims.back();
        const size_t width = expected_.size() / size_t(std::max<dim_t>(groups, 1));
        if (unit_ == F64_ERROR)
            for (expectation &e : expected_) e.tolerance += real(half_ulp(jitnorm_f32, double(e.value)));
        for (dim_t g = 0; g < groups; ++g) {
            const std::span<expectation> group = std::span(expected_).subspan(size_t(g) * width, width);
            const dim_t number = row * groups + g;
            const double found = scales.at(number);
            compare(DST_SCALES, number,
                    dynamic_scale_of(group, largest(execution_.data(JITNORM_ARG_DST).type()), F32_ERROR), found);
            for (expectation &e : group) e = quantized(e, found, F32_ERROR);
        }
    }

    void check_backward_row(dim_t row) {
        expect_diff_src(in_, unit_, expected_);
        if (prb().reads_diff_sum()) {
            execution_.data(JITNORM_ARG_DIFF_DST_1).get_row(row, scratch_);
            for (size_t c = 0; c < expected_.size(); ++c) {
                expected_[c].value += scratch_[c];
                expected_[c].tolerance += real(unit_) * std::abs(expected_[c].value);
            }
        }
        compare_row(JITNORM_ARG_DIFF_SRC, row);
        gradients_[group_of(row, modulated())].add_row(in_);
        if (prb().has_gate_gradients()) check_gate(row);
    }

    // The gradient of diff_src as it is stored, by way of the product. It passes the gate as a row that is normalized
    // already passes its scale.
    void check_gate(dim_t row) {
        const double unit = unit_of_gate(prb());
        const size_t columns = expected_.size();
        std::vector<double> gated(columns), gate(columns), gradient(columns);
        execution_.data(JITNORM_ARG_SRC_1).get_row(row, gated);
        execution_.data(JITNORM_ARG_SRC_2).get_broadcast_row(row, prb().size.dims, gate);
        execution_.data(JITNORM_ARG_DIFF_SRC).get_row(row, gradient);
        for (size_t c = 0; c < columns; ++c) expected_[c] = scaled({gradient[c], 0}, gate[c], unit);
        compare_row(JITNORM_ARG_DIFF_SRC_1, row, unit);
        gate_gradients_[group_of(row, gate_mask())].add_row({gated, {}, {}, gradient, {.variance = 1}, 0, 0});
    }

    void compare_row(int id, dim_t row) { compare_row(id, row, unit_); }
    void compare_row(int id, dim_t row, double unit) {
        execution_.data(id).get_row(row, scratch_);
        const dim_t first = row * prb().row_length();
        for (size_t c = 0; c < expected_.size(); ++c) compare(id, first + dim_t(c), expected_[c], scratch_[c], unit);
    }

    // By its definition, the library rounds f64 values to f32 before it rounds them to a narrower type. The tolerance
    // covers the first of these roundings.
    void compare(int id, dim_t number, const expectation &e, double got) { compare(id, number, e, got, unit_); }
    void compare(int id, dim_t number, const expectation &e, double got, double unit) {
        expectation stored = e;
        if (unit == F64_ERROR && size_of(execution_.data(id).type()) < size_of(jitnorm_f32))
            stored.tolerance += real(half_ulp(jitnorm_f32, double(e.value)));
        outputs_.at(id).add(number, stored, got);
    }

    const execution &execution_;
    const kept_inputs &inputs_;
    const summed_rows sums_;
    const double unit_;
    std::vector<double> src_, diff_dst_, scale_, shift_, scratch_;
    std::vector<expectation> expected_;
    row_inputs in_;
    std::vector<gradient_sums> gradients_, gate_gradients_; // of each group
    std::map<int, comparison> outputs_;
};

// Finds what no comparison of elements shows: writes outside of the tensor, padding of blocks that is not zero, and
// elements that were not compared.
void check_surroundings(const buffer &data, comparison &output) {
    if (!data.padding_is_zero()) output.add_fault("the padding of its blocks is not zero");
    if (output.total() != size_t(data.elements())) output.add_fault("not all of its elements were compared");
}

// Checks all rows, each range of rows with a checker of its own. The first checker gets the findings of the others.
void check_rows(const problem &p, std::deque<row_checker> &checkers, const execution &e, const kept_inputs &inputs,
                fill_kind kind) {
    const dim_t rows = p.rows(), ranges = ranges_for(rows, p.row_length());
    for (dim_t range = 0; range < ranges; ++range) checkers.emplace_back(e, inputs, kind);
    share_among_threads(rows, ranges,
                        [&](dim_t range, dim_t begin, dim_t end) { checkers[size_t(range)].check_rows(begin, end); });
    for (size_t range = 1; range < checkers.size(); ++range) checkers[0].merge(checkers[range]);
    checkers[0].check_gradients();
}

std::string note_on(const comparison &output) {
    return format("[COMPARE] %s: %zu elements, %zu wrong, worst accepted error %.3g of the allowed",
                  output.tensor().c_str(), output.total(), output.errors(), output.worst_of_allowed());
}

} // namespace

void findings::add(const comparison &c, const std::string &place) {
    errors += c.errors();
    total += c.total();
    for (const std::string &line : c.report()) details.push_back(place + line);
}

findings check(const execution &e, fill_kind kind, const check_options &options) {
    {
        const phase filling(options.times, &phase_times::fill);
        fill(e, kind, options.seed);
    }
    const kept_inputs inputs(e);
    {
        const phase executing(options.times, &phase_times::execute);
        e.run();
    }
    if (options.tamper) options.tamper(e);
    const phase comparing(options.times, &phase_times::compare);
    std::deque<row_checker> checkers;
    check_rows(e.prb(), checkers, e, inputs, kind);
    findings found;
    for (auto &[id, output] : checkers[0].outputs()) {
        check_surroundings(e.data(id), output);
        found.add(output);
        found.notes.push_back(note_on(output));
    }
    check_guards(e, found);
    return found;
}

void check_guards(const execution &e, findings &found) {
    for (const argument &a : e.arguments()) {
        if (a.data.guards_intact()) continue;
        ++found.errors;
        found.details.push_back(concat(e.name_of(a.id), ": written outside of the tensor's memory"));
    }
}

} // namespace benchdnn_lite
