// SPDX-License-Identifier: Apache-2.0
// Arguments of a primitive that share memory, for primitives that together have all arguments.
#include <cstring>
#include <string>

#include "primitives_with_all.hpp"
#include "rig/alias_groups.hpp"

using namespace jitnorm::tests;

namespace {

constexpr size_t BYTES = 65536; // of each buffer; tensors of other types read the same bytes

buffer numbers(unsigned seed) {
    buffer result(BYTES);
    unsigned state = seed * 2654435761U + 1;
    for (size_t at = 0; at < BYTES; at += sizeof(float)) {
        state = state * 1664525U + 1013904223U;
        const float value = 0.5F + float(state >> 8) / 16777216.0F;
        std::memcpy(&result[at], &value, sizeof value);
    }
    return result;
}

void try_all(const primitive_case &what) {
    const execution e(what.make());
    std::vector<aliased_tensor> tensors;
    std::vector<int> args;
    for (const auto &[arg, tensor] : e.tensors()) {
        if (arg == JITNORM_ARG_SHIFT && what.outputs.contains(JITNORM_ARG_DIFF_SRC)) continue; // backward ignores it
        args.push_back(arg);
        tensors.push_back({std::to_string(arg), what.outputs.contains(arg) ? '>' : '<', numbers(unsigned(args.size())),
                           arg != JITNORM_ARG_SCRATCHPAD});
        EXPECT_LE(tensor.bytes.size(), BYTES) << arg;
    }
    const auto place_of = [&](int arg) { return size_t(std::find(args.begin(), args.end(), arg) - args.begin()); };
    std::set<std::pair<size_t, size_t>> in_place;
    for (const auto &[output, input] : what.in_place) in_place.emplace(place_of(input), place_of(output));
    const auto run = [&](std::vector<buffer> buffers, const std::vector<size_t> &places) {
        for (size_t i = 0; i < args.size(); ++i)
            EXPECT_OK(jitnorm_memory_set_data_handle(e.tensors().at(args[i]).memory, buffers[places[i]].data()));
        const bool is_accepted = e.run() == jitnorm_success;
        return alias_outcome{std::move(buffers), is_accepted, is_accepted ? "" : jitnorm_get_last_error()};
    };
    alias_groups(what.name, tensors, in_place).try_all(run, [](const std::string &reason, auto &) {
        EXPECT_NE(reason.find(" is an output and has the memory of "), reason.npos) << reason;
    });
}

TEST(aliases, of_all_pairs_of_arguments) {
    for (const jitnorm_cpu_isa_t isa : {jitnorm_cpu_isa_sse41, jitnorm_cpu_isa_default}) {
        ASSERT_OK(jitnorm_set_max_cpu_isa(isa));
        for (const primitive_case &what : CASES) try_all(what);
    }
}

} // namespace
