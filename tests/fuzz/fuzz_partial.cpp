// SPDX-License-Identifier: Apache-2.0
// Gradients of scale and shift from ranges of rows: whatever the problem and wherever rows are cut, merging and running
// sums give the bits of backward on all rows, which fuzz_primitive checks by the formulas. The same of forward on
// ranges of columns, and of statistics without dst.
#include "circumstances.hpp"
#include "hostile_sizes.hpp"
#include "run_one.hpp"
#include "support/split_problem.hpp"
#include "tensor_regions.hpp"

namespace jitnorm::fuzz {

namespace {

using tests::split_shape, tests::split_tensor;

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};

struct partial_choice {
    split_shape size;
    tests::dims parts = {};
};

// On one thread, on three, and on many in turn; diff_src of the parts now and then in place of diff_dst.
class chosen_memory : public tests::split_memory {
public:
    chosen_memory(byte_stream &choices, const std::vector<split_tensor> &tensors) : turn_(choices.coin()) {
        for (const bool of_parts : {false, true})
            for (const split_tensor &t : tensors)
                if (!of_parts || t.is_written) add(choices, t, of_parts);
        regions_.allocate(choices);
    }

    void *data(int arg, bool of_parts) const override { return regions_.data(numbers_.at({arg, of_parts})); }
    jitnorm_stream_t stream() override {
        static const tests::owned_stream many = tests::make_stream({last_part_first, nullptr, 70});
        return ++turn_ % 3 == 0 ? many.get() : fuzz::stream(turn_ % 3 == 1);
    }

private:
    void add(byte_stream &choices, const split_tensor &t, bool of_parts) {
        const int64_t end = t.where.elements() == 0 ? 0 : t.where.offset_of(t.where.elements() - 1) + 1;
        const size_t number =
            regions_.add(size_t(end) * jitnorm_data_type_size(t.where.type), t.where.type, !t.is_written, t.is_written);
        numbers_[{t.arg, of_parts}] = number;
        if (t.arg == JITNORM_ARG_VARIANCE && !t.is_written) regions_.make_positive(number);
        if (of_parts && t.arg == JITNORM_ARG_DIFF_SRC && choices.one_in(4))
            regions_.share(numbers_.at({JITNORM_ARG_DIFF_DST, false}), number, 0, true);
    }

    std::map<std::pair<int, bool>, size_t> numbers_;
    tensor_regions regions_;
    int turn_;
};

int64_t choose_stride(byte_stream &choices, int64_t columns) {
    return columns + (choices.one_in(3) ? int64_t(choices.below(9)) : 0);
}

partial_choice choose_rows(byte_stream &choices) {
    constexpr unsigned FLAGS[] = {jitnorm_use_global_stats, jitnorm_rms_norm};
    constexpr int64_t ROWS[] = {1, 3, 4, 31, 64, 65, 300, 513, 1100};
    split_shape size;
    size.rows = choices.coin() ? choices.pick(ROWS) : int64_t(choices.below(150));
    size.columns = 1 + int64_t(choices.below(size_t(MOST_ELEMENTS / (size.rows + 1)))) % 600;
    size.stride = choose_stride(choices, size.columns);
    size.type = choices.pick(TYPES);
    size.affine = choices.pick(TYPES);
    if (size.type != jitnorm_f64 && size.affine == jitnorm_f64) size.affine = jitnorm_f32;
    if (choices.coin()) size.epsilon = 0.5F;
    size.flags = choices.one_in(4) ? unsigned(jitnorm_use_shift) : unsigned(jitnorm_use_scale);
    if (choices.coin()) size.flags |= jitnorm_use_scale | jitnorm_use_shift;
    for (const unsigned flag : FLAGS)
        if (choices.one_in(4)) size.flags |= flag;
    partial_choice what = {size};
    int64_t block = 0, left = size.rows;
    require(jitnorm_layer_normalization_row_block(&block, size.rows, size.columns) == jitnorm_success,
            "a row block has a length");
    while (left > 0) {
        const int64_t blocks = int64_t(choices.below(4));
        what.parts.push_back(choices.one_in(8) ? left : std::min(left, blocks * block));
        if (what.parts.size() > 40) what.parts.back() = left;
        left -= what.parts.back();
    }
    return what;
}

partial_choice choose_columns(byte_stream &choices) {
    constexpr unsigned FLAGS[] = {jitnorm_use_scale, jitnorm_use_shift, jitnorm_rms_norm, jitnorm_inverse_deviation};
    constexpr int64_t CHUNK = 4096, ROWS[] = {1, 2, 5, 33};
    split_shape size;
    size.rows = choices.pick(ROWS);
    size.columns = int64_t(choices.below(4)) * CHUNK + 1 + int64_t(choices.below(CHUNK));
    size.stride = choose_stride(choices, size.columns);
    size.type = choices.pick(TYPES);
    size.flags = 0;
    for (const unsigned flag : FLAGS)
        if (choices.coin()) size.flags |= flag;
    partial_choice what = {size};
    for (int64_t left = size.columns; left > 0; left -= what.parts.back()) {
        const int64_t columns = std::min(left, int64_t(choices.below(3)) * CHUNK);
        what.parts.push_back(what.parts.size() < 8 ? columns : left);
    }
    return what;
}

void compare_rows(byte_stream &choices) {
    const partial_choice what = choose_rows(choices);
    chosen_memory memory(choices, tests::tensors_by_rows(what.size));
    tests::rows_must_match(what.size, what.parts, memory);
    count("compared partial gradients");
}

void compare_columns(byte_stream &choices) {
    const partial_choice what = choose_columns(choices);
    chosen_memory memory(choices, tests::tensors_by_columns(what.size));
    tests::columns_must_match(what.size, what.parts, memory);
    tests::only_statistics_must_match(what.size, memory);
    count("compared columns");
}

} // namespace

int run_one(const uint8_t *data, size_t size) {
    byte_stream choices(data, size);
    choices.coin() ? compare_columns(choices) : compare_rows(choices);
    return 0;
}

} // namespace jitnorm::fuzz
