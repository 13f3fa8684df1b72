// SPDX-License-Identifier: Apache-2.0
// The operators of ONNX that are normalizations, and the tensors that each of them has.
#pragma once

#include <array>

namespace jitnorm_onnxruntime {

enum role { X, SKIP, BIAS, SCALE, SHIFT, Y, MEAN, RSTD, SUM, ROLES };
constexpr bool is_input(int tensor) { return tensor < Y; }

struct operator_row {
    const char *domain, *name;
    int last_version; // the latest one of those that this table describes
    bool rms;
    float epsilon;                       // if the node has none
    std::array<role, 5> inputs, outputs; // in the order of the operator; ROLES: there is no such tensor
};

constexpr const char *MICROSOFT = "com.microsoft";

constexpr operator_row OPERATORS[] = {
    {"", "LayerNormalization", 17, false, 1e-5f, {X, SCALE, SHIFT, ROLES, ROLES}, {Y, MEAN, RSTD, ROLES, ROLES}},
    {"", "RMSNormalization", 23, true, 1e-5f, {X, SCALE, ROLES, ROLES, ROLES}, {Y, ROLES, ROLES, ROLES, ROLES}},
    {"",
     "SimplifiedLayerNormalization",
     1,
     true,
     1e-5f,
     {X, SCALE, ROLES, ROLES, ROLES},
     {Y, RSTD, ROLES, ROLES, ROLES}},
    {MICROSOFT, "SkipLayerNormalization", 1, false, 1e-12f, {X, SKIP, SCALE, SHIFT, BIAS}, {Y, MEAN, RSTD, SUM, ROLES}},
    {MICROSOFT,
     "SkipSimplifiedLayerNormalization",
     1,
     true,
     1e-12f,
     {X, SKIP, SCALE, BIAS, ROLES},
     {Y, MEAN, RSTD, SUM, ROLES}},
};

} // namespace jitnorm_onnxruntime
