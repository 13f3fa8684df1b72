// SPDX-License-Identifier: Apache-2.0
// sweep: tables of problems. The cases of a sweep are a setup with every combination of some choices. Where these would
// be too many, a case takes further choices in turn.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "equality.hpp"

namespace jitnorm::tests {

using choice = std::function<void(setup &)>; // makes a setup another one
using choices = std::vector<choice>;

struct sweep {
    std::string name = {}; // in snake_case
    setup of = {};
    std::vector<choices> each = {};           // one of each list, in every combination; applied in this order
    std::vector<choices> in_turn = {};        // then one of each list; of a list with one choice always that
    std::vector<int> threads = {};            // the numbers of threads to execute with; empty: as many as there are
    bool late_sizes = false;                  // executed once more with sizes that come at execution
    bool small_caches = false;                // executed once more with each plan for SMALL_CACHES
    std::vector<impl::machine> machines = {}; // the same for other machines
    preparation prepare = {};
};

inline std::ostream &operator<<(std::ostream &out, const sweep &s) { return out << s.name; }

// Calls body with each case. Its seed is that of the sweep's setup and the length of the rows, which also chooses the
// side of the buffers' guards.
void for_each_case(const sweep &s, const std::function<void(const setup &)> &body);

// Executes every case by kernels and by the reference and compares, until a test fails.
void expect_equal(isa vectors, const sweep &s);

// ---- types: of data that are normalized, which forward also reads as integers, and of what goes with them

using types = std::vector<jitnorm_data_type_t>;
inline const types FLOATING = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64},
                   ROW_TYPES = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8, jitnorm_u8},
                   QUANTIZED = {jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3},
                   AFFINE_TYPES = {jitnorm_f32, jitnorm_bf16, jitnorm_f16},
                   OPERAND_TYPES = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s32,
                                    jitnorm_s8,  jitnorm_u8,   jitnorm_f64};

// ---- lists of choices

// set(setup, value) for each value.
template <typename Value, typename Set>
choices each_value(const std::vector<Value> &values, Set set) {
    choices list;
    for (const Value &value : values) list.push_back([=](setup &s) { set(s, value); });
    return list;
}
template <typename Field>
choices each_of(Field setup::*field, const std::vector<std::type_identity_t<Field>> &values) {
    return each_value(values, [=](setup &s, const Field &value) { s.*field = value; });
}
template <typename Field>
choices each_of(Field residual_setup::*field, const std::vector<std::type_identity_t<Field>> &values) {
    return each_value(values, [=](setup &s, const Field &value) { s.residual.*field = value; });
}

inline choices kinds(const std::vector<jitnorm_prop_kind_t> &values) { return each_of(&setup::kind, values); }
// All sets of oneDNN's flags and of those that say how scale or shift is used.
std::vector<unsigned> every_flag();
inline choices flags(const std::vector<unsigned> &values) { return each_of(&setup::flags, values); }
inline choices dims(const std::vector<std::vector<dim_t>> &values) { return each_of(&setup::dims, values); }
choices columns(const std::vector<dim_t> &values);
choices rows(const std::vector<dim_t> &values);
choices row_types(const std::vector<jitnorm_data_type_t> &values); // of src, dst and diff_src
choices row_layouts(const std::vector<std::string> &values);       // of src, dst and diff_src
choices scales_per_row(const std::vector<dim_t> &values);          // that are found; one where these do not divide C
inline void leave(setup &) {}                                      // a choice that changes nothing
inline void add_residual(setup &s) { s.residual = {.added = "dense", .sum = "dense", .type = s.src_type}; }
choices joined(choices list, const choices &others);
std::vector<dim_t> lengths_up_to(dim_t last, const std::vector<dim_t> &others); // all from 1, then the others

// Scales by which values are all over the range of integers.
void use_the_range(run &r);

// Machines with caches of these sizes that have the numbers of processors which prefetch to L1, or to L2 (Zen 4).
constexpr impl::machine prefetching_to_l1(dim_t l2, dim_t last_level) {
    return {.l2 = l2, .last_level = last_level, .memory = 100};
}
constexpr impl::machine prefetching_to_l2(dim_t l2, dim_t last_level) {
    return {.l2 = l2, .last_level = last_level, .shared = 50, .prefetch = 2};
}

// Machines whose caches hold nearly nothing, so that plans go the ways of large problems.
inline constexpr impl::machine SMALL_CACHES[] = {prefetching_to_l1(1 << 10, 1 << 12),
                                                 prefetching_to_l2(1 << 10, 1 << 12)};

struct layouts_of_rows {
    std::vector<dim_t> dims;
    const char *src, *dst, *diff_src, *statistics; // dst: of diff_dst, too
};
choices each_layouts(const std::vector<layouts_of_rows> &values);
// Layouts of all tensors of rows, of every kind of memory: gaps, spread elements, permuted and blocked dimensions.
choices all_layouts();

// Whether a test with hundreds of cases that is no sweep executes the case with this number: in builds for sanitizers
// one in four.
bool is_executed(size_t number);

// ---- suites: a sweep is a test for each instruction set

struct sweep_on {
    isa vectors;
    const sweep *cases;
};
std::ostream &operator<<(std::ostream &out, const sweep_on &s);

std::vector<sweep_on> on_each(const std::vector<isa> &sets, const std::vector<sweep> &sweeps);
inline auto native(const std::vector<sweep> &sweeps) {
    return testing::ValuesIn(on_each({isa::avx2, isa::avx512}, sweeps));
}
inline auto emulated(const std::vector<sweep> &sweeps) { return testing::ValuesIn(on_each({isa::avx512}, sweeps)); }
std::string name_of_sweep(const testing::TestParamInfo<sweep_on> &info);

class equality_in_sweeps : public testing::TestWithParam<sweep_on> {
protected:
    void SetUp() override {
        const isa vectors = GetParam().vectors;
        if (!impl::jit::is_allowed(vectors)) GTEST_SKIP() << "this processor lacks " << name_of(vectors);
    }
    static void expect_equal() { tests::expect_equal(GetParam().vectors, *GetParam().cases); }
};

} // namespace jitnorm::tests
