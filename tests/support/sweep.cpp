// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include <ostream>
#include <span>

namespace jitnorm::tests {

namespace {

// Calls body with `s` after every combination of the choices from list number `next` on.
template <typename Body>
void combine(const sweep &all, size_t next, const setup &s, Body &&body) {
    if (next == all.each.size()) return body(s);
    for (const choice &change : all.each[next]) {
        setup changed = s;
        change(changed);
        combine(all, next + 1, changed, body);
    }
}

// Scatters the numbers of cases, so that no list of turns keeps step with a list of combinations.
size_t turn_of(size_t number, size_t list, size_t length) {
    const uint64_t mixed = (number * 8 + list + 1) * 0x9E3779B97F4A7C15U;
    return size_t((mixed ^ mixed >> 29) >> 7) % length;
}

// Kernels are not instrumented, and the code around them does the same for most cases of a long sweep and for every
// instruction set. So the builds for sanitizers execute one case in so many, scattered over all lists; those that they
// execute with AVX2 are others than those with AVX-512.
size_t one_in([[maybe_unused]] size_t cases) {
#ifdef JITNORM_SANITIZED
    return cases < 100 ? 1 : cases < 1000 ? 4 : 16;
#else
    return 1;
#endif
}

bool is_executed(isa vectors, const sweep &all, size_t number) {
    size_t cases = 1;
    for (const choices &list : all.each) cases *= list.size();
    const size_t parts = one_in(cases);
    return turn_of(number, all.in_turn.size(), parts) == size_t(vectors) % parts;
}

void expect_equal_in_case(isa vectors, const sweep &all, const setup &s) {
    const outputs expected = outputs_by(reference_entry, s, all.prepare);
    const auto expect = [&](const implementation &by, const std::string &how, sizes_come when = sizes_come::at_creation,
                            const impl::machine &on = impl::the_machine()) {
        run r(s);
        if (all.prepare) all.prepare(r);
        r.execute_on(by, when, on);
        expect_same(outputs_of(r), expected, s, std::string(by.name) + how);
    };
    const implementation &entry = jit_for(vectors);
    const thread_count scope;
    if (all.threads.empty()) expect(entry, "");
    for (const int count : all.threads) {
        scope.set(count);
        expect(entry, ", " + std::to_string(count) + " threads");
    }
    const auto expect_on = [&](std::span<const impl::machine> machines) {
        for (const impl::machine &on : machines) expect(entry, ", " + describe(on), sizes_come::at_creation, on);
    };
    if (all.small_caches) expect_on(SMALL_CACHES);
    expect_on(all.machines);
    if (!all.late_sizes) return;
    expect(entry, ", sizes at execution", sizes_come::at_execution);
    expect(reference_entry, ", sizes at execution", sizes_come::at_execution);
}

} // namespace

bool is_executed(size_t number) { return turn_of(number, 0, one_in(500)) == 0; }

void for_each_case(const sweep &s, const std::function<void(const setup &)> &body) {
    size_t number = 0;
    combine(s, 0, s.of, [&](setup made) {
        made.seed += unsigned(made.dims.back());
        made.side = made.dims.back() % 2 == 0 ? guard_side::before : guard_side::after;
        for (size_t list = 0; list < s.in_turn.size(); ++list)
            s.in_turn[list][turn_of(number, list, s.in_turn[list].size())](made);
        ++number;
        body(made);
    });
}

void expect_equal(isa vectors, const sweep &s) {
    size_t number = 0;
    for_each_case(s, [&](const setup &each) {
        if (is_executed(vectors, s, number++) && !testing::Test::HasFailure()) expect_equal_in_case(vectors, s, each);
    });
}

choices columns(const std::vector<dim_t> &values) {
    return each_value(values, [](setup &s, dim_t value) { s.dims.back() = value; });
}

choices rows(const std::vector<dim_t> &values) {
    return each_value(values, [](setup &s, dim_t value) { s.dims.front() = value; });
}

choices row_types(const std::vector<jitnorm_data_type_t> &values) {
    return each_value(values, [](setup &s, auto value) { s.src_type = s.dst_type = s.diff_src_type = value; });
}

choices row_layouts(const std::vector<std::string> &values) {
    return each_value(values, [](setup &s, const std::string &value) { s.src = s.dst = s.diff_src = value; });
}

choices scales_per_row(const std::vector<dim_t> &values) {
    return each_value(values, [](setup &s, dim_t value) {
        if (s.dims.empty()) return; // which GCC 16 sees no reason to exclude
        s.dynamic_scales = scales_of(s.dims, s.dims.back() % value == 0 ? value : 1);
    });
}

choices each_layouts(const std::vector<layouts_of_rows> &values) {
    return each_value(values, [](setup &s, const layouts_of_rows &l) {
        s.dims = l.dims;
        s.src = l.src;
        s.dst = l.dst;
        s.diff_src = l.diff_src;
        s.statistics = l.statistics;
    });
}

choices joined(choices list, const choices &others) {
    list.insert(list.end(), others.begin(), others.end());
    return list;
}

void use_the_range(run &r) {
    if (r[SRC_SCALE].exists()) r[SRC_SCALE].fill({0.7});
    if (r[DST_SCALE].exists()) r[DST_SCALE].fill({0.03});
}

std::vector<unsigned> every_flag() {
    std::vector<unsigned> all = {0};
    const auto add = [&](unsigned flag, unsigned needed) {
        for (size_t i = 0, sets = all.size(); i < sets; ++i)
            if ((all[i] & needed) == needed) all.push_back(all[i] | flag);
    };
#define FLAG(name, number, letter) add(jitnorm_##name, 0);
#define AFFINE_FLAG(name, number, letter, needed) add(jitnorm_##name, jitnorm_##needed);
#define OWN_FLAG(...)
#include "../../tables/normalization_flags.inc"
    return all;
}

std::vector<dim_t> lengths_up_to(dim_t last, const std::vector<dim_t> &others) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= last; ++c) lengths.push_back(c);
    lengths.insert(lengths.end(), others.begin(), others.end());
    return lengths;
}

choices all_layouts() {
    return each_layouts({
        {{5, 70}, "gap", "gap", "gap", "gap"},
        {{5, 70}, "gap+7", "gap+7", "gap+7", "gap+7"},
        {{5, 70}, "gap+7", "dense", "gap", "a"},
        {{5, 70}, "ba", "ab", "gap", "a"},
        {{5, 70}, "ab", "ba", "ba", "gap"},
        {{5, 70}, "gap", "ba", "spread", "spread"},
        {{5, 70}, "spread", "spread", "ab", "spread"},
        {{5, 70}, "AB16b16a", "AB16a16b", "aB8b", "a"},
        {{5, 70}, "BA16a16b", "AB48a16b", "Ab4a", "a"},
        {{33, 7}, "AB16b64a", "AB8a8b", "aB16b", "a"},
        {{37, 70}, "ba", "ba", "ba", "a"},
        {{3, 5, 70}, "abc", "bac", "cba", "ba"},
        {{3, 5, 70}, "cba", "acb", "abc", "aB8b"},
        {{3, 5, 70}, "aBc8b", "aBc16b", "aBC8b8c", "aB8b"},
        {{3, 5, 70}, "ABc16b16a", "bca", "aBC16b16c", "gap"},
        {{3, 5, 20}, "aBC8b8c+7", "aBC16b16c+7", "aBC8b8c+7", "AB16b16a+7"},
        {{3, 4, 5, 17}, "17,255,51,1", "340,85,17,1", "17,255,51,1", "1,15,3"},
        {{2, 3, 5, 20}, "acdb", "aBcd8b", "dcba", "aBc8b"},
        {{2, 3, 5, 20}, "ABcd16a16b", "dcba", "cdba", "cba"},
        {{2, 3, 2, 5, 20}, "aBcde8b", "ABcde16a16b", "acdeb", "abdc"},
        {{2, 3, 2, 5, 20}, "edcba", "acdeb", "aBcde8b", "aBcd16b"},
        {{2, 1, 3, 1, 50}, "150,7,50,9,1", "200,1,60,1,1", "150,7,50,9,1", "3,3,1,1"},
        {{3, 64, 9}, "cba", "cba", "cba", "ba"}, // blocks of rows that lie side by side in memory
        {{2, 37, 32, 3}, "acdb", "dcba", "acdb", "acb"},
        {{3, 32, 9}, "abc", "abc", "cba", "ab"},
        {{3, 5000}, "ba", "ab", "ba", "a"},
        {{2, 3, 4100}, "abc", "aBc8b", "cba", "ba"},
    });
}

std::ostream &operator<<(std::ostream &out, const sweep_on &s) { return out << *s.cases; }

std::vector<sweep_on> on_each(const std::vector<isa> &sets, const std::vector<sweep> &sweeps) {
    std::vector<sweep_on> all;
    for (const isa vectors : sets)
        for (const sweep &s : sweeps) all.push_back({vectors, &s});
    return all;
}

std::string name_of_sweep(const testing::TestParamInfo<sweep_on> &info) {
    return info.param.cases->name + "_" + name_of(info.param.vectors);
}

} // namespace jitnorm::tests
