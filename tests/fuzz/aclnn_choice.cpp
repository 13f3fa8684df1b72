// SPDX-License-Identifier: Apache-2.0
#include "aclnn_choice.hpp"

#include <limits>

namespace jitnorm::fuzz {

namespace {

constexpr int ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT8 = 2, ACL_BF16 = 27, ACL_E5M2 = 35, ACL_E4M3 = 36;
constexpr int TYPES[] = {ACL_FLOAT, ACL_BF16, ACL_FLOAT16}, NARROW_TYPES[] = {ACL_BF16, ACL_FLOAT16};

template <typename Types>
int choose_acl_type(byte_stream &choices, const Types &types) {
    return choices.hostile() ? int(choices.below(40)) - 2 : choices.pick(types);
}

acl_tensor_choice choose_tensor(byte_stream &choices, const sizes &dims, int type, bool is_output) {
    acl_tensor_choice t;
    t.is_output = is_output;
    t.exists = !choices.hostile();
    t.dims = dims;
    if (choices.hostile() && !t.dims.empty()) t.dims[choices.below(t.dims.size())] = hostile_number(choices);
    t.null_strides = choices.coin();
    t.strides = choose_strides(choices, t.dims);
    t.type = choices.hostile() ? choose_acl_type(choices, TYPES) : type;
    t.format = choices.hostile() ? int(choices.byte()) - 2 : 2;
    t.offset = choices.one_in(4) ? int64_t(choices.below(70)) : 0;
    if (choices.hostile()) t.offset = hostile_number(choices);
    t.ndims = t.dims.size();
    return t;
}

// What the tensors of a call have in common.
struct call_rules {
    sizes dims, columns, rows;
    int type, affine_type, statistics_type;
};

call_rules choose_rules(byte_stream &choices) {
    call_rules rules;
    const size_t rank = choices.hostile() ? choices.below(14) : 1 + choices.below(8);
    rules.dims = choose_dims(choices, rank);
    const size_t normalized = rank == 0 ? 0 : 1 + (choices.one_in(3) ? choices.below(rank) : 0);
    rules.columns.assign(rules.dims.end() - ptrdiff_t(normalized), rules.dims.end());
    rules.rows.assign(rules.dims.begin(), rules.dims.end() - ptrdiff_t(normalized));
    rules.rows.resize(rank, 1);
    rules.type = choose_acl_type(choices, TYPES);
    rules.affine_type = choices.coin() ? rules.type : ACL_FLOAT;
    rules.statistics_type = choices.one_in(3) ? choose_acl_type(choices, TYPES) : ACL_FLOAT;
    return rules;
}

double choose_epsilon(byte_stream &choices) {
    using limits = std::numeric_limits<double>;
    constexpr double STRANGE[] = {-1, limits::quiet_NaN(), limits::infinity(), limits::max(), 1e-300};
    if (choices.hostile()) return choices.pick(STRANGE);
    return choices.coin() ? 1e-5 : 0;
}

// The tensors of an operation, one after the other.
class tensor_chooser {
public:
    tensor_chooser(byte_stream &choices, const call_rules &rules, aclnn_choice &what)
        : choices_(choices), rules_(rules), what_(what) {}

    void add(const sizes &dims, int type, bool is_output, bool is_optional = false) {
        what_.tensors.push_back(choose_tensor(choices_, dims, type, is_output));
        if (is_optional && choices_.one_in(4)) what_.tensors.back().exists = false;
    }

    void layer_norm() { // input, weight, bias, out, mean, rstd
        add(rules_.dims, rules_.type, false);
        for (int i = 0; i < 2; ++i) add(rules_.columns, rules_.affine_type, false, true);
        add(rules_.dims, rules_.type, true);
        for (int i = 0; i < 2; ++i) add(rules_.rows, rules_.statistics_type, true, true);
        what_.in_place = {{0, 3}};
    }
    void layer_norm_backward() { // gradOut, input, mean, rstd, weight, bias, gradInput, gradWeight, gradBias
        for (int i = 0; i < 2; ++i) add(rules_.dims, rules_.type, false);
        for (int i = 0; i < 2; ++i) add(rules_.rows, rules_.statistics_type, false);
        for (int i = 0; i < 2; ++i) add(rules_.columns, rules_.affine_type, false, true);
        add(rules_.dims, rules_.type, true, true);
        for (int i = 0; i < 2; ++i) add(rules_.columns, rules_.affine_type, true, true);
        what_.in_place = {{0, 6}};
    }
    void rms_norm() { // x, gamma, y, rstd
        add(rules_.dims, rules_.type, false);
        add(rules_.columns, rules_.affine_type, false);
        add(rules_.dims, rules_.type, true);
        add(rules_.rows, ACL_FLOAT, true);
        what_.in_place = {{0, 2}};
    }
    void rms_norm_grad() { // dy, x, rstd, gamma, dx, dgamma
        for (int i = 0; i < 2; ++i) add(rules_.dims, rules_.type, false);
        add(choices_.coin() ? rules_.rows : rows_alone(), ACL_FLOAT, false);
        add(rules_.columns, rules_.affine_type, false);
        add(rules_.dims, rules_.type, true);
        add(rules_.columns, ACL_FLOAT, true);
        what_.in_place = {{0, 4}};
    }
    void add_rms_norm() { // x1, x2, gamma, y, rstd, x
        const bool has_rstd = !choices_.one_in(4);
        sizes gamma = rules_.columns;
        if (!has_rstd) gamma.insert(gamma.begin(), 1);
        for (int i = 0; i < 2; ++i) add(rules_.dims, rules_.type, false);
        add(gamma, rules_.type, false);
        add(rules_.dims, rules_.type, true);
        add(rules_.rows, ACL_FLOAT, true);
        what_.tensors.back().exists &= has_rstd;
        add(rules_.dims, rules_.type, true, !has_rstd);
        what_.in_place = {{0, 3}, {1, 5}};
    }
    void add_layer_norm() { // x1, x2, gamma, beta, bias, y, mean, rstd, x
        const int other = choices_.one_in(3) ? ACL_FLOAT : rules_.type;
        const bool is_first = choices_.coin(), for_each = choices_.coin();
        const int affine = other == rules_.type ? rules_.affine_type : ACL_FLOAT;
        add(rules_.dims, is_first ? other : rules_.type, false);
        add(rules_.dims, is_first ? rules_.type : other, false);
        for (int i = 0; i < 2; ++i) add(rules_.columns, affine, false);
        add(for_each ? rules_.dims : rules_.columns, other, false, true);
        const size_t outputs = what_.tensors.size();
        add(rules_.dims, other, true);
        for (int i = 0; i < 2; ++i) add(rules_.rows, ACL_FLOAT, true);
        add(rules_.dims, other, true);
        for (size_t i = outputs; i < what_.tensors.size(); ++i) what_.tensors[i].null_strides |= !choices_.hostile();
        what_.in_place = {{0, 5}, {1, 8}, {4, 8}};
        what_.additional_output = !choices_.one_in(4);
    }
    void rms_norm_dynamic_quant() { // x, gamma, smooth, beta, y, scale
        const int type = choose_acl_type(choices_, NARROW_TYPES);
        add(rules_.dims, type, false);
        add(rules_.columns, type, false);
        for (int i = 0; i < 2; ++i) add(rules_.columns, type, false, true);
        add(rules_.dims, ACL_INT8, true);
        add(rows_alone(), ACL_FLOAT, true);
        if (choices_.hostile()) what_.dst_type = hostile_number(choices_);
    }
    void add_rms_norm_dynamic_quant() { // x1, x2, gamma, smooth1, smooth2, y1, y2, x, scale1, scale2
        constexpr int QUANTIZED[] = {ACL_INT8, ACL_E4M3, ACL_E5M2};
        const int type = choose_acl_type(choices_, NARROW_TYPES), to = choose_acl_type(choices_, QUANTIZED);
        for (int i = 0; i < 2; ++i) add(rules_.dims, type, false);
        add(rules_.columns, type, false);
        for (int i = 0; i < 2; ++i) add(rules_.columns, type, false, true);
        for (int i = 0; i < 2; ++i) add(rules_.dims, to, true);
        add(rules_.dims, type, true);
        for (int i = 0; i < 2; ++i) {
            add(rows_alone(), ACL_FLOAT, true);
            what_.tensors.back().null_strides |= !choices_.hostile();
        }
        what_.in_place = {{1, 7}};
    }

private:
    // Without ones for the normalized dimensions.
    sizes rows_alone() const {
        sizes rows(rules_.dims.begin(), rules_.dims.end() - ptrdiff_t(rules_.columns.size()));
        if (rows.empty()) rows.push_back(1);
        return rows;
    }

    byte_stream &choices_;
    const call_rules &rules_;
    aclnn_choice &what_;
};

using choose_tensors = void (tensor_chooser::*)();
constexpr choose_tensors OPERATIONS[] = {&tensor_chooser::layer_norm,
                                         &tensor_chooser::layer_norm_backward,
                                         &tensor_chooser::rms_norm,
                                         &tensor_chooser::rms_norm,
                                         &tensor_chooser::rms_norm_grad,
                                         &tensor_chooser::add_rms_norm,
                                         &tensor_chooser::add_layer_norm,
                                         &tensor_chooser::rms_norm_dynamic_quant,
                                         &tensor_chooser::add_rms_norm_dynamic_quant};
static_assert(std::size(OPERATIONS) == size_t(aclnn_operation::COUNT));

} // namespace

jitnorm_data_type_t acl_tensor_choice::core_type() const {
    switch (type) {
    case ACL_FLOAT16:
        return jitnorm_f16;
    case ACL_BF16:
        return jitnorm_bf16;
    case ACL_INT8:
        return jitnorm_s8;
    case ACL_E5M2:
        return jitnorm_f8_e5m2;
    case ACL_E4M3:
        return jitnorm_f8_e4m3;
    default:
        return jitnorm_f32;
    }
}

benchdnn_lite::layout acl_tensor_choice::where() const {
    sizes steps = strides;
    int64_t step = 1;
    for (size_t d = dims.size(); null_strides && d-- > 0; step *= dims[d]) steps[d] = step;
    return {core_type(), dims, dims, steps, {}, offset};
}

acl_tensor acl_tensor_choice::at(void *data) const {
    if (!exists) return nullptr;
    return acl_tensor(jitnorm_acl_tensor_create(dims.data(), ndims, type, null_strides ? nullptr : strides.data(),
                                                offset, format, dims.data(), ndims, data));
}

bool acl_tensor_choice::find_bytes(size_t &bytes) const {
    bytes = 0;
    const int64_t elements = count_up_to(dims, MOST_ELEMENTS);
    if (elements < 0) return false;
    if (!exists || elements == 0) return true;
    if (offset < 0 || offset > int64_t(MOST_BYTES)) return false;
    int64_t end = offset + 1, step = 1;
    for (size_t d = dims.size(); d-- > 0;) {
        const int64_t stride = null_strides ? step : strides[d];
        int64_t reach = 0;
        if (__builtin_mul_overflow(dims[d] - 1, stride, &reach) || reach < 0 || reach > int64_t(MOST_BYTES))
            return false;
        end += reach;
        step *= dims[d];
    }
    bytes = size_t(end) * jitnorm_data_type_size(core_type());
    return bytes <= MOST_BYTES;
}

aclnn_choice choose_aclnn(byte_stream &choices) {
    aclnn_choice what;
    what.op = aclnn_operation(choices.below(size_t(aclnn_operation::COUNT)));
    call_rules rules = choose_rules(choices);
    const bool last_axis_alone = what.op >= aclnn_operation::rms_norm_dynamic_quant;
    if (last_axis_alone && !rules.dims.empty() && !choices.hostile()) {
        if (rules.dims.size() == 1) rules.dims.insert(rules.dims.begin(), 3);
        rules.columns = {rules.dims.back()};
    }
    (tensor_chooser(choices, rules, what).*OPERATIONS[size_t(what.op)])();
    what.normalized_shape = choices.hostile() ? choose_dims(choices, choices.below(10)) : rules.columns;
    const size_t mask_length = choices.hostile() ? choices.below(5) : 3;
    for (size_t i = 0; i < mask_length; ++i) what.output_mask.push_back(!choices.one_in(4));
    what.epsilon = choose_epsilon(choices);
    return what;
}

} // namespace jitnorm::fuzz
