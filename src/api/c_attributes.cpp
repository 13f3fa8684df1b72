// SPDX-License-Identifier: Apache-2.0
// C interface: attributes of primitives.
#include "../core/attributes.hpp"
#include "../core/boundary.hpp"
#include "jitnorm/jitnorm_attr.h"

using namespace jitnorm::impl;

jitnorm_status_t jitnorm_primitive_attr_create(jitnorm_primitive_attr_t *attr) {
    if (any_null(attr)) return report(__func__, JITNORM_NULL_AMONG(attr));
    return create(__func__, attr);
}

jitnorm_status_t jitnorm_primitive_attr_clone(jitnorm_primitive_attr_t *attr, const_jitnorm_primitive_attr_t existing) {
    return clone(__func__, attr, existing);
}

jitnorm_status_t jitnorm_primitive_attr_destroy(jitnorm_primitive_attr_t attr) { return destroy(attr); }

jitnorm_status_t jitnorm_primitive_attr_get_scratchpad_mode(const_jitnorm_primitive_attr_t attr,
                                                            jitnorm_scratchpad_mode_t *mode) {
    if (any_null(attr, mode)) return report(__func__, JITNORM_NULL_AMONG(attr, mode));
    *mode = attr->scratchpad_mode;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_scratchpad_mode(jitnorm_primitive_attr_t attr,
                                                            jitnorm_scratchpad_mode_t mode) {
    if (any_null(attr)) return report(__func__, JITNORM_NULL_AMONG(attr));
    if (mode != jitnorm_scratchpad_mode_library && mode != jitnorm_scratchpad_mode_user)
        return report(__func__, {jitnorm_invalid_arguments, "unknown scratchpad mode"});
    attr->scratchpad_mode = mode;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_scales_mask(jitnorm_primitive_attr_t attr, int arg, int mask) {
    if (any_null(attr)) return report(__func__, JITNORM_NULL_AMONG(attr));
    if (arg < 0 || mask < 0) return report(__func__, {jitnorm_invalid_arguments, "a negative argument or mask"});
    if (arg != JITNORM_ARG_SRC && arg != JITNORM_ARG_DST)
        return report(__func__, {jitnorm_unimplemented, "only src and dst take a scale"});
    if (mask != 0) return report(__func__, {jitnorm_unimplemented, "a scale is one value for the whole tensor"});
    (arg == JITNORM_ARG_SRC ? attr->src_scale : attr->dst_scale) = true;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_get_post_ops(const_jitnorm_primitive_attr_t attr,
                                                     const_jitnorm_post_ops_t *post_ops) {
    if (any_null(attr, post_ops)) return report(__func__, JITNORM_NULL_AMONG(attr, post_ops));
    *post_ops = &attr->post_ops;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_post_ops(jitnorm_primitive_attr_t attr, const_jitnorm_post_ops_t post_ops) {
    if (any_null(attr, post_ops)) return report(__func__, JITNORM_NULL_AMONG(attr, post_ops));
    return guarded(__func__, [&]() -> verdict {
        attr->post_ops = *post_ops;
        return {};
    });
}
