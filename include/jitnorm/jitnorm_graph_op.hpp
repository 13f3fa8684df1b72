// SPDX-License-Identifier: Apache-2.0
// jitnorm_graph_op.hpp: operations of the graph interface. Included by jitnorm_graph.hpp; everything else is described
// in jitnorm_graph.h.
#ifndef JITNORM_GRAPH_OP_HPP
#define JITNORM_GRAPH_OP_HPP

#include <string>
#include <type_traits>

#include "jitnorm/jitnorm_graph_logical_tensor.hpp"

namespace jitnorm {
namespace graph {

class op : public handle<jitnorm_graph_op_t> {
public:
    enum class kind {
        Abs = jitnorm_graph_op_abs,
        AbsBackward = jitnorm_graph_op_abs_backward,
        Add = jitnorm_graph_op_add,
        AvgPool = jitnorm_graph_op_avg_pool,
        AvgPoolBackward = jitnorm_graph_op_avg_pool_backward,
        BatchNormTrainingBackward = jitnorm_graph_op_batch_norm_backward,
        BatchNormForwardTraining = jitnorm_graph_op_batch_norm_forward_training,
        BatchNormInference = jitnorm_graph_op_batch_norm_inference,
        BiasAdd = jitnorm_graph_op_bias_add,
        BiasAddBackward = jitnorm_graph_op_bias_add_backward,
        Clamp = jitnorm_graph_op_clamp,
        ClampBackward = jitnorm_graph_op_clamp_backward,
        Concat = jitnorm_graph_op_concat,
        Convolution = jitnorm_graph_op_convolution,
        ConvolutionBackwardData = jitnorm_graph_op_convolution_backward_data,
        ConvolutionBackwardWeights = jitnorm_graph_op_convolution_backward_weights,
        ConvTranspose = jitnorm_graph_op_conv_transpose,
        ConvTransposeBackwardData = jitnorm_graph_op_conv_transpose_backward_data,
        ConvTransposeBackwardWeights = jitnorm_graph_op_conv_transpose_backward_weights,
        Dequantize = jitnorm_graph_op_dequantize,
        Divide = jitnorm_graph_op_divide,
        DynamicDequantize = jitnorm_graph_op_dynamic_dequantize,
        DynamicQuantize = jitnorm_graph_op_dynamic_quantize,
        Elu = jitnorm_graph_op_elu,
        EluBackward = jitnorm_graph_op_elu_backward,
        End = jitnorm_graph_op_end,
        Exp = jitnorm_graph_op_exp,
        GELU = jitnorm_graph_op_gelu,
        GELUBackward = jitnorm_graph_op_gelu_backward,
        HardSwish = jitnorm_graph_op_hard_swish,
        HardSwishBackward = jitnorm_graph_op_hard_swish_backward,
        Interpolate = jitnorm_graph_op_interpolate,
        InterpolateBackward = jitnorm_graph_op_interpolate_backward,
        LayerNorm = jitnorm_graph_op_layer_norm,
        LayerNormBackward = jitnorm_graph_op_layer_norm_backward,
        LeakyReLU = jitnorm_graph_op_leaky_relu,
        Log = jitnorm_graph_op_log,
        LogSoftmax = jitnorm_graph_op_log_softmax,
        LogSoftmaxBackward = jitnorm_graph_op_log_softmax_backward,
        MatMul = jitnorm_graph_op_matmul,
        Maximum = jitnorm_graph_op_maximum,
        MaxPool = jitnorm_graph_op_max_pool,
        MaxPoolBackward = jitnorm_graph_op_max_pool_backward,
        Minimum = jitnorm_graph_op_minimum,
        Mish = jitnorm_graph_op_mish,
        MishBackward = jitnorm_graph_op_mish_backward,
        Multiply = jitnorm_graph_op_multiply,
        PReLU = jitnorm_graph_op_prelu,
        PReLUBackward = jitnorm_graph_op_prelu_backward,
        Quantize = jitnorm_graph_op_quantize,
        Reciprocal = jitnorm_graph_op_reciprocal,
        ReduceL1 = jitnorm_graph_op_reduce_l1,
        ReduceL2 = jitnorm_graph_op_reduce_l2,
        ReduceMax = jitnorm_graph_op_reduce_max,
        ReduceMean = jitnorm_graph_op_reduce_mean,
        ReduceMin = jitnorm_graph_op_reduce_min,
        ReduceProd = jitnorm_graph_op_reduce_prod,
        ReduceSum = jitnorm_graph_op_reduce_sum,
        ReLU = jitnorm_graph_op_relu,
        ReLUBackward = jitnorm_graph_op_relu_backward,
        Reorder = jitnorm_graph_op_reorder,
        Round = jitnorm_graph_op_round,
        Sigmoid = jitnorm_graph_op_sigmoid,
        SigmoidBackward = jitnorm_graph_op_sigmoid_backward,
        SoftMax = jitnorm_graph_op_softmax,
        SoftMaxBackward = jitnorm_graph_op_softmax_backward,
        SoftPlus = jitnorm_graph_op_softplus,
        SoftPlusBackward = jitnorm_graph_op_softplus_backward,
        Sqrt = jitnorm_graph_op_sqrt,
        SqrtBackward = jitnorm_graph_op_sqrt_backward,
        Square = jitnorm_graph_op_square,
        SquaredDifference = jitnorm_graph_op_squared_difference,
        StaticReshape = jitnorm_graph_op_static_reshape,
        StaticTranspose = jitnorm_graph_op_static_transpose,
        Subtract = jitnorm_graph_op_subtract,
        Tanh = jitnorm_graph_op_tanh,
        TanhBackward = jitnorm_graph_op_tanh_backward,
        TypeCast = jitnorm_graph_op_type_cast,
        Wildcard = jitnorm_graph_op_wildcard,
        HardSigmoid = jitnorm_graph_op_hard_sigmoid,
        HardSigmoidBackward = jitnorm_graph_op_hard_sigmoid_backward,
        Select = jitnorm_graph_op_select,
        Pow = jitnorm_graph_op_pow,
        GroupNorm = jitnorm_graph_op_group_norm,
        GenIndex = jitnorm_graph_op_gen_index,
        GreaterEqual = jitnorm_graph_op_greater_equal,
        RMSNorm = jitnorm_graph_op_rms_norm,
        LastSymbol = jitnorm_graph_op_last_symbol,
        LayerNormBackprop = jitnorm_graph_op_layer_norm_backprop, // this library's own
        LayerNormGrad = jitnorm_graph_op_layer_norm_grad
    };

    enum class attr {
        undef = jitnorm_graph_op_attr_undef,
        alpha = jitnorm_graph_op_attr_alpha,
        beta = jitnorm_graph_op_attr_beta,
        epsilon = jitnorm_graph_op_attr_epsilon,
        max = jitnorm_graph_op_attr_max,
        min = jitnorm_graph_op_attr_min,
        momentum = jitnorm_graph_op_attr_momentum,
        scales = jitnorm_graph_op_attr_scales,
        axis = jitnorm_graph_op_attr_axis,
        begin_norm_axis = jitnorm_graph_op_attr_begin_norm_axis,
        groups = jitnorm_graph_op_attr_groups,
        axes = jitnorm_graph_op_attr_axes,
        dilations = jitnorm_graph_op_attr_dilations,
        dst_shape = jitnorm_graph_op_attr_dst_shape,
        kernel = jitnorm_graph_op_attr_kernel,
        order = jitnorm_graph_op_attr_order,
        output_padding = jitnorm_graph_op_attr_output_padding,
        pads_begin = jitnorm_graph_op_attr_pads_begin,
        pads_end = jitnorm_graph_op_attr_pads_end,
        shape = jitnorm_graph_op_attr_shape,
        sizes = jitnorm_graph_op_attr_sizes,
        src_shape = jitnorm_graph_op_attr_src_shape,
        strides = jitnorm_graph_op_attr_strides,
        weights_shape = jitnorm_graph_op_attr_weights_shape,
        zps = jitnorm_graph_op_attr_zps,
        group_shape = jitnorm_graph_op_attr_group_shape,
        exclude_pad = jitnorm_graph_op_attr_exclude_pad,
        keep_dims = jitnorm_graph_op_attr_keep_dims,
        keep_stats = jitnorm_graph_op_attr_keep_stats,
        per_channel_broadcast = jitnorm_graph_op_attr_per_channel_broadcast,
        special_zero = jitnorm_graph_op_attr_special_zero,
        transpose_a = jitnorm_graph_op_attr_transpose_a,
        transpose_b = jitnorm_graph_op_attr_transpose_b,
        use_affine = jitnorm_graph_op_attr_use_affine,
        use_dst = jitnorm_graph_op_attr_use_dst,
        auto_broadcast = jitnorm_graph_op_attr_auto_broadcast,
        auto_pad = jitnorm_graph_op_attr_auto_pad,
        coordinate_transformation_mode = jitnorm_graph_op_attr_coordinate_transformation_mode,
        data_format = jitnorm_graph_op_attr_data_format,
        mode = jitnorm_graph_op_attr_mode,
        qtype = jitnorm_graph_op_attr_qtype,
        rounding_type = jitnorm_graph_op_attr_rounding_type,
        weights_format = jitnorm_graph_op_attr_weights_format,
        accumulation_mode = jitnorm_graph_op_attr_accumulation_mode,
        end = jitnorm_graph_op_attr_end,
        output_mask = jitnorm_graph_op_attr_output_mask // this library's own
    };

    using handle::handle;
    op() = default;
    op(size_t id, kind k, const std::string &verbose_name = "") {
        create("could not create an operation", jitnorm_graph_op_create, id, static_cast<jitnorm_graph_op_kind_t>(k),
               verbose_name.c_str());
    }
    op(size_t id, kind k, const std::vector<logical_tensor> &inputs, const std::vector<logical_tensor> &outputs,
       const std::string &verbose_name = "")
        : op(id, k, verbose_name) {
        add_inputs(inputs);
        add_outputs(outputs);
    }

    void add_input(const logical_tensor &t) {
        error::wrap_c_api(jitnorm_graph_op_add_input(get(), &t.c_data()), "could not add an input to an operation");
    }
    void add_inputs(const std::vector<logical_tensor> &ts) {
        for (const logical_tensor &t : ts) add_input(t);
    }
    void add_output(const logical_tensor &t) {
        error::wrap_c_api(jitnorm_graph_op_add_output(get(), &t.c_data()), "could not add an output to an operation");
    }
    void add_outputs(const std::vector<logical_tensor> &ts) {
        for (const logical_tensor &t : ts) add_output(t);
    }

    // The value must have the attribute's type: int64_t, float, bool, std::string, or a vector of int64_t or float.
    // These are templates, as in dnnl_graph.hpp, so that no value is converted silently.
    template <typename T>
    typename std::enable_if<std::is_same<T, int64_t>::value, op &>::type set_attr(attr name, const T &value) {
        return check(jitnorm_graph_op_set_attr_s64(get(), convert(name), &value, 1));
    }
    template <typename T>
    typename std::enable_if<std::is_same<T, float>::value, op &>::type set_attr(attr name, const T &value) {
        return check(jitnorm_graph_op_set_attr_f32(get(), convert(name), &value, 1));
    }
    template <typename T>
    typename std::enable_if<std::is_same<T, bool>::value, op &>::type set_attr(attr name, const T &value) {
        const uint8_t byte = value;
        return check(jitnorm_graph_op_set_attr_bool(get(), convert(name), &byte, 1));
    }
    template <typename T>
    typename std::enable_if<std::is_same<T, std::string>::value, op &>::type set_attr(attr name, const T &value) {
        return check(jitnorm_graph_op_set_attr_str(get(), convert(name), value.c_str(), value.size()));
    }
    template <typename T>
    typename std::enable_if<std::is_same<T, std::vector<int64_t>>::value, op &>::type set_attr(attr name,
                                                                                               const T &value) {
        return check(jitnorm_graph_op_set_attr_s64(get(), convert(name), value.data(), value.size()));
    }
    template <typename T>
    typename std::enable_if<std::is_same<T, std::vector<float>>::value, op &>::type set_attr(attr name,
                                                                                             const T &value) {
        return check(jitnorm_graph_op_set_attr_f32(get(), convert(name), value.data(), value.size()));
    }

private:
    static jitnorm_graph_op_attr_t convert(attr v) { return static_cast<jitnorm_graph_op_attr_t>(v); }
    op &check(jitnorm_status_t status) {
        error::wrap_c_api(status, "could not set an attribute of an operation");
        return *this;
    }
};

} // namespace graph
} // namespace jitnorm

#endif
