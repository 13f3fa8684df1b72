// SPDX-License-Identifier: Apache-2.0
// The primitive interface: any descriptors, attributes and arguments. Every implementation that takes a request answers
// the same, to the bit; the last one is the plain C++ reference. The first is checked by the formulas, too.
#include <algorithm>
#include <numeric>

#include "api/primitive/primitive_desc.hpp"
#include "circumstances.hpp"
#include "primitive_target.hpp"
#include "problem/api.hpp"
#include "tensor_regions.hpp"

namespace jitnorm::fuzz {

using namespace impl::layer_norm; // slots

namespace {

// ---- the arguments of a primitive's executions

bool is_small(const_jitnorm_memory_desc_t md) {
    return jitnorm_memory_desc_get_size(md) <= MOST_BYTES &&
           count_up_to(tests::dims_of(md, jitnorm_query_dims), MOST_ELEMENTS) >= 0;
}

const_jitnorm_memory_desc_t scratchpad_of(const_jitnorm_primitive_t p) {
    const auto *pd = tests::queried(jitnorm_primitive_get_primitive_desc, p);
    return jitnorm_primitive_desc_query_md(pd, jitnorm_query_scratchpad_md, 0);
}

// Arguments for the primitive descriptor and for all others of the same request: whichever implementation they have,
// they compute the same.
class primitive_arguments {
public:
    primitive_arguments(byte_stream &choices, const primitive_choice &what, const_jitnorm_primitive_desc_t pd) {
        const size_t post_ops = pd->what->problem.attr.post_ops.entries.size();
        for (int s = SRC; s < post_op_slot(post_ops); ++s)
            if (s != ROW_SUMS && s != SCRATCHPAD) can_run_ = can_run_ && add(choices, what, pd, slot(s));
        if (!can_run_) return;
        choose_aliases(choices, what);
        regions_.allocate(choices);
        choose_list(choices);
    }

    // False where a tensor is too large to be worth executing, or the sizes of run time make no tensor.
    bool can_run() const { return can_run_; }

    // Executes on fresh contents; nothing where memory is out.
    std::optional<run_result> run(const_jitnorm_primitive_t p, jitnorm_stream_t on) {
        regions_.restore();
        const std::vector<tests::owned_memory> memories = make_memories();
        std::vector<jitnorm_exec_arg_t> list;
        for (const size_t i : list_) list.push_back({arguments_[i].index, memories[i].get()});
        const jitnorm_status_t status = execute(p, on, std::move(list));
        require_one_of("an execution has a documented status", status, jitnorm_success, jitnorm_invalid_arguments,
                       jitnorm_out_of_memory);
        const run_result result = regions_.result(status);
        if (status == jitnorm_out_of_memory) return std::nullopt;
        return result;
    }

    // Checks the results of the last execution, if it was a success. Restores the outputs.
    void check(const primitive_choice &what, const_jitnorm_primitive_desc_t pd) {
        if (!regions_.is_comparable() || !is_complete()) return;
        const auto outputs = values(true);
        regions_.restore();
        check_primitive(what, pd, values(false), outputs);
    }

    // One implementation may need no scratchpad where another needs one, which then is missing.
    void require_equal(const run_result &a, const run_result &b, const std::string &whose) const {
        if (!null_scratchpad_) regions_.require_equal(a, b, whose);
    }

private:
    struct argument {
        int index;
        tests::owned_md md;
        bool has_handle, is_read, is_written;
    };

    // False where the execution is not worth it.
    bool add(byte_stream &choices, const primitive_choice &what, const_jitnorm_primitive_desc_t pd, slot s) {
        const problem &p = pd->what->problem;
        const auto *asked = jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg_of(s));
        const bool exists = tests::ndims_of(asked) > 0;
        if (!exists && !choices.hostile()) return true;
        const auto type = tests::ask<jitnorm_data_type_t>(asked, jitnorm_query_data_type);
        const bool is_open = jitnorm_memory_desc_get_size(asked) == JITNORM_RUNTIME_SIZE_VAL;
        tests::owned_md md = is_open ? what.actual(arg_of(s), type) : clone_of(asked);
        if (choices.hostile())
            md = choose_tensor(choices, {what.tensors.at(JITNORM_ARG_SRC).dims, 0, false}, type).actual();
        if (md == nullptr || !is_small(md.get())) return false;
        const bool is_written = p.writes(s), is_read = !is_written || p.reads(s);
        regions_.add(jitnorm_memory_desc_get_size(md.get()),
                     tests::ask<jitnorm_data_type_t>(md.get(), jitnorm_query_data_type), is_read, is_written);
        if (s == VARIANCE && !is_written) regions_.make_positive(arguments_.size());
        arguments_.push_back({arg_of(s), std::move(md), !choices.hostile(), is_read, is_written});
        return true;
    }

    size_t position_of(int index) const {
        const auto has_index = [&](const argument &a) { return a.index == index; };
        return size_t(std::find_if(arguments_.begin(), arguments_.end(), has_index) - arguments_.begin());
    }

    // Whether all arguments are handed over, each once.
    bool is_complete() const {
        std::vector<size_t> all(arguments_.size()), handed = list_;
        std::iota(all.begin(), all.end(), size_t(0));
        std::sort(handed.begin(), handed.end());
        return handed == all;
    }

    std::map<int, dense_tensor> values(bool outputs) const {
        static const benchdnn_lite::library linked;
        std::map<int, dense_tensor> all;
        for (size_t i = 0; i < arguments_.size(); ++i) {
            const argument &a = arguments_[i];
            if (outputs ? !a.is_written : !a.is_read) continue;
            const layout where = layout_of(linked, a.md.get());
            all[a.index] = {where, regions_.data(i), read(where, regions_.data(i))};
        }
        return all;
    }

    void choose_aliases(byte_stream &choices, const primitive_choice &what) {
        const size_t in = position_of(what.is_forward() ? JITNORM_ARG_SRC : JITNORM_ARG_DIFF_DST);
        const size_t out = position_of(what.is_forward() ? JITNORM_ARG_DST : JITNORM_ARG_DIFF_SRC);
        if (choices.one_in(4) && in < arguments_.size() && out < arguments_.size()) regions_.share(in, out, 0, true);
        const size_t residual = position_of(JITNORM_ARG_SRC_1), sum = position_of(JITNORM_ARG_DST_1);
        if (residual < arguments_.size() && sum < arguments_.size() && choices.one_in(4))
            regions_.share(residual, sum, 0, true);
        regions_.share_hostile(choices);
    }

    // Any order; hostile lists have arguments missing or twice.
    void choose_list(byte_stream &choices) {
        for (size_t i = 0; i < arguments_.size(); ++i) {
            if (!choices.hostile()) list_.push_back(i);
            if (choices.hostile()) list_.push_back(i);
        }
        if (choices.coin()) std::reverse(list_.begin(), list_.end());
        negative_count_ = choices.hostile();
        null_list_ = choices.hostile();
        null_scratchpad_ = choices.hostile();
        scratchpad_off_ = choices.below(64);
    }

    std::vector<tests::owned_memory> make_memories() const {
        std::vector<tests::owned_memory> memories;
        for (size_t i = 0; i < arguments_.size(); ++i)
            memories.push_back(tests::make_memory(arguments_[i].md.get(),
                                                  arguments_[i].has_handle ? regions_.data(i) : JITNORM_MEMORY_NONE));
        return memories;
    }

    jitnorm_status_t execute(const_jitnorm_primitive_t p, jitnorm_stream_t on,
                             std::vector<jitnorm_exec_arg_t> list) const {
        const auto *md = scratchpad_of(p);
        const size_t bytes = jitnorm_memory_desc_get_size(md);
        if (bytes > 16 * MOST_BYTES) return jitnorm_out_of_memory;
        const tests::guarded_buffer scratchpad(bytes + scratchpad_off_, tests::guard_side::after);
        const tests::owned_memory handed =
            tests::make_memory(md, null_scratchpad_ ? nullptr : scratchpad.as<char>() + scratchpad_off_);
        if (bytes > 0) list.push_back({JITNORM_ARG_SCRATCHPAD, handed.get()});
        const jitnorm_status_t status = jitnorm_primitive_execute(p, on, negative_count_ ? -1 : int(list.size()),
                                                                  null_list_ ? nullptr : list.data());
        require(scratchpad.slack_untouched(), "nothing is written around the scratchpad");
        return status;
    }

    std::vector<argument> arguments_;
    tensor_regions regions_;   // a tensor for each argument
    std::vector<size_t> list_; // positions, in the order in which they are handed over
    bool can_run_ = true, negative_count_ = false, null_list_ = false, null_scratchpad_ = false;
    size_t scratchpad_off_ = 0; // bytes off an alignment
};

// ---- implementations

void ask_anything(byte_stream &choices, const_jitnorm_primitive_desc_t pd) {
    for (size_t left = choices.below(4); left > 0; --left) {
        const auto what = jitnorm_query_t(choices.hostile() ? int(hostile_number(choices)) : choices.byte());
        const int index = choices.hostile() ? int(hostile_number(choices)) : int(choices.below(3));
        int64_t answer[2] = {}; // as large as the largest answer
        jitnorm_primitive_desc_query(pd, what, index, answer);
        jitnorm_primitive_desc_query_md(pd, what, index);
        jitnorm_primitive_desc_query_s32(pd, what, index);
    }
    (void)tests::queried(jitnorm_primitive_desc_get_attr, pd);
}

tests::owned_primitive make_primitive(const_jitnorm_primitive_desc_t pd) {
    jitnorm_primitive_t made = nullptr;
    const jitnorm_status_t status = jitnorm_primitive_create(&made, pd);
    require(status == jitnorm_success || status == jitnorm_out_of_memory, "a primitive can be made");
    return tests::owned_primitive(made);
}

// The implementations from this one to the reference, and the results of the first.
class comparison {
public:
    comparison(byte_stream &choices, const primitive_choice &what, const_jitnorm_primitive_desc_t pd)
        : what_(what), arguments_(choices, what, pd), first_in_parts_(choices.coin()) {}

    void add(const_jitnorm_primitive_desc_t pd) {
        const tests::owned_primitive made = make_primitive(pd);
        if (made == nullptr || !arguments_.can_run()) return;
        const bool in_parts = first_in_parts_ != expected_.has_value();
        const std::optional<run_result> result = arguments_.run(made.get(), stream(in_parts));
        if (!expected_ && result && result->status == jitnorm_success) arguments_.check(what_, pd);
        if (!expected_) expected_ = result;
        if (result) arguments_.require_equal(*expected_, *result, tests::implementation_of(pd));
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
    if (choices.coin())
        pd = tests::make_owned<tests::owned_pd>("a primitive descriptor can be cloned", jitnorm_primitive_desc_clone,
                                                pd.get());
    comparison all(choices, what, pd.get());
    do all.add(pd.get());
    while (jitnorm_primitive_desc_next_impl(pd.get()) == jitnorm_success);
    require(tests::implementation_of(pd) == std::string("ref:any"), "the last implementation is the reference");
    return 0;
}

} // namespace jitnorm::fuzz
