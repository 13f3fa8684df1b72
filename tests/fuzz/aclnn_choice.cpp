// SPDX-License-Identifier: Apache-2.0
#include "aclnn_choice.hpp"

#include <limits>

namespace jitnorm::fuzz {

namespace {

constexpr int ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_BF16 = 27;

int choose_acl_type(byte_stream &choices) {
    constexpr int TYPES[] = {ACL_FLOAT, ACL_BF16, ACL_FLOAT16};
    return choices.hostile() ? int(choices.below(40)) - 2 : choices.pick(TYPES);
}

acl_tensor_choice choose_tensor(byte_stream &choices, const sizes &dims, int type, bool is_output) {
    acl_tensor_choice t;
    t.is_output = is_output;
    t.exists = !choices.hostile();
    t.dims = dims;
    if (choices.hostile() && !t.dims.empty()) t.dims[choices.below(t.dims.size())] = hostile_number(choices);
    t.null_strides = choices.coin();
    t.strides = choose_strides(choices, t.dims);
    t.type = choices.hostile() ? choose_acl_type(choices) : type;
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
    rules.type = choose_acl_type(choices);
    rules.affine_type = choices.coin() ? rules.type : ACL_FLOAT;
    rules.statistics_type = choices.one_in(3) ? choose_acl_type(choices) : ACL_FLOAT;
    return rules;
}

double choose_epsilon(byte_stream &choices) {
    using limits = std::numeric_limits<double>;
    constexpr double STRANGE[] = {-1, limits::quiet_NaN(), limits::infinity(), limits::max(), 1e-300};
    if (choices.hostile()) return choices.pick(STRANGE);
    return choices.coin() ? 1e-5 : 0;
}

} // namespace

jitnorm_data_type_t acl_tensor_choice::core_type() const {
    return type == ACL_FLOAT16 ? jitnorm_f16 : type == ACL_BF16 ? jitnorm_bf16 : jitnorm_f32;
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
    bytes = size_t(end) * (type == ACL_FLOAT ? 4 : 2);
    return bytes <= MOST_BYTES;
}

aclnn_choice choose_aclnn(byte_stream &choices) {
    aclnn_choice what;
    what.is_forward = !choices.coin();
    const call_rules rules = choose_rules(choices);
    const auto add = [&](const sizes &dims, int type, bool is_output, bool is_optional) {
        what.tensors.push_back(choose_tensor(choices, dims, type, is_output));
        if (is_optional && choices.one_in(4)) what.tensors.back().exists = false;
    };
    if (what.is_forward) { // input, weight, bias, out, mean, rstd
        add(rules.dims, rules.type, false, false);
        for (int i = 0; i < 2; ++i) add(rules.columns, rules.affine_type, false, true);
        add(rules.dims, rules.type, true, false);
        for (int i = 0; i < 2; ++i) add(rules.rows, rules.statistics_type, true, true);
    } else { // gradOut, input, mean, rstd, weight, bias, gradInput, gradWeight, gradBias
        for (int i = 0; i < 2; ++i) add(rules.dims, rules.type, false, false);
        for (int i = 0; i < 2; ++i) add(rules.rows, rules.statistics_type, false, false);
        for (int i = 0; i < 2; ++i) add(rules.columns, rules.affine_type, false, true);
        add(rules.dims, rules.type, true, true);
        for (int i = 0; i < 2; ++i) add(rules.columns, rules.affine_type, true, true);
    }
    what.normalized_shape = choices.hostile() ? choose_dims(choices, choices.below(10)) : rules.columns;
    const size_t mask_length = choices.hostile() ? choices.below(5) : 3;
    for (size_t i = 0; i < mask_length; ++i) what.output_mask.push_back(!choices.one_in(4));
    what.epsilon = choose_epsilon(choices);
    return what;
}

} // namespace jitnorm::fuzz
