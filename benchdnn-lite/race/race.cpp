// SPDX-License-Identifier: Apache-2.0
// Runs one problem with our library, a peer and what moves its tensors, and measures them in turn.
#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <span>

#include "../correctness/fill.hpp"
#include "../problem/memory_size.hpp"

namespace benchdnn_lite {

namespace {

struct extent {
    double largest = 0, difference = 0;
};

void widen(extent &e, const std::vector<double> &ours, const std::vector<double> &theirs) {
    for (size_t c = 0; c < ours.size(); ++c) {
        const double difference = std::fabs(ours[c] - theirs[c]);
        e.largest = std::max(e.largest, std::fabs(ours[c]));
        e.difference = std::isnan(difference) ? INFINITY : std::max(e.difference, difference);
    }
}

// Whether no element differs by more than `tolerance` times the largest magnitude in `ours`, plus one ulp at that
// magnitude.
bool is_close(const buffer &ours, const buffer &theirs, double tolerance) {
    extent e;
    std::vector<double> a(size_t(ours.shape().dims.back())), b(a.size());
    for (dim_t row = 0; row < ours.rows(); ++row) {
        ours.get_row(row, a);
        theirs.get_row(row, b);
        widen(e, a, b);
    }
    return e.difference <= tolerance * e.largest + 2 * half_ulp(ours.type(), e.largest);
}

// The bytes between elements count, too.
bool has_same_bytes(const buffer &ours, const buffer &theirs) {
    return ours.size() == theirs.size() && std::memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

// The first output whose values are not close, and the first whose bytes differ, as ids of arguments. 0: there is none.
struct disagreement {
    int in_values = 0, in_bits = 0;
};

// Runs both libraries on the same random inputs, made from `seed`, and compares their outputs. `tolerance` is that of
// is_close().
disagreement first_disagreement(const execution &ours, const peer &theirs, double tolerance, uint64_t seed) {
    struct output {
        int id;
        buffer ours;
    };
    std::vector<output> outputs;
    fill(ours, fill_kind::random, seed);
    ours.run();
    for (const argument &a : ours.arguments())
        if (a.use == role::output || a.use == role::both) outputs.push_back({a.id, a.data.clone()});
    fill(*theirs.tensors, fill_kind::random, seed);
    theirs.run();
    const auto first_without = [&](auto &&agree) {
        const auto found = std::find_if(outputs.begin(), outputs.end(),
                                        [&](const output &o) { return !agree(o.ours, theirs.tensors->data(o.id)); });
        return found == outputs.end() ? 0 : found->id;
    };
    const auto close = [&](const buffer &a, const buffer &b) { return is_close(a, b, tolerance); };
    return {first_without(close), first_without(has_same_bytes)};
}

// The bytes of all tensors of rows, each counted once.
double bytes_moved(const problem &p) {
    size_t of_element = 0;
    for (const used_tensor &t : p.row_tensors()) of_element += size_of(t.type);
    return double(p.elements()) * double(of_element);
}

// Compares the results of a peer with ours. Returns false if it computes other values; the result says so. If only bits
// differ that should not, the result says so, and the peer may race: who changes bits on purpose wants to know what
// that costs.
bool may_race(const execution &e, const peer &opponent, const peer_library &other, uint64_t seed, race_result &result) {
    result.theirs = opponent.implementation;
    const disagreement found = first_disagreement(e, opponent, other.tolerance, seed);
    const bool bits_differ = other.promises_our_bits && found.in_bits != 0;
    result.disagrees = found.in_values != 0 || bits_differ;
    if (found.in_values != 0)
        result.note = concat("results differ in argument ", std::to_string(found.in_values));
    else if (bits_differ)
        result.note = concat("bits differ in argument ", std::to_string(found.in_bits));
    return found.in_values == 0;
}

// Makes the peers. Returns none if they refuse or one of them may not race; the result says which.
std::vector<peer> make_opponents(const execution &e, const peer_library &other, uint64_t seed, race_result &result) {
    try {
        std::vector<peer> opponents = other.make(e);
        for (const peer &one : opponents)
            if (!may_race(e, one, other, seed, result)) return {};
        return opponents;
    } catch (const refusal &reason) {
        result.note = concat("refused: ", reason.what());
    }
    return {};
}

const spread &fastest(std::span<const spread> us) {
    return *std::ranges::min_element(us, {}, [](const spread &s) { return s.lower_third; });
}

// The first body is ours, the last ones the peers'. Everybody works on the same tensors. On others, one could be faster
// merely by where these lie.
void measure(const execution &e, const std::vector<peer> &opponents, const race_conditions &on, race_result &result) {
    std::vector<body> bodies;
    const auto enter = [&](const body &write, const execution &tensors) {
        if (!on.then_read) return bodies.push_back(write);
        bodies.emplace_back([write, &tensors, &on] {
            write();
            volatile uint64_t seen = read_outputs(tensors, on.threads);
            static_cast<void>(seen);
        });
    };
    enter([&e] { e.run(); }, e);
    const std::vector<way_to_move> ways = ways_to_move(e, on.threads);
    for (const way_to_move &way : ways) enter(way.move, e);
    for (const peer &one : opponents) enter(one.run, *one.tensors);
    const std::vector<spread> us = interleaved(bodies, opponents.size(), on.rounds);
    result.ours_us = us[0].lower_third;
    if (const auto moved = std::span(us).subspan(1, ways.size()); !moved.empty()) {
        result.limit_us = fastest(moved).lower_third;
        result.limit = ways[size_t(&fastest(moved) - moved.data())].name;
    }
    if (const auto raced = std::span(us).last(opponents.size()); !raced.empty()) {
        result.theirs_us = fastest(raced).lower_third;
        result.theirs = opponents[size_t(&fastest(raced) - raced.data())].implementation;
    }
    result.restless = std::any_of(us.begin(), us.end(), [](const spread &s) { return s.is_beyond_reason(); });
}

void race_now(const session &s, const peer_library &other, const race_conditions &conditions, uint64_t seed,
              race_result &result) {
    const execution e(s, result.prb);
    result.ours = e.implementation();
    const std::vector<peer> opponents = make_opponents(e, other, seed, result);
    if (result.disagrees && opponents.empty()) return;
    fill(e, fill_kind::random, seed);
    measure(e, opponents, conditions, result);
    if (result.note.empty() && opponents.size() > 1) result.note = concat("the faster one: ", result.theirs);
    if (result.note.empty() && other.plans_as_ours && other.plans_as_ours(result.prb))
        result.note = "the plans are equal: any difference is noise";
}

} // namespace

// The next contestant; other bodies stay.
size_t turns::successor(size_t number) const {
    const size_t first_peer = order_.size() - peers_;
    if (number == 0) return first_peer;
    return number < first_peer ? number : (number + 1) % order_.size();
}

const std::vector<size_t> &turns::next_round() {
    if (round_++ % (1 + peers_) == 0)
        std::shuffle(order_.begin(), order_.end(), random_);
    else
        std::ranges::transform(order_, order_.begin(), [&](size_t number) { return successor(number); });
    return order_;
}

std::vector<spread> interleaved(const std::vector<body> &bodies, size_t peers, int rounds) {
    std::vector<sampler> contenders;
    for (const body &b : bodies) contenders.emplace_back(b, sampler::block::of_200_us);
    turns order(contenders.size(), peers);
    for (int round = 0; round < rounds; ++round)
        for (const size_t i : order.next_round()) contenders[i].sample();
    std::vector<spread> measured;
    for (const sampler &c : contenders) measured.push_back(c.us());
    return measured;
}

race_result race(const session &s, const problem &p, const peer_library &other, const race_conditions &conditions,
                 uint64_t seed) {
    race_result result;
    result.prb = p;
    result.bytes = bytes_moved(p);
    if (p.elements() == 0)
        result.note = "skipped: nothing to move";
    else if (bytes_needed(p) > available_bytes())
        result.note = "skipped: too little memory";
    if (!result.note.empty()) return result;
    try {
        race_now(s, other, conditions, seed, result);
    } catch (const unsupported &error) {
        result.note = concat("skipped: ", error.what());
    } catch (const std::bad_alloc &) {
        result.note = "skipped: out of memory";
    }
    return result;
}

ratio_summary summarize(const std::vector<const race_result *> &results, ratio_of_result ratio) {
    ratio_summary s;
    double logarithms = 0;
    for (const race_result *r : results) {
        const std::optional<double> value = (r->*ratio)();
        if (!value) continue;
        logarithms += std::log(*value);
        if (s.count == 0 || *value < s.least) s.least = *value, s.at_least = r;
        if (s.count == 0 || *value > s.most) s.most = *value, s.at_most = r;
        ++s.count;
    }
    if (s.count > 0) s.mean = std::exp(logarithms / double(s.count));
    return s;
}

} // namespace benchdnn_lite
