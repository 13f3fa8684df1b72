// SPDX-License-Identifier: Apache-2.0
#include "primitive_target.hpp"

#include <cctype>
#include <climits>
#include <set>
#include <string_view>

namespace jitnorm::fuzz {

namespace {

size_t rank_of(jitnorm_format_tag_t tag) {
    std::set<int> letters;
    for (const char c : std::string_view(jitnorm_fmt_tag2str(tag)))
        if (std::isalpha(static_cast<unsigned char>(c))) letters.insert(std::tolower(static_cast<unsigned char>(c)));
    return letters.size();
}

jitnorm_format_tag_t choose_tag(byte_stream &choices, size_t ndims) {
    if (choices.hostile()) return jitnorm_format_tag_t(int(hostile_number(choices)));
    static const std::vector<std::vector<jitnorm_format_tag_t>> tags_by_rank = [] {
        std::vector<std::vector<jitnorm_format_tag_t>> tags(6);
        for (int tag = jitnorm_a; tag < jitnorm_format_tag_last; ++tag)
            tags.at(rank_of(jitnorm_format_tag_t(tag))).push_back(jitnorm_format_tag_t(tag));
        return tags;
    }();
    return ndims >= tags_by_rank.size() || tags_by_rank[ndims].empty() ? jitnorm_a : choices.pick(tags_by_rank[ndims]);
}

void leave_to_run_time(byte_stream &choices, const tensor_rules &rules, tensor_choice &t) {
    for (size_t d = 0; d < t.asked_dims.size(); ++d)
        if ((rules.runtime_dims >> d & 1) != 0) t.asked_dims[d] = JITNORM_RUNTIME_DIM_VAL;
    if (!choices.one_in(8)) return;
    for (int64_t &stride : t.asked_strides)
        if (choices.coin()) stride = JITNORM_RUNTIME_DIM_VAL;
}

} // namespace

jitnorm_data_type_t choose_type(byte_stream &choices, bool forward) {
    constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                             jitnorm_f64, jitnorm_s8,  jitnorm_u8};
    if (choices.hostile()) return jitnorm_data_type_t(choices.coin() ? int(choices.below(12)) : -1);
    return TYPES[choices.below(std::size(TYPES) - (forward ? 0 : 2))];
}

tests::owned_md tensor_choice::make(const sizes &with_dims, const sizes &with_strides,
                                    jitnorm_format_tag_t with_tag) const {
    jitnorm_memory_desc_t md = nullptr;
    const jitnorm_status_t status =
        with_tag != jitnorm_format_tag_undef
            ? jitnorm_memory_desc_create_with_tag(&md, ndims, with_dims.data(), type, with_tag)
            : jitnorm_memory_desc_create_with_strides(&md, ndims, with_dims.data(), type,
                                                      null_strides ? nullptr : with_strides.data());
    require_one_of("creating a memory descriptor has a documented status", status, jitnorm_success,
                   jitnorm_invalid_arguments, jitnorm_out_of_memory);
    require((status == jitnorm_success) == (md != nullptr), "a result is written on success only");
    return tests::owned_md(md);
}

tests::owned_md tensor_choice::actual() const {
    if (tag != jitnorm_format_tag_any) return make(dims, strides, tag);
    tensor_choice row_major = *this;
    row_major.null_strides = true;
    return row_major.make(dims, strides, jitnorm_format_tag_undef);
}

tensor_choice choose_tensor(byte_stream &choices, const tensor_rules &rules, jitnorm_data_type_t type) {
    constexpr int STRANGE_RANKS[] = {-1, 0, 1, 6, 12, 13, INT_MAX, INT_MIN};
    tensor_choice t;
    t.type = type;
    t.dims = rules.dims;
    if (choices.hostile() && !t.dims.empty()) t.dims[choices.below(t.dims.size())] = hostile_number(choices);
    t.ndims = int(t.dims.size());
    const size_t way = choices.below(8);
    t.null_strides = way < 2 || way == 4;
    if (way == 2 || way == 3) t.tag = choose_tag(choices, t.dims.size());
    if (way == 4 && (rules.may_be_any || choices.hostile())) t.tag = jitnorm_format_tag_any;
    t.strides = choose_strides(choices, t.dims);
    t.asked_dims = t.dims;
    t.asked_strides = t.strides;
    leave_to_run_time(choices, rules, t);
    if (choices.hostile()) {
        t.ndims = choices.pick(STRANGE_RANKS);
        // As many numbers as a tensor may have dimensions are read, and no more.
        for (sizes *each : {&t.dims, &t.strides, &t.asked_dims, &t.asked_strides})
            each->resize(size_t(std::clamp(t.ndims, 0, JITNORM_MAX_NDIMS)), 1);
    }
    return t;
}

tests::owned_md exercised(byte_stream &choices, tests::owned_md md) {
    if (md == nullptr || !choices.one_in(4)) return md;
    void *answer[2] = {}; // as large as the largest answer
    for (const int what : {int(jitnorm_query_strides), int(choices.byte()), 256 + int(choices.below(12))})
        jitnorm_memory_desc_query(md.get(), jitnorm_query_t(what), answer);
    tests::owned_md clone = clone_of(md);
    require(jitnorm_memory_desc_equal(md, clone) == 1, "a clone equals what it was cloned from");
    require(jitnorm_memory_desc_get_size(md) == jitnorm_memory_desc_get_size(clone), "and is as large");
    return choices.coin() ? std::move(clone) : std::move(md);
}

} // namespace jitnorm::fuzz
