// SPDX-License-Identifier: Apache-2.0
// Gradients of scale and shift from ranges of rows: whatever the problem and wherever rows are cut, merging and running
// sums give the bits of backward on all rows, which fuzz_primitive judges by the formulas. The same of forward on
// ranges of columns, and of statistics without dst.
#include "hostile_sizes.hpp"
#include "judge.hpp"
#include "run_one.hpp"
#include "streams.hpp"
#include "tensor_regions.hpp"

namespace jitnorm::fuzz {

namespace {

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};

struct partial_choice {
    int64_t rows = 0, columns = 0, stride = 0;
    jitnorm_data_type_t type = jitnorm_f32, affine_type = jitnorm_f32;
    float epsilon = 1e-5F;
    unsigned flags = 0;
    std::vector<int64_t> ranges; // numbers of rows, or of columns

    bool wants_scale() const { return (flags & jitnorm_use_scale) != 0; }
    bool wants_shift() const { return (flags & jitnorm_use_shift) != 0; }
};

layout row_major(jitnorm_data_type_t type, const sizes &dims, const sizes &strides) {
    return {type, dims, dims, strides, {}, 0};
}

void require_success(jitnorm_status_t status, const char *promise) {
    require(status == jitnorm_success, promise, jitnorm_get_last_error());
}

// The descriptor that `create` makes of the arguments behind the engine.
template <typename Create, typename... Arguments>
tests::owned_pd described(Create &&create, const Arguments &...arguments) {
    tests::owned_pd pd;
    require_success(create(&pd, tests::cpu(), arguments...), "a part of a problem can be described");
    return pd;
}

// Executes with what the primitive has of these arguments, on one thread or three in turn.
void execute(const_jitnorm_primitive_desc_t pd, const std::vector<std::pair<int, void *>> &arguments, bool &in_parts) {
    const tests::owned_primitive primitive = tests::make_primitive(pd);
    std::vector<tests::owned_memory> memories;
    std::vector<jitnorm_exec_arg_t> list;
    for (const auto &[arg, data] : arguments) {
        const auto *md = jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg);
        if (tests::ndims_of(md) == 0) continue;
        memories.push_back(tests::make_memory(md, data));
        list.push_back({arg, memories.back().get()});
    }
    require_success(jitnorm_primitive_execute(primitive.get(), stream(in_parts), int(list.size()), list.data()),
                    "a primitive can be executed");
    in_parts = !in_parts;
}

// Memory for the sums that the primitive writes for the argument.
class sums_of_part {
public:
    sums_of_part(const_jitnorm_primitive_desc_t pd, int arg)
        : memory_(jitnorm_memory_desc_get_size(jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg)),
                  tests::guard_side::after) {}

    void *data() const { return memory_.data(); }
    std::vector<double> values() const {
        require(memory_.slack_untouched(), "nothing is written around the sums");
        const auto *const first = memory_.as<double>();
        return {first, first + memory_.bytes() / sizeof(double)};
    }

private:
    tests::guarded_buffer memory_;
};

std::vector<const double *> pointers_to(const std::vector<std::vector<double>> &sums) {
    std::vector<const double *> pointers;
    for (const auto &each : sums) pointers.push_back(each.data());
    return pointers;
}

void require_same(const char *what, const numbers &a, const numbers &b) {
    for (size_t i = 0; i < a.size(); ++i)
        require(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]), "parts give the bits of the whole", what);
}

// A tensor of a problem that is executed as a whole and in parts.
struct split_tensor {
    int arg;
    layout where;
    int64_t step;    // elements from one row, or column, to the next; 0: each part has all of it
    bool is_written; // by the whole, and by the parts to memory of their own
};

class split_problem {
public:
    split_problem(byte_stream &choices, std::vector<split_tensor> tensors)
        : tensors_(std::move(tensors)), in_parts_(choices.coin()) {
        for (const bool of_parts : {false, true})
            for (const split_tensor &t : tensors_) {
                const int64_t end = t.where.elements() == 0 ? 0 : t.where.offset_of(t.where.elements() - 1) + 1;
                const bool exists = !of_parts || t.is_written;
                regions_.add(exists ? size_t(end) * jitnorm_data_type_size(t.where.type) : 0, t.where.type,
                             !t.is_written, t.is_written);
                if (t.arg == JITNORM_ARG_VARIANCE && !t.is_written) regions_.make_positive(number(t.arg, false));
                const bool may_be_in_place = of_parts && t.arg == JITNORM_ARG_DIFF_SRC;
                if (may_be_in_place && choices.one_in(4))
                    regions_.share(number(JITNORM_ARG_DIFF_DST, false), number(t.arg, true), 0, true);
            }
        regions_.allocate(choices);
    }

    unsigned char *data(int arg, bool of_parts) const { return regions_.data(number(arg, of_parts)); }

    // Executes on the tensors from row or column `first` on. `others`: what has the place of some of them.
    void run(const tests::owned_pd &pd, bool is_part = false, int64_t first = 0,
             std::vector<std::pair<int, void *>> others = {}) {
        const size_t count = others.size();
        for (const split_tensor &t : tensors_) {
            const auto is_other = [&](const auto &other) { return other.first == t.arg; };
            if (std::none_of(others.begin(), others.begin() + ptrdiff_t(count), is_other))
                others.emplace_back(t.arg, data(t.arg, is_part) + first * t.step * size_of(t));
        }
        execute(pd.get(), others, in_parts_);
    }

    void require_same(const char *what, std::initializer_list<int> args) const {
        for (const int arg : args) {
            const layout &where = tensors_[position(arg)].where;
            fuzz::require_same(what, read(where, data(arg, false)), read(where, data(arg, true)));
        }
    }

private:
    static int64_t size_of(const split_tensor &t) { return int64_t(jitnorm_data_type_size(t.where.type)); }
    size_t position(int arg) const {
        const auto is_it = [&](const split_tensor &t) { return t.arg == arg; };
        return size_t(std::find_if(tensors_.begin(), tensors_.end(), is_it) - tensors_.begin());
    }
    size_t number(int arg, bool of_parts) const {
        const size_t at = position(arg);
        return of_parts && tensors_[at].is_written ? tensors_.size() + at : at;
    }

    std::vector<split_tensor> tensors_;
    tensor_regions regions_; // a tensor for each, then those of the parts
    bool in_parts_;
};

// Calls body(number, first, length) for each range.
template <typename Body>
void for_each_range(const partial_choice &what, Body &&body) {
    int64_t first = 0;
    for (size_t i = 0; i < what.ranges.size(); first += what.ranges[i++]) body(i, first, what.ranges[i]);
}

// ---- rows

partial_choice choose_rows(byte_stream &choices) {
    constexpr unsigned FLAGS[] = {jitnorm_use_global_stats, jitnorm_rms_norm};
    constexpr int64_t ROWS[] = {1, 3, 4, 31, 64, 65, 300, 513, 1100};
    partial_choice what;
    what.rows = choices.coin() ? choices.pick(ROWS) : int64_t(choices.below(150));
    what.columns = 1 + int64_t(choices.below(size_t(MOST_ELEMENTS / (what.rows + 1)))) % 600;
    what.stride = what.columns + (choices.one_in(3) ? int64_t(choices.below(9)) : 0);
    what.type = choices.pick(TYPES);
    what.affine_type = choices.pick(TYPES);
    if (what.type != jitnorm_f64 && what.affine_type == jitnorm_f64) what.affine_type = jitnorm_f32;
    if (choices.coin()) what.epsilon = 0.5F;
    what.flags = choices.one_in(4) ? unsigned(jitnorm_use_shift) : unsigned(jitnorm_use_scale);
    if (choices.coin()) what.flags |= jitnorm_use_scale | jitnorm_use_shift;
    for (const unsigned flag : FLAGS)
        if (choices.one_in(4)) what.flags |= flag;
    int64_t block = 0, left = what.rows;
    require(jitnorm_layer_normalization_row_block(&block, what.rows, what.columns) == jitnorm_success,
            "a row block has a length");
    while (left > 0) {
        const int64_t blocks = int64_t(choices.below(4));
        what.ranges.push_back(choices.one_in(8) ? left : std::min(left, blocks * block));
        if (what.ranges.size() > 40) what.ranges.back() = left;
        left -= what.ranges.back();
    }
    return what;
}

// Merged, and added up one after the other.
void merge_gradients(const partial_choice &what, const std::vector<std::vector<double>> &sums, const split_problem &all,
                     int arg) {
    void *const merged = all.data(arg, true);
    require_success(jitnorm_layer_normalization_merge_gradients(merged, what.affine_type, what.rows, what.columns,
                                                                int(sums.size()), what.ranges.data(),
                                                                pointers_to(sums).data()),
                    "sums can be merged");
    all.require_same("merged", {arg});
    std::vector<double> running(size_t(2 * what.columns));
    for_each_range(what, [&](size_t i, int64_t first, int64_t rows) {
        require_success(jitnorm_layer_normalization_add_partial_gradients(running.data(), what.rows, what.columns,
                                                                          first, rows, sums[i].data()),
                        "sums can be added up");
    });
    running.resize(size_t(what.columns));
    // Doubles become narrower types through f32.
    const jitnorm_data_type_t first_to = what.affine_type == jitnorm_f64 ? jitnorm_f64 : jitnorm_f32;
    require_same("running", read(row_major(what.affine_type, {what.columns}, {1}), merged),
                 rounded(rounded(running, first_to), what.affine_type));
}

void compare_rows(byte_stream &choices) {
    const partial_choice what = choose_rows(choices);
    const layout data = row_major(what.type, {what.rows, what.columns}, {what.stride, 1}),
                 statistics = row_major(jitnorm_f32, {what.rows}, {1}),
                 gradient = row_major(what.affine_type, {what.columns}, {1});
    split_problem all(choices, {{JITNORM_ARG_SRC, data, what.stride, false},
                                {JITNORM_ARG_DIFF_DST, data, what.stride, false},
                                {JITNORM_ARG_MEAN, statistics, 1, false},
                                {JITNORM_ARG_VARIANCE, statistics, 1, false},
                                {JITNORM_ARG_SCALE, row_major(jitnorm_f32, {what.columns}, {1}), 0, false},
                                {JITNORM_ARG_DIFF_SRC, data, what.stride, true},
                                {JITNORM_ARG_DIFF_SCALE, gradient, 0, true},
                                {JITNORM_ARG_DIFF_SHIFT, gradient, 0, true}});
    const auto data_md = [&](int64_t rows) {
        return tests::make_md({rows, what.columns}, what.type, {what.stride, 1});
    };
    const tests::owned_md whole = data_md(what.rows);
    all.run(described(jitnorm_layer_normalization_backward_primitive_desc_create_v2, jitnorm_backward, whole.get(),
                      whole.get(), whole.get(), nullptr, what.affine_type, jitnorm_f32, what.epsilon, what.flags,
                      nullptr, nullptr));
    std::vector<std::vector<double>> scales, shifts;
    for_each_range(what, [&](size_t, int64_t first, int64_t rows) {
        const tests::owned_md part = data_md(rows);
        const tests::owned_pd pd =
            described(jitnorm_layer_normalization_partial_backward_primitive_desc_create, part.get(), part.get(),
                      part.get(), nullptr, jitnorm_f32, what.epsilon, what.flags, first, what.rows, nullptr);
        const int sums_arg = what.wants_scale() ? JITNORM_ARG_DIFF_SCALE : JITNORM_ARG_DIFF_SHIFT;
        const sums_of_part scale(pd.get(), sums_arg), shift(pd.get(), sums_arg);
        all.run(pd, true, first, {{JITNORM_ARG_DIFF_SCALE, scale.data()}, {JITNORM_ARG_DIFF_SHIFT, shift.data()}});
        scales.push_back(scale.values());
        shifts.push_back(shift.values());
    });
    all.require_same("diff_src", {JITNORM_ARG_DIFF_SRC});
    if (what.wants_scale()) merge_gradients(what, scales, all, JITNORM_ARG_DIFF_SCALE);
    if (what.wants_shift()) merge_gradients(what, shifts, all, JITNORM_ARG_DIFF_SHIFT);
    count("compared partial gradients");
}

// ---- columns

partial_choice choose_columns(byte_stream &choices) {
    constexpr unsigned FLAGS[] = {jitnorm_use_scale, jitnorm_use_shift, jitnorm_rms_norm, jitnorm_inverse_deviation};
    constexpr int64_t CHUNK = 4096, ROWS[] = {1, 2, 5, 33};
    partial_choice what;
    what.rows = choices.pick(ROWS);
    what.columns = int64_t(choices.below(4)) * CHUNK + 1 + int64_t(choices.below(CHUNK));
    what.stride = what.columns + (choices.one_in(3) ? int64_t(choices.below(9)) : 0);
    what.type = choices.pick(TYPES);
    for (const unsigned flag : FLAGS)
        if (choices.coin()) what.flags |= flag;
    for (int64_t left = what.columns; left > 0; left -= what.ranges.back()) {
        const int64_t columns = std::min(left, int64_t(choices.below(3)) * CHUNK);
        what.ranges.push_back(what.ranges.size() < 8 ? columns : left);
    }
    return what;
}

void compare_columns(byte_stream &choices) {
    const partial_choice what = choose_columns(choices);
    const layout data = row_major(what.type, {what.rows, what.columns}, {what.stride, 1}),
                 statistics = row_major(jitnorm_f32, {what.rows}, {1}),
                 vector = row_major(jitnorm_f32, {what.columns}, {1});
    split_problem all(choices, {{JITNORM_ARG_SRC, data, 1, false},
                                {JITNORM_ARG_SCALE, vector, 1, false},
                                {JITNORM_ARG_SHIFT, vector, 1, false},
                                {JITNORM_ARG_DST, data, 1, true},
                                {JITNORM_ARG_MEAN, statistics, 0, true},
                                {JITNORM_ARG_VARIANCE, statistics, 0, true}});
    const auto data_md = [&](int64_t columns) {
        return tests::make_md({what.rows, columns}, what.type, {what.stride, 1});
    };
    const auto forward = [&](const tests::owned_md &dst, unsigned flags) {
        return described(jitnorm_layer_normalization_forward_primitive_desc_create_v2, jitnorm_forward_training,
                         data_md(what.columns).get(), dst.get(), nullptr, jitnorm_f32, 1e-5F, flags, nullptr);
    };
    all.run(forward(data_md(what.columns), what.flags));
    std::vector<std::vector<double>> sums(what.ranges.size()); // none of no columns
    for_each_range(what, [&](size_t i, int64_t first, int64_t columns) {
        if (columns == 0) return;
        const tests::owned_pd pd =
            described(jitnorm_layer_normalization_partial_statistics_primitive_desc_create, data_md(columns).get(),
                      what.flags & unsigned(jitnorm_rms_norm), first, what.columns, nullptr);
        const sums_of_part found(pd.get(), JITNORM_ARG_ROW_SUMS);
        all.run(pd, true, first, {{JITNORM_ARG_ROW_SUMS, found.data()}});
        sums[i] = found.values();
    });
    std::vector<double> merged(size_t(4 * what.rows));
    require_success(jitnorm_layer_normalization_merge_row_sums(merged.data(), what.type, what.rows, what.columns,
                                                               int(what.ranges.size()), what.ranges.data(),
                                                               pointers_to(sums).data()),
                    "moments can be merged");
    for_each_range(what, [&](size_t, int64_t first, int64_t columns) {
        if (columns == 0) return;
        const tests::owned_md part = data_md(columns);
        all.run(described(jitnorm_layer_normalization_partial_forward_primitive_desc_create, jitnorm_forward_training,
                          part.get(), part.get(), nullptr, jitnorm_f32, 1e-5F, what.flags, first, what.columns,
                          nullptr),
                true, first, {{JITNORM_ARG_ROW_SUMS, merged.data()}});
    });
    all.require_same("columns", {JITNORM_ARG_DST, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE});
    all.run(forward(tests::make_md({}, jitnorm_f32, {}), what.flags & ~unsigned(jitnorm_use_scale | jitnorm_use_shift)),
            true);
    all.require_same("statistics without dst", {JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE});
    count("compared columns");
}

} // namespace

int run_one(const uint8_t *data, size_t size) {
    byte_stream choices(data, size);
    choices.coin() ? compare_columns(choices) : compare_rows(choices);
    return 0;
}

} // namespace jitnorm::fuzz
