// SPDX-License-Identifier: Apache-2.0
#include "aclnn_target.hpp"

#include <limits>

#include "jitnorm/jitnorm_memory.h"

namespace jitnorm::fuzz {

namespace {

using namespace tests; // the table of operations

call_shape choose_shape(byte_stream &choices, const operation &op) {
    const size_t rank = 1 + choices.below(choices.hostile() ? 13 : 8);
    call_shape shape = {choose_dims(choices, rank), 1 + (choices.one_in(3) ? choices.below(rank) : 0), choices.coin()};
    if (takes(op, shape) || choices.hostile()) return shape;
    shape.normalized = 1;
    if (rank == 1) shape.dims.insert(shape.dims.begin(), 3);
    return shape;
}

// The operation's parameters, in types of their own at times, and without some gradients.
std::vector<parameter> choose_parameters(byte_stream &choices, const operation &op, const call_shape &shape) {
    const aclDataType type = choices.pick(TYPES);
    const std::vector<typing> typings = typings_of(op, type);
    std::vector<parameter> parameters =
        parameters_of(op, type, shape, typings.empty() || choices.coin() ? typing() : choices.pick(typings));
    for (parameter &p : parameters)
        if (p.is_output() && p.name.starts_with("grad") && choices.one_in(4)) p.use = '!';
    return parameters;
}

acl_tensor_choice choose_tensor(byte_stream &choices, const parameter &p, bool is_contiguous) {
    acl_tensor_choice t;
    t.exists = p.exists() && !choices.hostile() && !(p.is_optional && choices.one_in(4));
    t.dims = p.dims;
    if (choices.hostile() && !t.dims.empty()) t.dims[choices.below(t.dims.size())] = hostile_number(choices);
    if (choices.hostile()) t.dims.resize(choices.below(14), 1);
    t.strides = choose_strides(choices, t.dims);
    t.null_strides = choices.coin() || (is_contiguous && !choices.hostile());
    t.type = choices.hostile() ? int(choices.below(40)) - 2 : p.type;
    t.format = choices.hostile() ? int(choices.byte()) - 2 : ACL_FORMAT_ND;
    t.offset = choices.one_in(4) ? int64_t(choices.below(70)) : 0;
    if (choices.hostile()) t.offset = hostile_number(choices);
    return t;
}

void choose_settings(byte_stream &choices, const call_shape &shape, aclnn_choice &what) {
    using limits = std::numeric_limits<double>;
    constexpr double STRANGE[] = {-1, limits::quiet_NaN(), limits::infinity(), limits::max(), 1e-300};
    const bool mask[4] = {true, true, true, true};
    what.with = settings_of(what.parameters, shape);
    what.normalized_shape = choices.hostile() ? choose_dims(choices, choices.below(10)) : shape.columns();
    what.with.shape = choices.hostile() ? nullptr : int_array(what.normalized_shape);
    if (choices.hostile()) what.with.mask.reset(aclCreateBoolArray(mask, choices.below(5)));
    if (choices.hostile()) what.with.mask = nullptr;
    what.with.epsilon = choices.hostile() ? choices.pick(STRANGE) : choices.coin() ? 1e-5 : 0;
    what.with.mode = choices.hostile() ? int32_t(choices.number()) : int32_t(choices.below(2));
    if (choices.hostile()) what.with.dst_type = hostile_number(choices);
}

} // namespace

benchdnn_lite::layout acl_tensor_choice::where() const {
    sizes steps = strides;
    int64_t step = 1;
    for (size_t d = dims.size(); null_strides && d-- > 0; step *= dims[d]) steps[d] = step;
    return {core_type(), dims, dims, steps, {}, offset};
}

tests::acl_owned<aclTensor> acl_tensor_choice::at(void *data) const {
    if (!exists) return nullptr;
    return tests::acl_owned<aclTensor>(jitnorm_acl_tensor_create(dims.data(), dims.size(), type,
                                                                 null_strides ? nullptr : strides.data(), offset,
                                                                 format, dims.data(), dims.size(), data));
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
    what.op = &OPERATIONS[choices.below(std::size(OPERATIONS))];
    const call_shape shape = choose_shape(choices, *what.op);
    what.parameters = choose_parameters(choices, *what.op, shape);
    for (const parameter &p : what.parameters)
        what.tensors.push_back(choose_tensor(choices, p, what.op->contiguous.contains(p.name)));
    choose_settings(choices, shape, what);
    return what;
}

} // namespace jitnorm::fuzz
