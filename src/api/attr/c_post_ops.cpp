// SPDX-License-Identifier: Apache-2.0
// C interface: post-operations.
#include "../../norm/attributes.hpp"
#include "../../tensor/names.hpp"
#include "attr.hpp"
#include "jitnorm/jitnorm_attr.h"

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

status unknown_algorithm(jitnorm_alg_kind_t alg, const char *kind) {
    return invalid(explain("alg_kind %d is not an algorithm of %s post-ops", int(alg), kind));
}

bool has_index(const_jitnorm_post_ops_t post_ops, int index) {
    return 0 <= index && index < jitnorm_post_ops_len(post_ops);
}

// Says why there is no post-op of the kind at the index.
status no_post_op(const_jitnorm_post_ops_t post_ops, int index, const char *kind) {
    if (post_ops == nullptr) return invalid("post_ops is null");
    if (!has_index(post_ops, index))
        return invalid(explain("index is %d; the number of post-ops is %d", index, jitnorm_post_ops_len(post_ops)));
    return invalid(explain("post-op %d is not of kind %s", index, kind));
}

jitnorm_status_t append(const char *function, jitnorm_post_ops_t post_ops, const any_post_op &entry) noexcept {
    return guarded(function, [&]() -> status {
        if (post_ops->entries.size() >= size_t(MAX_POST_OPS))
            return {jitnorm_out_of_memory, "post_ops is full: it has 32 entries"};
        post_ops->entries.push_back(entry);
        return {};
    });
}

// Returns the entry at `index`, or null if it does not exist or is of another kind.
template <typename Kind>
const Kind *find(const_jitnorm_post_ops_t post_ops, int index) {
    return has_index(post_ops, index) ? std::get_if<Kind>(&post_ops->entries[size_t(index)]) : nullptr;
}

template <typename Value>
void put(Value *result, Value value) {
    if (result != nullptr) *result = value;
}

} // namespace

jitnorm_status_t jitnorm_post_ops_create(jitnorm_post_ops_t *post_ops) {
    JITNORM_REFUSE_NULL(post_ops);
    return create(__func__, post_ops);
}

jitnorm_status_t jitnorm_post_ops_clone(jitnorm_post_ops_t *post_ops, const_jitnorm_post_ops_t existing) {
    return clone(__func__, post_ops, existing);
}

jitnorm_status_t jitnorm_post_ops_destroy(jitnorm_post_ops_t post_ops) { return destroy(post_ops); }

int jitnorm_post_ops_len(const_jitnorm_post_ops_t post_ops) {
    return post_ops == nullptr ? 0 : int(post_ops->entries.size());
}

jitnorm_primitive_kind_t jitnorm_post_ops_get_kind(const_jitnorm_post_ops_t post_ops, int index) {
    constexpr jitnorm_primitive_kind_t KINDS[] = {jitnorm_sum, jitnorm_eltwise, jitnorm_binary, jitnorm_prelu};
    static_assert(std::size(KINDS) == std::variant_size_v<any_post_op>); // in the order of its types
    return has_index(post_ops, index) ? KINDS[post_ops->entries[size_t(index)].index()] : jitnorm_undefined_primitive;
}

jitnorm_status_t jitnorm_post_ops_append_sum(jitnorm_post_ops_t post_ops, float scale, int32_t zero_point,
                                             jitnorm_data_type_t data_type) {
    JITNORM_REFUSE_NULL(post_ops);
    if (data_type != jitnorm_data_type_undef && size_of(data_type) == 0)
        return report(__func__, unknown_data_type(data_type));
    return append(__func__, post_ops, sum_post_op{scale, zero_point, data_type});
}

jitnorm_status_t jitnorm_post_ops_get_params_sum(const_jitnorm_post_ops_t post_ops, int index, float *scale,
                                                 int32_t *zero_point, jitnorm_data_type_t *data_type) {
    const auto *sum = find<sum_post_op>(post_ops, index);
    if (sum == nullptr) return report(__func__, no_post_op(post_ops, index, "sum"));
    put(scale, sum->scale);
    put(zero_point, sum->zero_point);
    put(data_type, sum->data_type);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_post_ops_append_eltwise(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind, float alpha,
                                                 float beta) {
    JITNORM_REFUSE_NULL(post_ops);
    if (!is_eltwise(alg_kind)) return report(__func__, unknown_algorithm(alg_kind, "eltwise"));
    return append(__func__, post_ops, eltwise_post_op{alg_kind, alpha, beta});
}

jitnorm_status_t jitnorm_post_ops_get_params_eltwise(const_jitnorm_post_ops_t post_ops, int index,
                                                     jitnorm_alg_kind_t *alg_kind, float *alpha, float *beta) {
    const auto *eltwise = find<eltwise_post_op>(post_ops, index);
    if (eltwise == nullptr) return report(__func__, no_post_op(post_ops, index, "eltwise"));
    put(alg_kind, eltwise->alg);
    put(alpha, eltwise->alpha);
    put(beta, eltwise->beta);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_post_ops_append_binary(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind,
                                                const_jitnorm_memory_desc_t src1_desc) {
    JITNORM_REFUSE_NULL(post_ops, src1_desc);
    if (!is_binary(alg_kind)) return report(__func__, unknown_algorithm(alg_kind, "binary"));
    if (src1_desc->ndims == 0) return report(__func__, invalid("src1_desc has no dimensions"));
    return append(__func__, post_ops, binary_post_op{alg_kind, *src1_desc});
}

jitnorm_status_t jitnorm_post_ops_get_params_binary(const_jitnorm_post_ops_t post_ops, int index,
                                                    jitnorm_alg_kind_t *alg_kind,
                                                    const_jitnorm_memory_desc_t *src1_desc) {
    const auto *binary = find<binary_post_op>(post_ops, index);
    if (binary == nullptr) return report(__func__, no_post_op(post_ops, index, "binary"));
    put(alg_kind, binary->alg);
    put<const_jitnorm_memory_desc_t>(src1_desc, &binary->src1);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_post_ops_append_binary_v2(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind,
                                                   const_jitnorm_memory_desc_t src1_desc,
                                                   const_jitnorm_memory_desc_t src2_desc) {
    if (src2_desc != nullptr && src2_desc->ndims != 0)
        return report(__func__, invalid("src2_desc must be empty: binary post-ops have no src2"));
    return jitnorm_post_ops_append_binary(post_ops, alg_kind, src1_desc);
}

jitnorm_status_t jitnorm_post_ops_get_params_binary_v2(const_jitnorm_post_ops_t post_ops, int index,
                                                       jitnorm_alg_kind_t *alg_kind,
                                                       const_jitnorm_memory_desc_t *src1_desc,
                                                       const_jitnorm_memory_desc_t *src2_desc) {
    const jitnorm_status_t found = jitnorm_post_ops_get_params_binary(post_ops, index, alg_kind, src1_desc);
    if (found == jitnorm_success) put<const_jitnorm_memory_desc_t>(src2_desc, &NO_TENSOR);
    return found;
}

jitnorm_status_t jitnorm_post_ops_append_prelu(jitnorm_post_ops_t post_ops, int mask) {
    JITNORM_REFUSE_NULL(post_ops);
    if (mask < 0) return report(__func__, invalid(explain("mask is %d, which is negative", mask)));
    return append(__func__, post_ops, prelu_post_op{mask});
}

jitnorm_status_t jitnorm_post_ops_get_params_prelu(const_jitnorm_post_ops_t post_ops, int index, int *mask) {
    const auto *prelu = find<prelu_post_op>(post_ops, index);
    if (prelu == nullptr) return report(__func__, no_post_op(post_ops, index, "prelu"));
    put(mask, prelu->mask);
    return jitnorm_success;
}
