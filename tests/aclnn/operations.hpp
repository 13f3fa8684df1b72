// SPDX-License-Identifier: Apache-2.0
// operations: the table of all two-phase calls, for the tests of all of them (operands.hpp) and for the fuzz target.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "acl_tensor.hpp"
#include "aclnnop/aclnn_ada_layer_norm.h"
#include "aclnnop/aclnn_ada_layer_norm_v2.h"
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_rms_norm_grad.h"

namespace jitnorm::tests {

constexpr aclDataType TYPES[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
constexpr aclnnStatus NULLPTR = 161001, INVALID = 161002, TILING = 561002;

// What a first call has beside tensors; operations that do not have it do not use it.
struct call_settings {
    double epsilon = 1e-5;
    acl_owned<aclIntArray> shape = nullptr; // normalizedShape
    acl_owned<aclBoolArray> mask = nullptr; // outputMask
    bool has_sum = false;                   // additionalOutput
    int32_t mode = 0;                       // implMode
    int64_t dst_type = ACL_INT8;
};

// The operation's tensors, in the order of its parameters, one word each: NAME:SHAPE TYPE USE.
// NAME has a ? after it if it may be null. The shape is d as x, c one for each column, s one for each row with ones
// for the columns, r the same without the ones, o either of them, v one row of one axis, m that of x with 1 for the
// last but one dimension or without that dimension. The type is t that of x, n the same but FLOAT16 for FLOAT, f FLOAT,
// h FLOAT16, q INT8. The use is < read, > written, - checked and not read, ! not looked at. A word without a colon is a
// parameter that is null.
struct operation {
    const char *name, *tensors;
    size_t inputs;                                // how many of them
    std::set<std::pair<size_t, size_t>> in_place; // the numbers of an input and of the output that may be at its place
    aclnnStatus (*first)(aclTensor *const *t, const call_settings &with, uint64_t *bytes, aclOpExecutor **executor);
    aclnnStatus (*second)(void *workspace, uint64_t bytes, aclOpExecutor *executor, aclrtStream stream);
    aclnnStatus wrong_type = INVALID, wrong_shape = INVALID; // the statuses
    std::set<std::string> typed_freely = {};                 // tensors whose types do not depend on the others'
    std::set<std::string> contiguous = {};                   // outputs that must be
    bool has_epsilon = true, takes_no_elements = true;
};

// first_NAME: the first of an operation's calls, with these arguments before its results.
#define FIRST_CALL(name, ...)                                                                                          \
    inline aclnnStatus first_##name(aclTensor *const *t, [[maybe_unused]] const call_settings &with, uint64_t *bytes,  \
                                    aclOpExecutor **made) {                                                            \
        return name##GetWorkspaceSize(__VA_ARGS__, bytes, made);                                                       \
    }
FIRST_CALL(aclnnLayerNorm, t[0], with.shape.get(), t[1], t[2], with.epsilon, t[3], t[4], t[5])
FIRST_CALL(aclnnFastLayerNorm, t[0], with.shape.get(), t[1], t[2], with.epsilon, t[3], t[4], t[5])
FIRST_CALL(aclnnLayerNormWithImplMode, t[0], with.shape.get(), t[1], t[2], with.epsilon, t[3], t[4], t[5], with.mode)
FIRST_CALL(aclnnLayerNormBackward, t[0], t[1], with.shape.get(), t[2], t[3], t[4], t[5], with.mask.get(), t[6], t[7],
           t[8])
FIRST_CALL(aclnnAdaLayerNorm, t[0], t[1], t[2], t[3], t[4], with.epsilon, t[5])
FIRST_CALL(aclnnAdaLayerNormV2, t[0], t[1], t[2], t[3], t[4], with.epsilon, t[5], t[6], t[7])
FIRST_CALL(aclnnRmsNorm, t[0], t[1], with.epsilon, t[2], t[3])
FIRST_CALL(aclnnGemmaRmsNorm, t[0], t[1], with.epsilon, t[2], t[3])
FIRST_CALL(aclnnRmsNormGrad, t[0], t[1], t[2], t[3], t[4], t[5])
FIRST_CALL(aclnnAddRmsNorm, t[0], t[1], t[2], with.epsilon, t[3], t[4], t[5])
FIRST_CALL(aclnnAddLayerNorm, t[0], t[1], t[2], t[3], t[4], with.epsilon, with.has_sum, t[5], t[6], t[7], t[8])
FIRST_CALL(aclnnRmsNormDynamicQuant, t[0], t[1], t[2], t[3], with.epsilon, with.dst_type, t[4], t[5])
FIRST_CALL(aclnnAddRmsNormDynamicQuant, t[0], t[1], t[2], t[3], t[4], with.epsilon, t[5], t[6], t[7], t[8], t[9])
#define CALLS_OF(name) first_##name, name

inline const std::set<std::string> LAYER_NORM_TYPES = {"input", "out", "meanOut", "rstdOut"},
                                   BACKWARD_TYPES = {"mean",         "rstd",          "weight",     "bias",
                                                     "gradInputOut", "gradWeightOut", "gradBiasOut"},
                                   ADD_LAYER_OUTPUTS = {"yOut", "meanOut", "rstdOut", "xOut"};

// clang-format off
inline const operation OPERATIONS[] = {
    {"layer norm", "input:dt< weight?:ct< bias?:ct< out:dt> meanOut?:of> rstdOut?:of>", 3, {{0, 3}},
     CALLS_OF(aclnnLayerNorm), INVALID, INVALID, LAYER_NORM_TYPES},
    {"layer norm, implementation mode", "input:dt< weight?:ct< bias?:ct< out:dt> meanOut?:of> rstdOut?:of>", 3,
     {{0, 3}}, CALLS_OF(aclnnLayerNormWithImplMode), INVALID, INVALID, LAYER_NORM_TYPES},
    {"layer norm, fast", "input:dt< weight?:ct< bias?:ct< out:dt> meanOut?:of> rstdOut?:of>", 3, {{0, 3}},
     CALLS_OF(aclnnFastLayerNorm), INVALID, INVALID, LAYER_NORM_TYPES},
    {"layer norm, narrow statistics", "input:dt< weight?:ct< bias?:ct< out:dt> meanOut?:oh> rstdOut?:of>", 3, {{0, 3}},
     CALLS_OF(aclnnLayerNorm), INVALID, INVALID, LAYER_NORM_TYPES},
    {"layer norm, inference", "input:dt< weight bias out:dt> meanOut rstdOut", 3, {{0, 3}},
     CALLS_OF(aclnnLayerNorm), INVALID, INVALID, LAYER_NORM_TYPES},
    {"backward",
     "gradOut:dt< input:dt< mean:of< rstd:of< weight?:ct< bias?:ct- gradInputOut:dt> gradWeightOut:cf> gradBiasOut:cf>",
     6, {{0, 6}}, CALLS_OF(aclnnLayerNormBackward), INVALID, INVALID, BACKWARD_TYPES, {}, false},
    {"backward, narrow sides",
     "gradOut:dt< input:dt< mean:oh< rstd:of< weight?:ch< bias?:ct- gradInputOut:dt> gradWeightOut:ch> gradBiasOut:cf>",
     6, {{0, 6}}, CALLS_OF(aclnnLayerNormBackward), INVALID, INVALID, BACKWARD_TYPES, {}, false},
    {"backward, sums alone",
     "gradOut:dt< input:dt< mean:of< rstd:of< weight bias gradInputOut:dt! gradWeightOut:cf> gradBiasOut:cf>",
     6, {}, CALLS_OF(aclnnLayerNormBackward), INVALID, INVALID, BACKWARD_TYPES, {}, false},
    {"backward of the data",
     "gradOut:dt< input:dt< mean:of< rstd:of< weight?:ct< bias gradInputOut:dt> gradWeightOut:cf! gradBiasOut:cf!",
     6, {{0, 6}}, CALLS_OF(aclnnLayerNormBackward), INVALID, INVALID, BACKWARD_TYPES, {}, false},
    {"adaptive layer norm", "x:dt< scale:mt< shift:mt< weightOptional?:ct< biasOptional?:ct< out:dt>", 5, {{0, 5}},
     CALLS_OF(aclnnAdaLayerNorm), INVALID, INVALID, {}, {}, true, false},
    {"adaptive layer norm with statistics",
     "x:dt< scale:mt< shift:mt< weightOptional?:ct< biasOptional?:ct< out:dt> meanOutOptional?:st> "
     "rstdOutOptional?:st>", 5, {{0, 5}}, CALLS_OF(aclnnAdaLayerNormV2), INVALID, INVALID, {}, {}, true, false},
    {"RMS norm", "x:dt< gamma:ct< yOut:dt> rstdOut:sf>", 2, {{0, 2}},
     CALLS_OF(aclnnRmsNorm), INVALID, TILING},
    {"Gemma's RMS norm", "x:dt< gamma:ct< yOut:dt> rstdOut:sf>", 2, {{0, 2}},
     CALLS_OF(aclnnGemmaRmsNorm), INVALID, TILING},
    {"RMS norm, backward", "dy:dt< x:dt< rstd:rf< gamma:ct< dxOut:dt> dgammaOut:cf>", 4, {{0, 4}},
     CALLS_OF(aclnnRmsNormGrad), INVALID, TILING, {}, {}, false},
    {"add, RMS norm", "x1:dt< x2:dt< gamma:ct< yOut:dt> rstdOut?:sf> xOut:dt>", 3, {{0, 3}, {1, 5}},
     CALLS_OF(aclnnAddRmsNorm)},
    {"add, RMS norm without statistics", "x1:dn< x2:dn< gamma:vn< yOut:dn> rstdOut xOut?:dn>", 3, {{0, 3}, {1, 5}},
     CALLS_OF(aclnnAddRmsNorm)},
    {"add, layer norm", "x1:dt< x2:dt< gamma:ct< beta:ct< bias yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt>",
     5, {{0, 5}, {1, 8}}, CALLS_OF(aclnnAddLayerNorm), INVALID, TILING, {"x1", "x2"},
     ADD_LAYER_OUTPUTS, true, false},
    {"add, layer norm, ignored sum", "x1:dt< x2:dt< gamma:ct< beta:ct< bias yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt!",
     5, {{0, 5}}, CALLS_OF(aclnnAddLayerNorm), INVALID, TILING, {"x1", "x2"},
     ADD_LAYER_OUTPUTS, true, false},
    {"add, layer norm, bias of columns",
     "x1:dt< x2:dt< gamma:ct< beta:ct< biasOptional?:ct< yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt>",
     5, {{0, 5}, {1, 8}}, CALLS_OF(aclnnAddLayerNorm), INVALID, TILING, {"x1", "x2"},
     ADD_LAYER_OUTPUTS, true, false},
    {"add, layer norm, bias of elements",
     "x1:dt< x2:dt< gamma:ct< beta:ct< biasOptional?:dt< yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt>",
     5, {{0, 5}, {1, 8}, {4, 8}}, CALLS_OF(aclnnAddLayerNorm), INVALID, TILING, {"x1", "x2"},
     ADD_LAYER_OUTPUTS, true, false},
    {"RMS norm to 8 bits", "x:dn< gamma:cn< smoothScalesOptional?:cn< betaOptional?:cn< yOut:dq> scaleOut:rf>", 4, {},
     CALLS_OF(aclnnRmsNormDynamicQuant), TILING, TILING, {}, {}, true, false},
    {"RMS norm to 8 bits, plain", "x:dn< gamma:cn< smooth beta yOut:dq> scaleOut:rf>", 4, {},
     CALLS_OF(aclnnRmsNormDynamicQuant), TILING, TILING, {}, {}, true, false},
    {"add, RMS norm to 8 bits",
     "x1:dn< x2:dn< gamma:cn< smooth1 smooth2 y1Out:dq> y2Out:dq! xOut:dn> scale1Out:rf> scale2Out:rf!", 5, {{1, 7}},
     CALLS_OF(aclnnAddRmsNormDynamicQuant), INVALID, TILING, {}, {"scale1Out", "scale2Out"}},
    {"add, RMS norm to 8 bits twice",
     "x1:dn< x2:dn< gamma:cn< smoothScale1Optional?:cn< smoothScale2Optional?:cn< y1Out:dq> y2Out:dq> xOut:dn> "
     "scale1Out:rf> scale2Out:rf>", 5, {{1, 7}},
     CALLS_OF(aclnnAddRmsNormDynamicQuant), INVALID, TILING, {}, {"scale1Out", "scale2Out"}},
};
// clang-format on

inline const operation &operation_named(std::string_view name) {
    return *std::find_if(std::begin(OPERATIONS), std::end(OPERATIONS),
                         [&](const operation &op) { return op.name == name; });
}

inline bool is_named(const operation &op, std::string_view part) {
    return std::string_view(op.name).find(part) != part.npos;
}

struct parameter {
    std::string name;
    dims_t dims;
    aclDataType type = ACL_FLOAT;
    char use = '!';
    bool is_optional = false;

    bool exists() const { return !dims.empty(); }
    bool is_output() const { return use == '>'; }
    bool is_used() const { return use == '<' || use == '>'; }
};

// x's shape, how many of its dimensions are normalized, the last ones, and whether the tensors that may have dimensions
// of 1 or not have them.
struct call_shape {
    dims_t dims = {20, 40};
    size_t normalized = 1;
    bool ones = true;

    dims_t columns() const { return {dims.end() - int64_t(normalized), dims.end()}; }
    dims_t of(char shape) const {
        if (shape == 'd') return dims;
        if (shape == 'c') return columns();
        if (shape == 'v') return {1, dims.back()};
        if (shape == 'm') {
            dims_t result = dims;
            if (result.size() > 1) result[result.size() - 2] = 1;
            if (result.size() > 1 && !ones) result.erase(result.end() - 2);
            return result;
        }
        const bool has_ones = shape == 's' || (shape == 'o' && ones);
        dims_t rows(dims.begin(), dims.end() - int64_t(normalized));
        if (has_ones || rows.empty()) rows.resize(has_ones ? dims.size() : 1, 1);
        return rows;
    }
};

using typing = std::map<std::string, aclDataType>; // types of parameters that differ from the table

// The mixtures of types that the contracts allow.
inline std::vector<typing> typings_of(const operation &op, aclDataType data) {
    std::vector<typing> all;
    if (is_named(op, "backward") && !is_named(op, "RMS"))
        for (const aclDataType one : TYPES)
            for (const aclDataType other : TYPES) {
                all.push_back({{"weight", one}, {"bias", other}, {"mean", one}, {"rstd", other}});
                all.push_back({{"weight", other}, {"mean", other}, {"gradWeightOut", one}, {"gradBiasOut", other}});
            }
    else if (op.name == std::string_view("layer norm"))
        for (const aclDataType one : TYPES)
            for (const aclDataType other : TYPES)
                all.push_back({{"weight", ACL_FLOAT}, {"bias", ACL_FLOAT}, {"meanOut", one}, {"rstdOut", other}});
    else if (is_named(op, "adaptive layer norm with"))
        all.push_back({{"weightOptional", ACL_FLOAT}, {"biasOptional", ACL_FLOAT}});
    else if (is_named(op, "to 8 bits twice"))
        for (const aclDataType to : {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN}) all.push_back({{"y1Out", to}, {"y2Out", to}});
    else if (op.typed_freely.empty() && !is_named(op, "add") && !is_named(op, "8 bits"))
        all.push_back({{"gamma", ACL_FLOAT}});
    else if (is_named(op, "add, layer norm"))
        data == ACL_FLOAT ? all.insert(all.end(), {{{"x1", ACL_FLOAT16}}, {{"x1", ACL_BF16}}, {{"x2", ACL_BF16}}})
                          : all.insert(all.end(), {{{"gamma", ACL_FLOAT}, {"beta", ACL_FLOAT}}});
    return all;
}

inline std::vector<parameter> parameters_of(const operation &op, aclDataType type, const call_shape &shape = {},
                                            const typing &types = {}) {
    std::vector<parameter> result;
    std::istringstream words(op.tensors);
    for (std::string word; words >> word;) {
        const size_t colon = word.find(':');
        parameter p{word.substr(0, colon), {}};
        if (p.name.back() == '?') {
            p.is_optional = true;
            p.name.pop_back();
        }
        if (colon != word.npos) {
            const char given = word[colon + 2];
            p.dims = shape.of(word[colon + 1]);
            p.type = given == 'f'                        ? ACL_FLOAT
                     : given == 'q'                      ? ACL_INT8
                     : given == 'h'                      ? ACL_FLOAT16
                     : given == 'n' && type == ACL_FLOAT ? ACL_FLOAT16
                                                         : type;
            p.use = word[colon + 3];
        }
        if (const auto other = types.find(p.name); other != types.end()) p.type = other->second;
        result.push_back(p);
    }
    return result;
}

// The mask asks for the gradients that are written, and the sum is asked for if it is.
inline call_settings settings_of(const std::vector<parameter> &parameters, const call_shape &shape = {}) {
    const auto is_wanted = [&](std::string_view name) {
        return std::any_of(parameters.begin(), parameters.end(),
                           [&](const parameter &p) { return p.name == name && p.is_output(); });
    };
    return {.shape = int_array(shape.columns()),
            .mask = mask_of(is_wanted("gradInputOut"), is_wanted("gradWeightOut"), is_wanted("gradBiasOut")),
            .has_sum = is_wanted("xOut")};
}

// Whether the operation takes x of this shape.
inline bool takes(const operation &op, const call_shape &shape) {
    const std::string tensors = op.tensors;
    const bool has_elements = std::count(shape.dims.begin(), shape.dims.end(), 0) == 0;
    if (!has_elements && (!op.takes_no_elements || tensors.find("gamma") != tensors.npos)) return false;
    const bool takes_last_axis = std::ranges::any_of(
        std::array{"dq>", ":m", ":v"}, [&](const char *part) { return tensors.find(part) != tensors.npos; });
    const bool has_element_bias = op.in_place.contains({4, 8}); // without rows it is one of columns
    const bool has_rows = shape.dims.size() > shape.normalized;
    return (!takes_last_axis || (has_rows && shape.normalized == 1)) && (!has_element_bias || has_rows);
}

} // namespace jitnorm::tests
