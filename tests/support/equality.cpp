// SPDX-License-Identifier: Apache-2.0
#include "equality.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "run/implementations.hpp"

namespace jitnorm::tests {

namespace {

// The first difference; empty if there is none.
std::string difference(const std::vector<double> &got, const std::vector<double> &expected) {
    if (got.size() != expected.size())
        return std::to_string(got.size()) + " elements, not " + std::to_string(expected.size());
    for (size_t i = 0; i < got.size(); ++i)
        if (!same_bits({got[i]}, {expected[i]}))
            return "element " + std::to_string(i) + " is " + testing::PrintToString(got[i]) + ", not " +
                   testing::PrintToString(expected[i]);
    return "";
}

} // namespace

const implementation &jit_for(isa vectors) {
    const auto &all = impl::layer_norm::on_kernels;
    return all[0].name == std::string_view(impl::jit::implementation_name(vectors)) ? all[0] : all[1];
}

outputs outputs_of(const run &r) {
    outputs all;
    for (const slot s : r.written()) all[s] = r[s].values();
    return all;
}

outputs outputs_by(const implementation &entry, const setup &s, const preparation &prepare) {
    EXPECT_EQ(entry.refusal(make_problem(s)), "");
    run r(s);
    if (prepare) prepare(r);
    r.execute_on(entry);
    return outputs_of(r);
}

bool same_bits(const std::vector<double> &a, const std::vector<double> &b) {
    const auto same = [](double x, double y) {
        return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y) || (std::isnan(x) && std::isnan(y));
    };
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

void expect_same(const outputs &got, const outputs &expected, const setup &s, const std::string &what) {
    for (const impl::layer_norm::tensor_kind &t : impl::layer_norm::TENSORS)
        EXPECT_TRUE(same_bits(got[t.place], expected[t.place]))
            << t.name << ", " << what << ": " << difference(got[t.place], expected[t.place]) << "; " << s << ": "
            << describe(make_problem(s));
}

void expect_equal_to_reference(isa vectors, const setup &s, const preparation &prepare) {
    const implementation &entry = jit_for(vectors);
    expect_same(outputs_by(entry, s, prepare), outputs_by(reference_entry, s, prepare), s, entry.name);
}

} // namespace jitnorm::tests
