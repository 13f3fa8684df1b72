// SPDX-License-Identifier: Apache-2.0
// lower: checks the parameters of an operation by the rules in jitnorm_aclnn.h and turns them into a request: the
// core's problem for given tensors, which an op_executor solves. The rules and steps that several operations share are
// in lower.cpp.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../dispatch/ready_call.hpp"
#include "../../norm/aliases.hpp"
#include "../../tensor/memory_desc.hpp"
#include "../objects/objects.hpp"

namespace jitnorm::impl::aclnn {

// ---- Shapes and strides of this front end's tensors, and the core's layouts of them.

using shape = std::span<const dim_t>;

// "[4, 6]", for reasons.
struct shape_text {
    char text[120];
    explicit shape_text(shape dims);
};

// The strides with which a tensor of the shape `dims` has the same elements in the same row-major order. `dims` must
// have as many elements as the tensor. None if no strides do that.
std::optional<std::vector<dim_t>> strides_as(const tensor &t, shape dims);

// A layout of the tensor's type from the tensor's first element on, so without its offset. Elements may share memory,
// as some strides of inputs have it.
memory_desc describe(const tensor &t, shape dims, std::span<const dim_t> strides);

enum class operation {
    layer_norm,
    layer_norm_with_impl_mode,
    fast_layer_norm,
    layer_norm_backward,
    ada_layer_norm,
    ada_layer_norm_v2,
    rms_norm,
    gemma_rms_norm,
    rms_norm_grad,
    add_rms_norm,
    add_layer_norm,
    rms_norm_dynamic_quant,
    add_rms_norm_dynamic_quant
};

// The parameters of an operation that are no tensors. An operation has some of these.
struct settings {
    operation op;
    double epsilon = 0;
    const int_array *normalized_shape = nullptr;
    const bool_array *output_mask = nullptr;
    int32_t impl_mode = 0;
    bool additional_output = false;
    int64_t dst_type = 0;
};

using layer_norm::slot;
using enum layer_norm::slot;
using layer_norm::post_op_slot;

// A tensor that is a parameter of an operation, null if it is absent, and the parameter's name for the reason of a
// refusal.
struct named_tensor {
    const char *name;
    const tensor *t = nullptr;

    explicit operator bool() const { return t != nullptr; }
    operator std::pair<const char *, const void *>() const { return {name, t}; }
    const tensor &operator*() const { return *t; }
    const tensor *operator->() const { return t; }
};

constexpr size_t MOST_PARAMETERS = 10; // tensors of an operation

// One tensor among an operation's parameters.
struct parameter {
    const char *name;
    slot place; // its argument slot in the problem; NO_SLOT if it is null or the problem does not use it
    bool is_null;
    bool has_elements = false; // if not, the address does not matter
    int64_t offset = 0;        // bytes from the address to the first element

    parameter(const named_tensor &given, slot what);
};

inline slot if_wanted(bool is_wanted, slot place) { return is_wanted ? place : NO_SLOT; }

// What lower() makes of an operation's parameters, and then all that its runs need, except the addresses. Then it is
// immutable, and shared by executors of equal requests.
struct request {
    operation op;
    layer_norm::problem problem; // before layer_norm::complete(); moved to `call`
    layer_norm::adapted_layouts layouts;
    std::vector<parameter> parameters; // inputs first
    size_t inputs = 0;
    bool has_work = true; // false if there is nothing to compute
    // Another problem of the same operation, which is solved first. It lists the same parameters in the same order, but
    // has slots of its own for them.
    std::shared_ptr<request> before = nullptr;
    // Bytes in the workspace for the sum of the problem that is solved first. The sum is this problem's src. 0 if this
    // problem reads no such sum.
    size_t bytes_from_before = 0;

    // ---- not set by lower()
    std::shared_ptr<const layer_norm::ready_call> call = nullptr; // null if there is nothing to do
    layer_norm::alias_check aliases = {}; // of the parameters, by their numbers, in both problems

    size_t scratchpad_bytes() const { return call == nullptr ? 0 : call->scratchpad_bytes(); }
    // False if the system refused pages for the code of an implementation that was chosen.
    bool is_as_chosen() const {
        return (call == nullptr || call->is_as_chosen()) && (before == nullptr || before->is_as_chosen());
    }
};

// Refuses parameters, of which the names and addresses are given, if one is null. `why` follows "<name> is null" in the
// reason of a refusal.
acl_status refuse_null(std::initializer_list<std::pair<const char *, const void *>> all, const char *why = "");

// ---- The parameters of each operation's first call. list() has the tensors in the order of request::parameters.
// check_null() refuses null where it is not allowed.

// For layer_norm, layer_norm_with_impl_mode and fast_layer_norm.
struct forward_parameters : settings {
    named_tensor input{"input"};
    named_tensor weight{"weight"}, bias{"bias"};               // may be null
    named_tensor out{"out"}, mean{"meanOut"}, rstd{"rstdOut"}; // the latter two may be null

    static auto list(auto &g) { return std::array{&g.input, &g.weight, &g.bias, &g.out, &g.mean, &g.rstd}; }
    acl_status check_null() const { return refuse_null({input, {"normalizedShape", normalized_shape}, out}); }
};

struct backward_parameters : settings {
    named_tensor grad_out{"gradOut"}, input{"input"}, mean{"mean"}, rstd{"rstd"};
    named_tensor weight{"weight"}, bias{"bias"}; // may be null
    // null where the mask allows it
    named_tensor grad_input{"gradInputOut"}, grad_weight{"gradWeightOut"}, grad_bias{"gradBiasOut"};

    static auto list(auto &g) {
        return std::array{&g.grad_out, &g.input,      &g.mean,        &g.rstd,     &g.weight,
                          &g.bias,     &g.grad_input, &g.grad_weight, &g.grad_bias};
    }
    acl_status check_null() const {
        return refuse_null(
            {grad_out, input, {"normalizedShape", normalized_shape}, mean, rstd, {"outputMask", output_mask}});
    }
};

// For ada_layer_norm and ada_layer_norm_v2.
struct ada_layer_norm_parameters : settings {
    named_tensor x{"x"}, scale{"scale"}, shift{"shift"};
    named_tensor weight{"weightOptional"}, bias{"biasOptional"};               // may be null
    named_tensor out{"out"}, mean{"meanOutOptional"}, rstd{"rstdOutOptional"}; // the latter two may be null

    static auto list(auto &g) {
        return std::array{&g.x, &g.scale, &g.shift, &g.weight, &g.bias, &g.out, &g.mean, &g.rstd};
    }
    acl_status check_null() const { return refuse_null({x, scale, shift, out}); }
};

// For rms_norm and gemma_rms_norm.
struct rms_norm_parameters : settings {
    named_tensor x{"x"}, gamma{"gamma"}, y{"yOut"}, rstd{"rstdOut"};

    static auto list(auto &g) { return std::array{&g.x, &g.gamma, &g.y, &g.rstd}; }
    acl_status check_null() const { return refuse_null({x, gamma, y, rstd}); }
};

struct rms_norm_grad_parameters : settings {
    named_tensor dy{"dy"}, x{"x"}, rstd{"rstd"}, gamma{"gamma"}, dx{"dxOut"}, dgamma{"dgammaOut"};

    static auto list(auto &g) { return std::array{&g.dy, &g.x, &g.rstd, &g.gamma, &g.dx, &g.dgamma}; }
    acl_status check_null() const { return refuse_null({dy, x, rstd, gamma, dx, dgamma}); }
};

struct add_rms_norm_parameters : settings {
    named_tensor x1{"x1"}, x2{"x2"}, gamma{"gamma"}, y{"yOut"};
    named_tensor rstd{"rstdOut"}, x{"xOut"}; // rstd may be null; if it is, x may be null, too

    static auto list(auto &g) { return std::array{&g.x1, &g.x2, &g.gamma, &g.y, &g.rstd, &g.x}; }
    acl_status check_null() const {
        JITNORM_TRY(refuse_null({x1, x2, gamma, y}));
        return rstd ? refuse_null({x}, ", and rstdOut is not") : acl_status{};
    }
};

struct add_layer_norm_parameters : settings {
    named_tensor x1{"x1"}, x2{"x2"}, gamma{"gamma"}, beta{"beta"}, bias{"biasOptional"}; // the last may be null
    named_tensor y{"yOut"}, mean{"meanOut"}, rstd{"rstdOut"}, x{"xOut"}; // without additionalOutput x is ignored

    static auto list(auto &g) {
        return std::array{&g.x1, &g.x2, &g.gamma, &g.beta, &g.bias, &g.y, &g.mean, &g.rstd, &g.x};
    }
    acl_status check_null() const {
        JITNORM_TRY(refuse_null({x1, x2, gamma, beta, y, mean, rstd}));
        return additional_output ? refuse_null({x}, ", and additionalOutput asks for it") : acl_status{};
    }
};

struct rms_norm_dynamic_quant_parameters : settings {
    named_tensor x{"x"}, gamma{"gamma"};
    named_tensor smooth{"smoothScalesOptional"}, beta{"betaOptional"}; // may be null
    named_tensor y{"yOut"}, scale{"scaleOut"};

    static auto list(auto &g) { return std::array{&g.x, &g.gamma, &g.smooth, &g.beta, &g.y, &g.scale}; }
    acl_status check_null() const { return refuse_null({x, gamma, y, scale}); }
};

struct add_rms_norm_dynamic_quant_parameters : settings {
    named_tensor x1{"x1"}, x2{"x2"}, gamma{"gamma"};
    named_tensor smooth1{"smoothScale1Optional"}, smooth2{"smoothScale2Optional"}; // may be null
    // Without smooth2, y2 and scale2 are ignored.
    named_tensor y1{"y1Out"}, y2{"y2Out"}, x{"xOut"}, scale1{"scale1Out"}, scale2{"scale2Out"};

    static auto list(auto &g) {
        return std::array{&g.x1, &g.x2, &g.gamma, &g.smooth1, &g.smooth2, &g.y1, &g.y2, &g.x, &g.scale1, &g.scale2};
    }
    acl_status check_null() const { return refuse_null({x1, x2, gamma, y1, y2, x, scale1, scale2}); }
};

// Checks the parameters and makes the request.
acl_status lower(const forward_parameters &given, request &result);
acl_status lower(const backward_parameters &given, request &result);
acl_status lower(const ada_layer_norm_parameters &given, request &result);
acl_status lower(const rms_norm_parameters &given, request &result);
acl_status lower(const rms_norm_grad_parameters &given, request &result);
acl_status lower(const add_rms_norm_parameters &given, request &result);
acl_status lower(const add_layer_norm_parameters &given, request &result);
acl_status lower(const rms_norm_dynamic_quant_parameters &given, request &result);
acl_status lower(const add_rms_norm_dynamic_quant_parameters &given, request &result);

// ---- Rules for parameters that several operations have.

// The shape of an operation's input, split into the dimensions that count rows and those that are normalized.
class row_shape {
public:
    // `columns` must be the sizes of the input's last dimensions, of one at least. `name` is its name in reasons.
    static acl_status split(const named_tensor &input, const char *name, shape columns, row_shape &result);

    // The input's dimensions. If all of them are normalized, there is a dimension of 1 in front, because the core needs
    // at least one dimension that counts rows.
    shape dims() const { return dims_; }
    shape rows() const { return dims().first(dims_.size() - columns_); }
    shape columns() const { return dims().last(columns_); }
    int normalized_axes() const { return int(columns_); }

private:
    std::vector<dim_t> dims_;
    size_t columns_ = 0; // the number of normalized dimensions
};

// Parameters to check. A check skips one that is null.
using tensor_list = std::initializer_list<named_tensor>;

// Rules for every tensor: 1 to 8 dimensions; a plain format; no negative dimension, stride or offset; no element
// further away than can be addressed. No two elements of an output share memory. `are_floats`: the types must be FLOAT,
// FLOAT16 or BF16, too.
acl_status check_views(tensor_list inputs, tensor_list outputs, bool are_floats = false);

// `type` is an aclDataType; `why` follows its name in the reason of a refusal.
acl_status check_type(tensor_list tensors, int type, const char *why = "");
// `what` names the tensor with the expected shape, for the reason of a refusal.
acl_status check_shape(tensor_list tensors, shape expected, const char *what);
acl_status check_float(const named_tensor &one);  // FLOAT, FLOAT16 or BF16
acl_status check_contiguous(tensor_list tensors); // row-major, without gaps
acl_status check_has_elements(const named_tensor &one);
acl_status check_epsilon(double epsilon); // finite, not negative

// weight, bias and gamma must have the data's type or FLOAT.
acl_status check_affine_type(const named_tensor &affine, const tensor &data);

// Some operations of CANN refuse all but types by the status INNER_TILING. Turns the status PARAM_INVALID into it; the
// reason stays.
acl_status as_tiling(acl_status refused);

// The dimensions of x with ones in place of the normalized ones. `split` is made from x.
std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &split);

// Describes the tensor's elements, in row-major order, as a tensor of the given dimensions. Refuses if these have
// another number of elements, or if no strides can do that. `what` names the dimensions for the reason.
acl_status reshape(const named_tensor &given, shape dims, const char *what, memory_desc &layout);

// Splits the shape of x: gamma must have elements, and its shape is that of the normalized dimensions.
acl_status split_by_gamma(const named_tensor &x, const tensor &gamma, row_shape &split);

// Makes the request for parameters, of which so many are inputs, with the slots that they have in its problem; a slot
// does not count if the parameter is null. Sets all that follows from the settings, from the shape of rows and from the
// tensors in their slots: data, vectors, gradients and statistics. The tensor in the variance's slot is rstd. The
// operation itself describes operands of post-ops, scales of rows, and data of another shape than the input's. Refuses
// gradients and statistics that do not have one element for each column or row.
acl_status make_request(const settings &with, std::span<const named_tensor *const> given, const row_shape &split,
                        size_t inputs, std::initializer_list<slot> slots, request &result);
template <typename Parameters>
acl_status make_request(const Parameters &given, const row_shape &split, size_t inputs,
                        std::initializer_list<slot> slots, request &result) {
    return make_request(given, given.list(given), split, inputs, slots, result);
}

} // namespace jitnorm::impl::aclnn
