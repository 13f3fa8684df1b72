// SPDX-License-Identifier: Apache-2.0
// race: one problem through our library, a peer and plain copies of the same bytes.
#pragma once

#include <optional>
#include <vector>

#include "peer.hpp"

namespace benchdnn_lite {

struct race_result {
    problem prb;
    std::string note; // why there is no race: who refused, what differs; or that bits differ, and there is one
    bool disagrees = false;
    bool restless = false;    // somebody's times vary beyond reason: others used the machine
    std::string ours, theirs; // implementations
    double bytes = 0;         // of every tensor of rows
    std::optional<double> ours_us, theirs_us, limit_us;
    std::string limit; // the copy that was fastest

    std::optional<double> ratio() const { return quotient(theirs_us, ours_us); }
    std::optional<double> over_limit() const { return quotient(ours_us, limit_us); }

private:
    static std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
        return a && b ? std::optional(*a / *b) : std::nullopt;
    }
};

// The same for all problems of a race.
struct race_conditions {
    int threads = 1; // what both libraries were told to use
    int rounds = 15;
    bool then_read = false; // times include a pass that reads the result, by as many threads
};

race_result race(const session &s, const problem &p, const peer_library &other, const race_conditions &conditions,
                 uint64_t seed);

// Of some ratios: their geometric mean, and both ends.
struct ratio_summary {
    size_t count = 0;
    double mean = 0, least = 0, most = 0;
    const race_result *at_least = nullptr, *at_most = nullptr;
};

using ratio_of_result = std::optional<double> (race_result::*)() const;
ratio_summary summarize(const std::vector<const race_result *> &results, ratio_of_result ratio);

} // namespace benchdnn_lite
