// SPDX-License-Identifier: Apache-2.0
// Checks whether a result has the same bits in other circumstances.
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "../problem/threads.hpp"
#include "../text.hpp"
#include "compare.hpp"

namespace benchdnn_lite {

namespace {

// Lowers the highest instruction set; the destructor restores it.
class lower_isa {
public:
    explicit lower_isa(jitnorm_cpu_isa_t isa) { jitnorm_set_max_cpu_isa(isa); }
    ~lower_isa() { jitnorm_set_max_cpu_isa(before_); }
    lower_isa(const lower_isa &) = delete;
    lower_isa &operator=(const lower_isa &) = delete;

private:
    const jitnorm_cpu_isa_t before_ = jitnorm_get_effective_cpu_isa();
};

bool has_same_bits(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
}

// A problem of rows of another problem, the original, with or without other rows around them. It shows whether a row's
// results depend on the rows around it.
struct placed_row {
    dim_t original, placed; // the row's numbers in the original and in the new problem
};

struct row_placement {
    problem prb;
    std::vector<placed_row> rows;
};

// The data that an argument had in an execution of the original.
struct kept_tensor {
    int id;
    buffer data;
};

// How much larger the first dimension becomes. It is odd, so that rows form other pairs and groups of four.
constexpr dim_t ROWS_BEFORE = 3;

bool is_statistic(int id) { return id == JITNORM_ARG_MEAN || id == JITNORM_ARG_VARIANCE; }

bool has_rows(const problem &p, int id) {
    const std::vector<used_tensor> rows = p.row_tensors();
    return id >= JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE ||
           std::any_of(rows.begin(), rows.end(), [&](const used_tensor &t) { return t.id == id; });
}

// A problem with a single row, number `row` of p.
row_placement one_row(const problem &p, dim_t row) {
    row_placement where{p, {{row, 0}}};
    for (size_t d = 0; d + 1 < p.ndims(); ++d) where.prb.size.dims[d] = 1;
    return where;
}

// A problem with further rows, followed by all rows of p.
row_placement larger_batch(const problem &p) {
    row_placement where{p, {}};
    where.prb.size.dims[0] += ROWS_BEFORE;
    const dim_t shift = where.prb.rows() - p.rows();
    for (dim_t row = 0; row < p.rows(); ++row) where.rows.push_back({row, row + shift});
    return where;
}

// Copies each input to the execution `target` of the problem `where.prb`: rows to the places that `where` gives, and
// tensors that all rows share as a whole.
void place_inputs(const std::vector<kept_tensor> &inputs, const problem &original, const row_placement &where,
                  const execution &target) {
    std::vector<double> values(size_t(original.row_length()));
    for (const kept_tensor &input : inputs) {
        const buffer &to = target.data(input.id);
        if (is_statistic(input.id)) {
            for (const placed_row &r : where.rows) to.set(r.placed, input.data.at(r.original));
        } else if (has_rows(original, input.id)) {
            for (const placed_row &r : where.rows) {
                input.data.get_broadcast_row(r.original, original.size.dims, values);
                to.set_broadcast_row(r.placed, where.prb.size.dims, values);
            }
        } else {
            to.copy_from(input.data);
        }
    }
}

// Runs a problem once, then in other circumstances, and compares the outputs with the first run's.
class bit_checker {
public:
    bit_checker(const execution &first, fill_kind kind, const check_options &options)
        : first_(first), options_(options) {
        fill(first, kind, options.seed);
        for (const argument &a : first.arguments())
            if (a.use == role::input || a.use == role::both) inputs_.push_back({a.id, a.data.clone()});
        execute(first);
        if (options.tamper) options.tamper(first);
        for (const argument &a : first.arguments())
            if (a.use == role::output || a.use == role::both) outputs_.push_back({a.id, a.data.clone()});
    }

    void run_again(const execution &e, const std::string &circumstance) {
        for (const argument &a : e.arguments())
            if (a.use == role::output) a.data.poison();
        for (const kept_tensor &input : inputs_) e.data(input.id).copy_from(input.data);
        execute(e);
        for (const kept_tensor &output : outputs_) compare(output, e.data(output.id), nullptr, circumstance);
    }

    // Gradients of scale and shift are not compared, because they depend on all rows.
    void run_placed(const execution &e, const row_placement &where, const std::string &circumstance) {
        fill(e, fill_kind::random, options_.seed + 1);
        place_inputs(inputs_, first_.prb(), where, e);
        execute(e);
        for (const kept_tensor &output : outputs_)
            if (output.id != JITNORM_ARG_DIFF_SCALE && output.id != JITNORM_ARG_DIFF_SHIFT)
                compare(output, e.data(output.id), &where, circumstance);
    }

    findings take_findings() { return std::move(found_); }

private:
    void execute(const execution &e) {
        const phase executing(options_.times, &phase_times::execute);
        e.run();
        check_guards(e, found_);
    }

    void compare(const kept_tensor &output, const buffer &got, const row_placement *where,
                 const std::string &circumstance) {
        const phase comparing(options_.times, &phase_times::compare);
        const auto test = [](data_type, const expectation &e, double value) {
            return has_same_bits(double(e.value), value);
        };
        const layout &shape = output.data.shape();
        comparison c(first_.name_of(output.id), shape, {test, concat("other bits ", circumstance)});
        const bool statistic = is_statistic(output.id);
        const dim_t columns = shape.dims.back();
        if (!where && shape == got.shape() && std::memcmp(output.data.data(), got.data(), got.size()) == 0) {
            c.add_equal(size_t(shape.elements()));
        } else if (statistic && where) {
            for (const placed_row &r : where->rows)
                c.add(r.original, {output.data.at(r.original), 0}, got.at(r.placed));
        } else {
            std::vector<double> a(static_cast<size_t>(columns)), b(a.size());
            const auto compare_row = [&](dim_t original, dim_t placed) {
                output.data.get_row(original, a);
                got.get_row(placed, b);
                if (std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0) return c.add_equal(a.size());
                for (size_t i = 0; i < a.size(); ++i) c.add(original * columns + dim_t(i), {a[i], 0}, b[i]);
            };
            if (where)
                for (const placed_row &r : where->rows) compare_row(r.original, r.placed);
            else
                for (dim_t row = 0; row < output.data.rows(); ++row) compare_row(row, row);
        }
        found_.add(c);
        found_.notes.push_back(concat("[BITWISE] ", c.tensor(), ": ", std::to_string(c.total()), " elements, ",
                                      std::to_string(c.errors()), " with other bits ", circumstance));
    }

    const execution &first_;
    const check_options &options_;
    std::vector<kept_tensor> inputs_, outputs_;
    findings found_;
};

// Runs the problem in row-major layouts if it has others, and not in place if it is in place.
void run_in_other_memory(bit_checker &checker, const session &s, const problem &p) {
    problem plain = p;
    plain.tags = {"abx", "abx", ""};
    plain.stat_tag = "abx";
    for_each_row_tensor(plain.attr, [](residual_tensor &t, std::string_view) { t.tag = "abx"; });
    if (plain.tags != p.tags || plain.stat_tag != p.stat_tag)
        checker.run_again(execution(s, plain), "in row-major layouts");
    if (!p.in_place) return;
    problem apart = p;
    apart.in_place = false;
    checker.run_again(execution(s, apart), "not in place");
}

void run_by_others(bit_checker &checker, const session &s, const problem &p, const std::string &first) {
    for (const jitnorm_cpu_isa_t isa : {jitnorm_cpu_isa_avx2, jitnorm_cpu_isa_sse41}) {
        if (isa >= jitnorm_get_effective_cpu_isa()) continue;
        const lower_isa cap(isa);
        try {
            const execution e(s, p);
            if (e.implementation() != first) checker.run_again(e, concat("by ", e.implementation()));
        } catch (const api_error &error) {
            if (error.status != jitnorm_unimplemented) throw;
        }
    }
}

void run_in_other_batches(bit_checker &checker, const session &s, const problem &p) {
    if (p.elements() == 0 || p.attr.modulation != modulation{}) return; // rows belong to their groups
    std::vector<dim_t> rows{0, p.rows() / 2, p.rows() - 1};
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const dim_t row : rows) {
        const row_placement where = one_row(p, row);
        checker.run_placed(execution(s, where.prb), where, "as the only row");
    }
    const row_placement where = larger_batch(p);
    checker.run_placed(execution(s, where.prb), where, "in a larger batch");
}

} // namespace

findings check_bits(const execution &e, fill_kind kind, const check_options &options) {
    bit_checker checker(e, kind, options);
    checker.run_again(e, "once more");
    for (const int count : std::set{1, 2, 3, thread_count()}) {
        const other_thread_count threads(count);
        if (thread_count() != count) continue; // built without OpenMP
        checker.run_again(e, concat("with ", std::to_string(count), count == 1 ? " thread" : " threads"));
    }
    const session &s = e.what().owner();
    problem p = e.prb();
    p.filter = {};
    run_by_others(checker, s, p, e.implementation());
    run_in_other_memory(checker, s, p);
    run_in_other_batches(checker, s, p);
    return checker.take_findings();
}

} // namespace benchdnn_lite
