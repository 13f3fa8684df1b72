// SPDX-License-Identifier: Apache-2.0
// The primitive interface: any descriptors, attributes and arguments. Every implementation that takes a request answers
// the same, to the bit; the last one is the plain C++ reference. The first is judged by the formulas, too.
#include "primitive_run.hpp"
#include "streams.hpp"

namespace jitnorm::fuzz {

namespace {

std::string name_of(const_jitnorm_primitive_desc_t pd) {
    const char *name = nullptr;
    require(jitnorm_primitive_desc_query(pd, jitnorm_query_impl_info_str, 0, &name) == jitnorm_success,
            "an implementation has a name");
    return name;
}

void ask_anything(byte_stream &choices, const_jitnorm_primitive_desc_t pd) {
    for (size_t left = choices.below(4); left > 0; --left) {
        const auto what = jitnorm_query_t(choices.hostile() ? int(hostile_number(choices)) : choices.byte());
        const int index = choices.hostile() ? int(hostile_number(choices)) : int(choices.below(3));
        int64_t answer[2] = {}; // as large as the largest answer
        jitnorm_primitive_desc_query(pd, what, index, answer);
        jitnorm_primitive_desc_query_md(pd, what, index);
        jitnorm_primitive_desc_query_s32(pd, what, index);
    }
    const_jitnorm_primitive_attr_t attr = nullptr;
    require(jitnorm_primitive_desc_get_attr(pd, &attr) == jitnorm_success, "a primitive descriptor has attributes");
}

tests::owned_pd clone_of(const_jitnorm_primitive_desc_t pd) {
    jitnorm_primitive_desc_t copy = nullptr;
    require(jitnorm_primitive_desc_clone(&copy, pd) == jitnorm_success, "a primitive descriptor can be cloned");
    return tests::owned_pd(copy);
}

tests::owned_primitive make_primitive(const_jitnorm_primitive_desc_t pd) {
    jitnorm_primitive_t made = nullptr;
    const jitnorm_status_t status = jitnorm_primitive_create(&made, pd);
    require(status == jitnorm_success || status == jitnorm_out_of_memory, "a primitive can be made");
    return tests::owned_primitive(made);
}

// The implementations from this one to the reference, and what the first of them computes.
class comparison {
public:
    comparison(byte_stream &choices, const primitive_choice &what, const_jitnorm_primitive_desc_t pd)
        : what_(what), arguments_(choices, what, pd), first_in_parts_(choices.coin()) {}

    void add(const_jitnorm_primitive_desc_t pd) {
        const tests::owned_primitive made = make_primitive(pd);
        if (made == nullptr || !arguments_.can_run()) return;
        const bool in_parts = first_in_parts_ != expected_.has_value();
        const std::optional<run_result> result = arguments_.run(made.get(), stream(in_parts));
        if (!expected_ && result && result->status == jitnorm_success) arguments_.judge(what_, pd);
        if (!expected_) expected_ = result;
        if (result) arguments_.require_equal(*expected_, *result, name_of(pd));
    }

private:
    const primitive_choice &what_;
    primitive_arguments arguments_;
    const bool first_in_parts_;
    std::optional<run_result> expected_;
};

} // namespace

int run_one(const uint8_t *data, size_t size) {
    byte_stream choices(data, size);
    primitive_choice what;
    tests::owned_pd pd = request(choices, what);
    if (pd == nullptr) return 0;
    ask_anything(choices, pd.get());
    if (choices.coin()) pd = clone_of(pd.get());
    comparison all(choices, what, pd.get());
    do all.add(pd.get());
    while (jitnorm_primitive_desc_next_impl(pd.get()) == jitnorm_success);
    require(name_of(pd.get()) == "ref:any", "the last implementation is the reference");
    return 0;
}

} // namespace jitnorm::fuzz
