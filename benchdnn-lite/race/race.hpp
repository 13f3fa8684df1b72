// SPDX-License-Identifier: Apache-2.0
// race: runs one problem with our library, a peer and loops that only move its tensors, and measures them.
#pragma once

#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "../timing/sampler.hpp"
#include "limit.hpp"
#include "peer.hpp"

namespace benchdnn_lite {

struct race_result {
    problem prb;
    std::string note; // why the problem or the peer was left out, that bits differ, or which peer was the fastest
    bool disagrees = false;
    bool restless = false;    // times of a contestant vary beyond reason: others used the machine
    std::string ours, theirs; // names of the implementations
    double bytes = 0;         // of all tensors of rows
    std::optional<double> ours_us, theirs_us, limit_us;
    std::string limit; // the name of the fastest way to move the tensors

    std::optional<double> ratio() const { return quotient(theirs_us, ours_us); }
    std::optional<double> over_limit() const { return quotient(ours_us, limit_us); }

private:
    static std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
        return a && b ? std::optional(*a / *b) : std::nullopt;
    }
};

// Conditions that all problems of a race share.
struct race_conditions {
    int threads = 1; // of both libraries
    int rounds = 15;
    bool then_read = false; // times include a pass that reads the result, by `threads` threads
};

// The order of so many bodies in each round. The contestants are the first body and the last ones, which are the peers.
// An order is drawn at random; then each contestant takes the place of the next one, until each has had the places of
// all. So whom one of them follows, the others follow as often.
class turns {
public:
    turns(size_t bodies, size_t peers) : order_(bodies), peers_(peers) {
        std::iota(order_.begin(), order_.end(), size_t(0));
    }
    const std::vector<size_t> &next_round();

private:
    size_t successor(size_t number) const;

    std::vector<size_t> order_;
    std::minstd_rand random_;
    const size_t peers_;
    size_t round_ = 0;
};

// Measures each body in `rounds` rounds and returns the microseconds that one call takes. The last `peers` bodies and
// the first one are the contestants. In a round every body gets one block of calls, which takes at least 200 us. An
// untimed call before it brings the data of the body back into the caches.
std::vector<spread> interleaved(const std::vector<body> &bodies, size_t peers, int rounds);

race_result race(const session &s, const problem &p, const peer_library &other, const race_conditions &conditions,
                 uint64_t seed);

// Summarizes ratios: their number, geometric mean, minimum and maximum, and the results that have the latter two.
struct ratio_summary {
    size_t count = 0;
    double mean = 0, least = 0, most = 0;
    const race_result *at_least = nullptr, *at_most = nullptr;
};

using ratio_of_result = std::optional<double> (race_result::*)() const;
ratio_summary summarize(const std::vector<const race_result *> &results, ratio_of_result ratio);

// The results as text, a line for each problem.
std::string race_heading(const std::string &ours, const std::string &theirs, const race_conditions &conditions);
std::string race_line(const race_result &result);

// Summarizes the forward problems, then the backward ones: how many were raced, and the geometric means and the worst
// of the ratios.
std::string race_summary(const std::vector<race_result> &results);

// Says that the machine was too busy, and in how many problems; empty if it was calm.
std::string race_unrest(const std::vector<race_result> &results);

// The results of the forward problems, or of the backward ones.
std::vector<const race_result *> results_of(const std::vector<race_result> &results, bool forward);

struct race_setting {
    std::string ours, theirs; // libraries with their versions
    race_conditions conditions;
};

std::string race_json(const race_setting &setting, const std::vector<race_result> &results);

} // namespace benchdnn_lite
