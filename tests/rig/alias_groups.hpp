// SPDX-License-Identifier: Apache-2.0
// alias_groups: every pair and every three of a call's tensors at one address. A run is either accepted, as the
// documents have it, and has the bits that separate buffers of the same contents have; or it is refused, with a reason,
// and writes nothing.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace jitnorm::tests {

using buffer = std::vector<unsigned char>;

struct aliased_tensor {
    std::string name;
    char use = '<'; // < read, > written, anything else not looked at
    buffer start;   // what it holds before a run
    bool is_compared = true;
};

struct alias_outcome {
    std::vector<buffer> buffers; // after the run
    bool is_accepted = true;
    std::string reason = {};
};

class alias_groups {
public:
    // in_place: an input and an output that may be at its place.
    alias_groups(std::string what, std::vector<aliased_tensor> tensors, std::set<std::pair<size_t, size_t>> in_place)
        : what_(std::move(what)), tensors_(std::move(tensors)), in_place_(std::move(in_place)) {}

    // run(buffers, places) runs the call with tensor i in the buffer places[i]; check_reason(reason, group) judges the
    // reason of a refusal.
    template <typename Run, typename CheckReason>
    void try_all(Run &&run, CheckReason &&check_reason) const {
        const auto try_one = [&](const std::vector<size_t> &group) {
            for (const size_t i : group)
                if (tensors_[i].start.empty()) return; // there is none
            SCOPED_TRACE(what_ + ": " + names_of(group));
            try_group(group, run, check_reason);
        };
        for (size_t a = 0; a < tensors_.size(); ++a)
            for (size_t b = a + 1; b < tensors_.size(); ++b) {
                try_one({a, b});
                for (size_t c = b + 1; c < tensors_.size(); ++c) try_one({a, b, c});
            }
    }

private:
    template <typename Run, typename CheckReason>
    void try_group(const std::vector<size_t> &group, Run &&run, CheckReason &&check_reason) const {
        const size_t source = source_of(group);
        std::vector<buffer> before;
        for (const aliased_tensor &t : tensors_) before.push_back(t.start);
        std::vector<size_t> apart(tensors_.size());
        std::iota(apart.begin(), apart.end(), size_t(0));
        std::vector<size_t> shared = apart;
        for (const size_t i : group) {
            before[i] = tensors_[source].start;
            shared[i] = source;
        }
        const alias_outcome expected = run(before, apart), got = run(before, shared);
        EXPECT_TRUE(expected.is_accepted) << expected.reason;
        EXPECT_EQ(got.is_accepted, may_share(group)) << got.reason;
        for (size_t i = 0; i < tensors_.size(); ++i) {
            const size_t written = got.is_accepted ? output_at(shared, shared[i]) : tensors_.size();
            const buffer &wanted =
                written == tensors_.size() ? before[i] : expected.buffers[tensors_[i].use == '>' ? i : written];
            EXPECT_TRUE(!tensors_[i].is_compared || got.buffers[shared[i]] == wanted) << tensors_[i].name << " differs";
        }
        if (!got.is_accepted) check_reason(got.reason, group);
    }

    // The tensor whose contents the group has: an input, if there is one.
    size_t source_of(const std::vector<size_t> &group) const {
        for (const size_t i : group)
            if (tensors_[i].use == '<') return i;
        return group.front();
    }
    size_t output_at(const std::vector<size_t> &places, size_t place) const {
        size_t i = 0;
        while (i < places.size() && (places[i] != place || tensors_[i].use != '>')) ++i;
        return i;
    }
    bool may_share(const std::vector<size_t> &group) const {
        for (const size_t a : group)
            for (const size_t b : group) {
                const char other = tensors_[b].use;
                if (a == b || tensors_[a].use != '>' || (other != '<' && other != '>')) continue;
                if (other == '>' || !in_place_.contains({b, a})) return false;
            }
        return true;
    }
    std::string names_of(const std::vector<size_t> &group) const {
        std::string result;
        for (const size_t i : group) result += tensors_[i].name + " ";
        return result;
    }

    std::string what_;
    std::vector<aliased_tensor> tensors_;
    std::set<std::pair<size_t, size_t>> in_place_;
};

} // namespace jitnorm::tests
