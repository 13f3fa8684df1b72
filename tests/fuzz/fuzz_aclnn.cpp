// SPDX-License-Identifier: Apache-2.0
// The two-phase calls: any tensors and arrays. A request that the first call takes runs in a workspace of exactly the
// size that it asked for, gives the bits of the reference, and is checked by the formulas.
#include <algorithm>
#include <cstring>

#include "aclnn_target.hpp"
#include "circumstances.hpp"
#include "tensor_regions.hpp"

namespace jitnorm::fuzz {

namespace {

// An error has a reason, which is one line.
void check_status(jitnorm_acl_status_t status) {
    require_one_of("a call has a documented status", status, JITNORM_ACLNN_SUCCESS, JITNORM_ACLNN_ERR_PARAM_NULLPTR,
                   JITNORM_ACLNN_ERR_PARAM_INVALID, JITNORM_ACLNN_ERR_INNER_TILING,
                   JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR, JITNORM_ACLNN_ERR_INNER_NULLPTR);
    const char *reason = jitnorm_acl_recent_error();
    if (status == JITNORM_ACLNN_SUCCESS) return;
    require(reason != nullptr && reason[0] != '\0' && std::strchr(reason, '\n') == nullptr,
            "an error says why in a line");
}

using acl_tensor = tests::acl_owned<aclTensor>;

class call {
public:
    call(byte_stream &choices, const aclnn_choice &what) : what_(what), bytes_(what.tensors.size(), 0) {
        for (size_t i = 0; i < what.tensors.size(); ++i) {
            const acl_tensor_choice &t = what.tensors[i];
            can_run_ = t.find_bytes(bytes_[i]) && can_run_;
            regions_.add(bytes_[i], t.core_type(), !what.is_output(i), what.is_output(i));
            if (what.parameters[i].name == "rstd") regions_.make_positive(i);
            has_address_.push_back(!choices.hostile());
        }
        if (choices.one_in(4)) share_in_place(choices);
        regions_.share_hostile(choices);
        regions_.allocate(choices);
        small_workspace_ = choices.hostile();
        repeatable_ = choices.one_in(4);
        destroys_early_ = choices.coin();
        new_address_ = choices.one_in(4);
        workspace_off_ = choices.below(64);
    }

    bool can_run() const { return can_run_; }
    // First and second call.
    run_result run(bool in_parts) {
        regions_.restore();
        std::vector<acl_tensor> tensors = make_tensors();
        uint64_t bytes = 0;
        jitnorm_acl_op_executor_t executor = nullptr;
        std::vector<aclTensor *> given;
        for (const acl_tensor &t : tensors) given.push_back(t.get());
        jitnorm_acl_status_t status = what_.op->first(given.data(), what_.with, &bytes, &executor);
        check_status(status);
        require((status == 0) == (executor != nullptr), "an executor is made on success only");
        if (executor == nullptr) return regions_.result(status);
        if (repeatable_) jitnorm_acl_op_executor_set_repeatable(executor);
        if (new_address_ && tensors[0] != nullptr && has_address_[0] != 0)
            require(jitnorm_acl_op_executor_set_address(executor, jitnorm_acl_inputs, 0, tensors[0].get(),
                                                        regions_.data(0)) == 0,
                    "an executor takes an address");
        if (destroys_early_) tensors.clear();
        const bool is_run = can_run_ && bytes <= 16 * MOST_BYTES;
        if (is_run) check_status(status = execute(bytes, executor, in_parts));
        has_succeeded_ = is_run && status == 0;
        const bool has_ended = has_succeeded_ && !repeatable_;
        require((jitnorm_acl_op_executor_destroy(executor) == 0) != has_ended, "an executor ends once");
        return regions_.result(status);
    }

    // One implementation may need no workspace where another needs one, which then is too small.
    void require_equal(const run_result &a, const run_result &b) const {
        if (!small_workspace_) regions_.require_equal(a, b, "ref:any");
    }

    // Checks the results of the last run. Restores the outputs.
    void check() {
        if (!has_succeeded_ || !regions_.is_comparable()) return;
        const std::vector<numbers> after = values(true);
        regions_.restore();
        check_call(what_, values(false), after);
    }

private:
    std::vector<numbers> values(bool outputs) const {
        std::vector<numbers> all;
        for (size_t i = 0; i < what_.tensors.size(); ++i) {
            const acl_tensor_choice &t = what_.tensors[i];
            const bool is_asked = t.exists && what_.is_output(i) == outputs;
            const bool has_elements = std::ranges::count(t.dims, 0) == 0; // otherwise other sizes may be huge
            all.push_back(is_asked && has_elements ? read(t.where(), regions_.data(i)) : numbers{});
        }
        return all;
    }

    void share_in_place(byte_stream &choices) {
        if (what_.op->in_place.empty()) return;
        const auto [in, out] =
            *std::next(what_.op->in_place.begin(), ptrdiff_t(choices.below(what_.op->in_place.size())));
        const acl_tensor_choice &a = what_.tensors[in], &b = what_.tensors[out];
        const bool same =
            a.dims == b.dims && a.type == b.type && a.offset == b.offset && a.null_strides && b.null_strides;
        if (same || choices.hostile()) regions_.share(in, out, 0, same);
    }

    std::vector<acl_tensor> make_tensors() const {
        std::vector<acl_tensor> tensors;
        for (size_t i = 0; i < what_.tensors.size(); ++i)
            tensors.push_back(what_.tensors[i].at(has_address_[i] != 0 ? regions_.data(i) : nullptr));
        return tensors;
    }

    jitnorm_acl_status_t execute(uint64_t bytes, jitnorm_acl_op_executor_t executor, bool in_parts) const {
        const uint64_t given = bytes > 0 && small_workspace_ ? bytes - 1 : bytes;
        const tests::guarded_buffer workspace(given + workspace_off_, tests::guard_side::after);
        const jitnorm_acl_status_t status =
            what_.op->second(workspace.as<char>() + workspace_off_, given, executor, stream(in_parts));
        require(workspace.slack_untouched(), "nothing is written around the workspace");
        return status;
    }

    const aclnn_choice &what_;
    tensor_regions regions_; // a tensor for each
    std::vector<size_t> bytes_;
    bool can_run_ = true, small_workspace_ = false, repeatable_ = false, destroys_early_ = false, new_address_ = false;
    std::vector<uint8_t> has_address_;
    size_t workspace_off_ = 0; // bytes off an alignment
    bool has_succeeded_ = false;
};

} // namespace

int run_one(const uint8_t *data, size_t size) {
    byte_stream choices(data, size);
    const aclnn_choice what = choose_aclnn(choices);
    call both(choices, what);
    const bool in_parts = choices.coin();
    const run_result got = both.run(in_parts);
    both.check();
    const reference_only capped;
    const run_result expected = both.run(!in_parts);
    both.require_equal(got, expected);
    return 0;
}

} // namespace jitnorm::fuzz
