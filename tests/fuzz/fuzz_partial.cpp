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

// The descriptor that `create` makes of the arguments behind the engine.
template <typename Create, typename... Arguments>
tests::owned_pd described(Create &&create, const Arguments &...arguments) {
    tests::owned_pd pd;
    require(create(&pd, tests::cpu(), arguments...) == jitnorm_success, "a part of a problem can be described",
            jitnorm_get_last_error());
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
    require(jitnorm_primitive_execute(primitive.get(), stream(in_parts), int(list.size()), list.data()) ==
                jitnorm_success,
            "a primitive can be executed", jitnorm_get_last_error());
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

enum slot : size_t { SRC, DIFF_DST, MEAN, VARIANCE, SCALE, DIFF_SRC, PART_DIFF_SRC, DIFF_SCALE, DIFF_SHIFT, SLOTS };
constexpr int ARGUMENTS[] = {JITNORM_ARG_SRC,      JITNORM_ARG_DIFF_DST,   JITNORM_ARG_MEAN,
                             JITNORM_ARG_VARIANCE, JITNORM_ARG_SCALE,      JITNORM_ARG_DIFF_SRC,
                             JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT};

class partial_problem {
public:
    partial_problem(byte_stream &choices, const partial_choice &what) : what_(what) {
        const bool in_place = choices.one_in(4);
        for (size_t s = 0; s < SLOTS; ++s) {
            const layout where = where_is(slot(s), what.rows);
            const int64_t end = where.elements() == 0 ? 0 : where.offset_of(where.elements() - 1) + 1;
            regions_.add(size_t(end) * jitnorm_data_type_size(where.type), where.type, s <= SCALE, s > SCALE);
        }
        regions_.make_positive(VARIANCE);
        if (in_place) regions_.share(DIFF_DST, PART_DIFF_SRC, 0, true);
        regions_.allocate(choices);
        in_parts_ = choices.coin();
    }

    void compare() {
        run_whole();
        const std::vector<numbers> whole = {values(DIFF_SRC), values(DIFF_SCALE), values(DIFF_SHIFT)};
        std::vector<std::vector<double>> sums[2];
        run_ranges(sums);
        require_same("diff_src", whole[0], values(PART_DIFF_SRC));
        if (what_.wants_scale()) require_merged(DIFF_SCALE, whole[1], sums[0]);
        if (what_.wants_shift()) require_merged(DIFF_SHIFT, whole[2], sums[1]);
        count("compared partial gradients");
    }

private:
    // Of the tensor, or of the part of it that belongs to some rows.
    layout where_is(slot s, int64_t rows) const {
        switch (s) {
        case MEAN:
        case VARIANCE:
            return row_major(jitnorm_f32, {rows}, {1});
        case SCALE:
            return row_major(jitnorm_f32, {what_.columns}, {1});
        case DIFF_SCALE:
        case DIFF_SHIFT:
            return row_major(what_.affine_type, {what_.columns}, {1});
        default:
            return row_major(what_.type, {rows, what_.columns}, {what_.stride, 1});
        }
    }
    numbers values(slot s) const { return read(where_is(s, what_.rows), regions_.data(s)); }

    tests::owned_md data_md(int64_t rows) const {
        const layout where = where_is(SRC, rows);
        return tests::make_md(where.dims, where.type, where.strides);
    }

    // Executes, with the tensors' parts from row `first`. `gradients`: where the gradients go, in place of tensors.
    void execute(const_jitnorm_primitive_desc_t pd, int64_t first, int64_t rows, slot diff_src,
                 const std::vector<void *> &gradients) {
        std::vector<std::pair<int, void *>> arguments;
        for (const slot s : {SRC, DIFF_DST, MEAN, VARIANCE, SCALE, diff_src, DIFF_SCALE, DIFF_SHIFT}) {
            const layout where = where_is(s, rows);
            const bool is_gradient = s >= DIFF_SCALE, is_of_rows = !is_gradient && s != SCALE;
            const size_t skipped =
                is_of_rows ? size_t(first * where.strides[0]) * jitnorm_data_type_size(where.type) : 0;
            arguments.emplace_back(ARGUMENTS[s], is_gradient ? gradients[s - DIFF_SCALE] : regions_.data(s) + skipped);
        }
        fuzz::execute(pd, arguments, in_parts_);
    }

    void run_whole() {
        const tests::owned_md data = data_md(what_.rows);
        const tests::owned_pd pd = described(
            jitnorm_layer_normalization_backward_primitive_desc_create_v2, jitnorm_backward, data.get(), data.get(),
            data.get(), nullptr, what_.affine_type, jitnorm_f32, what_.epsilon, what_.flags, nullptr, nullptr);
        execute(pd.get(), 0, what_.rows, DIFF_SRC, {regions_.data(DIFF_SCALE), regions_.data(DIFF_SHIFT)});
    }

    void run_ranges(std::vector<std::vector<double>> (&sums)[2]) {
        int64_t first = 0;
        for (const int64_t rows : what_.ranges) {
            const tests::owned_md data = data_md(rows);
            const tests::owned_pd pd =
                described(jitnorm_layer_normalization_partial_backward_primitive_desc_create, data.get(), data.get(),
                          data.get(), nullptr, jitnorm_f32, what_.epsilon, what_.flags, first, what_.rows, nullptr);
            const int sums_arg = what_.wants_scale() ? JITNORM_ARG_DIFF_SCALE : JITNORM_ARG_DIFF_SHIFT;
            const sums_of_part scale(pd.get(), sums_arg), shift(pd.get(), sums_arg);
            execute(pd.get(), first, rows, PART_DIFF_SRC, {scale.data(), shift.data()});
            sums[0].push_back(scale.values());
            sums[1].push_back(shift.values());
            first += rows;
        }
    }

    void require_merged(slot s, const numbers &whole, const std::vector<std::vector<double>> &sums) const {
        std::vector<double> merged(size_t(what_.columns)), running(size_t(2 * what_.columns));
        require(jitnorm_layer_normalization_merge_gradients(merged.data(), what_.affine_type, what_.rows, what_.columns,
                                                            int(sums.size()), what_.ranges.data(),
                                                            pointers_to(sums).data()) == jitnorm_success,
                "sums can be merged", jitnorm_get_last_error());
        require_same("merged", whole, read(where_is(s, what_.rows), merged.data()));
        int64_t first = 0;
        for (size_t i = 0; i < sums.size(); first += what_.ranges[i++])
            require(jitnorm_layer_normalization_add_partial_gradients(running.data(), what_.rows, what_.columns, first,
                                                                      what_.ranges[i],
                                                                      sums[i].data()) == jitnorm_success,
                    "sums can be added up", jitnorm_get_last_error());
        running.resize(size_t(what_.columns));
        // Doubles become narrower types through f32.
        const jitnorm_data_type_t first_to = what_.affine_type == jitnorm_f64 ? jitnorm_f64 : jitnorm_f32;
        require_same("running", whole, rounded(rounded(running, first_to), what_.affine_type));
    }

    const partial_choice &what_;
    tensor_regions regions_; // a tensor for each slot
    bool in_parts_ = false;
};

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

enum columns_slot : size_t {
    X,
    GAMMA,
    BETA,
    WHOLE_DST,
    WHOLE_MEAN,
    WHOLE_VARIANCE,
    PART_DST,
    PART_MEAN,
    PART_VARIANCE
};

class columns_problem {
public:
    columns_problem(byte_stream &choices, const partial_choice &what) : what_(what) {
        const size_t element = jitnorm_data_type_size(what.type);
        const size_t data = size_t((what.rows - 1) * what.stride + what.columns) * element;
        regions_.add(data, what.type, true, false);
        for (int i = 0; i < 2; ++i) regions_.add(size_t(what.columns) * sizeof(float), jitnorm_f32, true, false);
        for (int both = 0; both < 2; ++both) {
            regions_.add(data, what.type, false, true);
            for (int i = 0; i < 2; ++i) regions_.add(size_t(what.rows) * sizeof(float), jitnorm_f32, false, true);
        }
        regions_.allocate(choices);
        in_parts_ = choices.coin();
    }

    void compare() {
        const tests::owned_md all = data_md(what_.columns), none = tests::make_md({}, jitnorm_f32, {});
        run(describe_forward(all, all, what_.flags).get(), 0, WHOLE_DST);
        run_ranges();
        require_same_columns({PART_DST, PART_MEAN, PART_VARIANCE}, "columns");
        const unsigned rest = what_.flags & ~unsigned(jitnorm_use_scale | jitnorm_use_shift);
        run(describe_forward(all, none, rest).get(), 0, PART_DST);
        require_same_columns({PART_MEAN, PART_VARIANCE}, "statistics without dst");
        count("compared columns");
    }

private:
    tests::owned_md data_md(int64_t columns) const {
        return tests::make_md({what_.rows, columns}, what_.type, {what_.stride, 1});
    }

    static tests::owned_pd describe_forward(const tests::owned_md &src, const tests::owned_md &dst, unsigned flags) {
        return described(jitnorm_layer_normalization_forward_primitive_desc_create_v2, jitnorm_forward_training,
                         src.get(), dst.get(), nullptr, jitnorm_f32, 1e-5F, flags, nullptr);
    }

    // Executes on the columns from `first` on; results go to the three slots from `dst` on.
    void run(const_jitnorm_primitive_desc_t pd, int64_t first, columns_slot dst, void *sums = nullptr) {
        const int64_t element = int64_t(jitnorm_data_type_size(what_.type)), number = sizeof(float);
        execute(pd,
                {{JITNORM_ARG_SRC, regions_.data(X) + first * element},
                 {JITNORM_ARG_SCALE, regions_.data(GAMMA) + first * number},
                 {JITNORM_ARG_SHIFT, regions_.data(BETA) + first * number},
                 {JITNORM_ARG_DST, regions_.data(dst) + first * element},
                 {JITNORM_ARG_MEAN, regions_.data(dst + 1)},
                 {JITNORM_ARG_VARIANCE, regions_.data(dst + 2)},
                 {JITNORM_ARG_ROW_SUMS, sums}},
                in_parts_);
    }

    void run_ranges() {
        std::vector<std::vector<double>> sums(what_.ranges.size()); // none of no columns
        for_each_range([&](size_t i, int64_t first, int64_t columns) {
            const tests::owned_pd pd =
                described(jitnorm_layer_normalization_partial_statistics_primitive_desc_create, data_md(columns).get(),
                          what_.flags & unsigned(jitnorm_rms_norm), first, what_.columns, nullptr);
            const sums_of_part found(pd.get(), JITNORM_ARG_ROW_SUMS);
            run(pd.get(), first, PART_DST, found.data());
            sums[i] = found.values();
        });
        std::vector<double> merged(size_t(4 * what_.rows));
        require(jitnorm_layer_normalization_merge_row_sums(merged.data(), what_.type, what_.rows, what_.columns,
                                                           int(what_.ranges.size()), what_.ranges.data(),
                                                           pointers_to(sums).data()) == jitnorm_success,
                "moments can be merged", jitnorm_get_last_error());
        for_each_range([&](size_t, int64_t first, int64_t columns) {
            const tests::owned_md data = data_md(columns);
            const tests::owned_pd pd = described(jitnorm_layer_normalization_partial_forward_primitive_desc_create,
                                                 jitnorm_forward_training, data.get(), data.get(), nullptr, jitnorm_f32,
                                                 1e-5F, what_.flags, first, what_.columns, nullptr);
            run(pd.get(), first, PART_DST, merged.data());
        });
    }

    // Calls body(number, first column, columns) for each range that has columns.
    template <typename Body>
    void for_each_range(Body &&body) const {
        int64_t first = 0;
        for (size_t i = 0; i < what_.ranges.size(); first += what_.ranges[i++])
            if (what_.ranges[i] > 0) body(i, first, what_.ranges[i]);
    }

    void require_same_columns(std::initializer_list<columns_slot> slots, const char *what) const {
        const layout rows = row_major(jitnorm_f32, {what_.rows}, {1}),
                     data = row_major(what_.type, {what_.rows, what_.columns}, {what_.stride, 1});
        for (const columns_slot s : slots) {
            if (s == PART_MEAN && (what_.flags & jitnorm_rms_norm) != 0) continue;
            const layout &where = s == PART_DST ? data : rows;
            require_same(what, read(where, regions_.data(s - PART_DST + WHOLE_DST)), read(where, regions_.data(s)));
        }
    }

    const partial_choice &what_;
    tensor_regions regions_; // a tensor for each slot
    bool in_parts_ = false;
};

} // namespace

int run_one(const uint8_t *data, size_t size) {
    byte_stream choices(data, size);
    if (choices.coin()) {
        const partial_choice what = choose_columns(choices);
        columns_problem(choices, what).compare();
    } else {
        const partial_choice what = choose_rows(choices);
        partial_problem(choices, what).compare();
    }
    return 0;
}

} // namespace jitnorm::fuzz
