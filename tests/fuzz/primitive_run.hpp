// SPDX-License-Identifier: Apache-2.0
// primitive_run: the arguments of a primitive's executions.
#pragma once

#include <map>

#include "norm/tensors.hpp"
#include "primitive_choice.hpp"
#include "primitive_judge.hpp"
#include "tensor_regions.hpp"

namespace jitnorm::fuzz {

// Arguments for the primitive descriptor and for all others of the same request: whichever implementation they have,
// they compute the same.
class primitive_arguments {
public:
    primitive_arguments(byte_stream &choices, const primitive_choice &what, const_jitnorm_primitive_desc_t pd);

    // False where a tensor is too large to be worth executing, or the sizes of run time make no tensor.
    bool can_run() const { return can_run_; }

    // Executes on fresh contents; nothing where memory is out.
    std::optional<run_result> run(const_jitnorm_primitive_t p, jitnorm_stream_t on);

    // Judges what the last execution wrote, if that was a success. Restores the outputs.
    void judge(const primitive_choice &what, const_jitnorm_primitive_desc_t pd);

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

    bool add(byte_stream &choices, const primitive_choice &what, const_jitnorm_primitive_desc_t pd,
             impl::layer_norm::slot s);
    size_t position_of(int index) const;
    bool is_complete() const; // all arguments are handed over, each once
    std::map<int, dense_tensor> values(bool outputs) const;
    void choose_aliases(byte_stream &choices, const primitive_choice &what);
    void choose_list(byte_stream &choices);
    std::vector<tests::owned_memory> make_memories() const;
    jitnorm_status_t execute(const_jitnorm_primitive_t p, jitnorm_stream_t on,
                             std::vector<jitnorm_exec_arg_t> list) const;

    std::vector<argument> arguments_;
    tensor_regions regions_;   // a tensor for each argument
    std::vector<size_t> list_; // positions, in the order in which they are handed over
    bool can_run_ = true, negative_count_ = false, null_list_ = false, null_scratchpad_ = false;
    size_t scratchpad_off_ = 0; // bytes off an alignment
};

} // namespace jitnorm::fuzz
