// SPDX-License-Identifier: Apache-2.0
// drawn_work: executions that threads share, with whatever decides how they share them: groups of rows, gates and their
// gradients, packed rows, chunks of long rows, sums of gradients. The scratchpad is exactly as large as the primitive
// asks, between guard pages. Outputs are compared as bytes.
#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <string>

#include "api/row_tensors.hpp"
#include "support/guarded_buffer.hpp"

namespace jitnorm::tests {

struct drawn_work {
    std::string name = {};
    jitnorm_prop_kind_t kind = jitnorm_forward_training;
    dims sizes = {}; // 3
    jitnorm_data_type_t type = jitnorm_f32, scale_shift_type = jitnorm_f32;
    std::string order = "abc"; // of the dimensions in memory, the last one without gaps
    unsigned scale = 0;        // a mask: the row dimensions along which scale and shift change
    int gate = -1;             // the same of the gate; negative: there is none
    bool adds = false;         // a residual; a gate needs it
    bool has_operand = false;  // forward: one that a post-op adds, with a value for each row
    bool finds_scales = false; // forward: of each row of dst, which is s8
    unsigned flags = CH;
    bool open = false;         // sizes come at execution
    bool takes_groups = false; // several threads take whole groups of rows

    bool is_forward() const { return kind == jitnorm_forward_training || kind == jitnorm_forward_inference; }
    bool has_gate() const { return gate >= 0; }
};

inline void PrintTo(const drawn_work &w, std::ostream *to) {
    *to << w.name << " kind " << w.kind << ' ' << w.sizes[0] << 'x' << w.sizes[1] << 'x' << w.sizes[2] << ' ' << w.order
        << " type " << w.type << " parameters " << w.scale_shift_type << " scale " << w.scale << " gate " << w.gate
        << " adds " << w.adds << " operand " << w.has_operand << " scales " << w.finds_scales << " flags " << w.flags
        << " open " << w.open;
}

// Of dense dimensions in this order.
inline dims strides_in(const std::string &order, const dims &sizes) {
    dims strides(sizes.size());
    jitnorm_dim_t step = 1;
    for (size_t i = order.size(); i-- > 0; step *= std::max<jitnorm_dim_t>(sizes[size_t(order[i] - 'a')], 1))
        strides[size_t(order[i] - 'a')] = step;
    return strides;
}

class described_work {
public:
    // With `open`, descriptors lack what memories say at execution.
    described_work(const drawn_work &w, bool open) : w_(w), open_(open) {}

    owned_pd pd() const {
        const owned_md data = row_tensor(w_.type), dst = row_tensor(w_.finds_scales ? jitnorm_s8 : w_.type);
        const dims rows(w_.sizes.begin(), w_.sizes.end() - 1);
        const owned_md statistics = of(rows, jitnorm_f32, strides_in("ab", rows));
        const owned_attr attr = attributes();
        if (w_.is_forward())
            return forward_request{w_.kind, data, dst, statistics, w_.scale_shift_type}.make(w_.flags, attr);
        return backward_request{w_.kind, data, data, data, statistics, jitnorm_f32, w_.scale_shift_type}.make(w_.flags,
                                                                                                              attr);
    }

private:
    owned_md of(const dims &sizes, jitnorm_data_type_t type, const dims &strides) const {
        const dims unknown(sizes.size(), R);
        return open_ ? make_md(unknown, type, unknown) : make_md(sizes, type, strides);
    }
    owned_md row_tensor(jitnorm_data_type_t type) const { return of(w_.sizes, type, strides_in(w_.order, w_.sizes)); }
    // One that changes along these row dimensions. A size of 1 is not left out.
    owned_md parameter(unsigned mask, jitnorm_data_type_t type) const {
        dims sizes = masked(w_.sizes, mask), strides = strides_in("abc", sizes);
        if (open_)
            for (size_t d = 0; d < sizes.size(); ++d)
                if (d == 2 || (mask >> d & 1) != 0) sizes[d] = R;
        return make_md(sizes, type, open_ ? dims(sizes.size(), R) : strides);
    }

    owned_attr attributes() const {
        owned_attr attr = with_user_scratchpad();
        const owned_md data = row_tensor(w_.type), scale = parameter(w_.scale, w_.scale_shift_type);
        if (w_.scale != 0)
            must(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, scale), "row dimensions of scale and shift");
        if (w_.adds) must(jitnorm_primitive_attr_set_residual(attr, data, data, NO_BIAS, 0), "a residual");
        if (w_.has_gate())
            must(jitnorm_primitive_attr_set_residual_gate(attr, parameter(unsigned(w_.gate), w_.scale_shift_type)),
                 "a gate");
        if (w_.has_operand) {
            const owned_post_ops post_ops = make_post_ops();
            dims sizes = open_ ? dims{R, R, 1} : dims{w_.sizes[0], w_.sizes[1], 1};
            const owned_md operand =
                make_md(sizes, jitnorm_f32, open_ ? dims{R, R, R} : strides_in("abc", {w_.sizes[0], w_.sizes[1], 1}));
            must(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, operand), "a post-op");
            must(jitnorm_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
        }
        if (w_.finds_scales)
            must(jitnorm_primitive_attr_set_scales_v3(attr, JITNORM_ARG_DST, 3, 0, nullptr, jitnorm_f32, 0,
                                                      jitnorm_quantization_mode_dynamic_amax),
                 "scales that are found");
        return attr;
    }

    const drawn_work &w_;
    bool open_;
};

// A work with its primitive and the numbers of its inputs.
class drawn_execution {
public:
    explicit drawn_execution(const drawn_work &w)
        : sizes_(described_work(w, false).pd()), pd_(described_work(w, w.open).pd()), e_(pd_, sizes_) {
        e_.tensors().erase(JITNORM_ARG_SCRATCHPAD);
        fill_tensors(e_);
        for (const auto &[arg, tensor] : e_.tensors()) before_[arg] = tensor.bytes;
        const auto *scratchpad = jitnorm_primitive_desc_query_md(pd_, jitnorm_query_scratchpad_md, 0);
        if (ndims_of(scratchpad) == 0) return;
        scratchpad_ = guarded_buffer(jitnorm_memory_desc_get_size(scratchpad), guard_side::after);
        scratchpad_memory_ = make_memory(scratchpad, scratchpad_.data());
    }

    const char *implementation() const { return implementation_of(pd_); }

    // Executes on the stream and returns all tensors, inputs included, as they are then.
    std::map<int, bytes> run_on(jitnorm_stream_t stream) {
        for (auto &[arg, tensor] : e_.tensors()) std::ranges::copy(before_.at(arg), tensor.bytes.begin());
        std::vector<jitnorm_exec_arg_t> list = e_.args();
        if (!scratchpad_memory_.is_empty()) list.push_back({JITNORM_ARG_SCRATCHPAD, scratchpad_memory_});
        if (jitnorm_primitive_execute(e_.primitive(), stream, int(list.size()), list.data()) != jitnorm_success)
            throw std::runtime_error(jitnorm_get_last_error());
        must(scratchpad_.slack_untouched() ? 0 : 1, "nothing is written in front of the scratchpad");
        std::map<int, bytes> all;
        for (const auto &[arg, tensor] : e_.tensors()) all[arg] = tensor.bytes;
        return all;
    }

private:
    owned_pd sizes_, pd_;
    execution e_;
    std::map<int, bytes> before_; // the tensors before an execution
    guarded_buffer scratchpad_;
    owned_memory scratchpad_memory_;
};

// The outputs of a single thread.
inline std::map<int, bytes> by_one_thread(drawn_execution &e) { return e.run_on(make_stream({nullptr, nullptr, 1})); }

// Whether the log of the creation says that several threads take groups.
inline bool plans_to_share_groups(const drawn_work &w) {
    owned_pd pd;
    return log_of(2, [&] { pd = described_work(w, w.open).pd(); }).find(",groups:") != std::string::npos;
}

} // namespace jitnorm::tests
