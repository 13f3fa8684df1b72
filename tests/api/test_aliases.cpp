// SPDX-License-Identifier: Apache-2.0
// Arguments of a primitive that share memory: every pair and every three of them, for primitives that together have
// all arguments. An execution is either refused, with a reason that names both arguments, and writes nothing; or it has
// the bits that separate buffers of the same contents have.
#include <cstring>
#include <string>

#include "primitives_with_all.hpp"

using namespace jitnorm::tests;

namespace {

constexpr size_t BYTES = 65536; // of each buffer

using buffers = std::map<int, std::vector<float>>; // by argument; tensors of other types read the same bytes

class alias_test {
public:
    explicit alias_test(const primitive_case &what) : what_(what), run_(what.make()) {
        for (const auto &[arg, tensor] : run_.tensors()) {
            if (arg == JITNORM_ARG_SHIFT && is_output(JITNORM_ARG_DIFF_SRC)) continue; // backward ignores it
            args_.push_back(arg);
            start_[arg] = numbers(unsigned(args_.size()));
            EXPECT_LE(tensor.bytes.size(), BYTES) << arg;
        }
    }

    const std::vector<int> &args() const { return args_; }

    // Executes with the group at one address. Returns whether the execution is accepted.
    bool try_group(const std::vector<int> &group) {
        const int source = source_of(group);
        std::map<int, int> apart, together;
        for (const int arg : args_) apart[arg] = together[arg] = arg;
        buffers before = start_;
        for (const int arg : group) {
            before[arg] = start_[source];
            together[arg] = source;
        }
        buffers expected = before, got = before;
        EXPECT_OK(execute(expected, apart));
        const bool is_accepted = execute(got, together) == jitnorm_success;
        if (!is_accepted) expect_clear(group);
        for (const int arg : args_) {
            if (arg == JITNORM_ARG_SCRATCHPAD) continue;
            const int place = together[arg], written = is_accepted ? output_at(together, place) : NONE;
            const std::vector<float> &wanted = written == NONE ? before[arg] : expected[is_output(arg) ? arg : written];
            EXPECT_TRUE(same_bits(got[place], wanted))
                << what_.name << ": argument " << arg << " differs with one address for " << text(group);
        }
        return is_accepted;
    }

    bool may_share(const std::vector<int> &group) const {
        for (const int a : group)
            for (const int b : group)
                if (a != b && is_output(a) && !what_.in_place.contains({a, b})) return false;
        return true;
    }

    std::string text(const std::vector<int> &group) const {
        std::string result;
        for (const int arg : group) result += std::to_string(arg) + " ";
        return result;
    }

private:
    static constexpr int NONE = -1;

    bool is_output(int arg) const { return what_.outputs.contains(arg); }
    int output_at(const std::map<int, int> &places, int place) const {
        for (const auto &[arg, at] : places)
            if (at == place && is_output(arg)) return arg;
        return NONE;
    }
    int source_of(const std::vector<int> &group) const {
        for (const int arg : group)
            if (!is_output(arg)) return arg;
        return group.front();
    }

    static std::vector<float> numbers(unsigned seed) {
        std::vector<float> result(BYTES / sizeof(float));
        unsigned state = seed * 2654435761U + 1;
        for (float &value : result) {
            state = state * 1664525U + 1013904223U;
            value = 0.5F + float(state >> 8) / 16777216.0F;
        }
        return result;
    }
    static bool same_bits(const std::vector<float> &a, const std::vector<float> &b) {
        return std::memcmp(a.data(), b.data(), BYTES) == 0;
    }

    jitnorm_status_t execute(buffers &data, const std::map<int, int> &places) {
        for (const int arg : args_)
            EXPECT_OK(jitnorm_memory_set_data_handle(run_.tensors().at(arg).memory, data.at(places.at(arg)).data()));
        return run_.run();
    }

    void expect_clear(const std::vector<int> &group) const {
        const std::string reason = jitnorm_get_last_error();
        EXPECT_NE(reason.find(" is an output and has the memory of "), reason.npos) << text(group) << reason;
    }

    const primitive_case &what_;
    execution run_;
    std::vector<int> args_;
    buffers start_;
};

void try_all(const primitive_case &what) {
    alias_test test(what);
    const auto try_one = [&](const std::vector<int> &group) {
        EXPECT_EQ(test.try_group(group), test.may_share(group)) << what.name << ": " << test.text(group);
    };
    const std::vector<int> &args = test.args();
    for (size_t a = 0; a < args.size(); ++a)
        for (size_t b = a + 1; b < args.size(); ++b) {
            try_one({args[a], args[b]});
            for (size_t c = b + 1; c < args.size(); ++c) try_one({args[a], args[b], args[c]});
        }
}

TEST(aliases, of_all_pairs_of_arguments) {
    for (const jitnorm_cpu_isa_t isa : {jitnorm_cpu_isa_sse41, jitnorm_cpu_isa_default}) {
        ASSERT_OK(jitnorm_set_max_cpu_isa(isa));
        for (const primitive_case &what : CASES) try_all(what);
    }
}

} // namespace
