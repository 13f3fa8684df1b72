// SPDX-License-Identifier: Apache-2.0
// Runs one problem with our library, a peer and what moves its tensors, and measures them in turn.
#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

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

// Makes the peer and compares its results with ours. Returns none if the peer refuses or computes other values; the
// result says which. If only bits differ that should not, the result says so, and the peer may race: who changes bits
// on purpose wants to know what that costs.
std::optional<peer> make_opponent(const execution &e, const peer_library &other, uint64_t seed, race_result &result) {
    try {
        peer opponent = other.make(e);
        result.theirs = opponent.implementation;
        const disagreement found = first_disagreement(e, opponent, other.tolerance, seed);
        const bool bits_differ = other.promises_our_bits && found.in_bits != 0;
        result.disagrees = found.in_values != 0 || bits_differ;
        if (found.in_values != 0)
            result.note = concat("results differ in argument ", std::to_string(found.in_values));
        else if (bits_differ)
            result.note = concat("bits differ in argument ", std::to_string(found.in_bits));
        if (found.in_values == 0) return opponent;
    } catch (const refusal &reason) {
        result.note = concat("refused: ", reason.what());
    }
    return std::nullopt;
}

// The first body is ours, the last one the peer's. Everybody works on the same tensors. On others, one could be faster
// merely by where these lie.
void measure(const execution &e, const std::optional<peer> &opponent, const race_conditions &on, race_result &result) {
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
    if (opponent) enter(opponent->run, *opponent->tensors);
    const std::vector<spread> us = interleaved(bodies, on.rounds);
    result.ours_us = us[0].lower_third;
    for (size_t i = 0; i < ways.size(); ++i) {
        if (result.limit_us && *result.limit_us <= us[1 + i].lower_third) continue;
        result.limit_us = us[1 + i].lower_third;
        result.limit = ways[i].name;
    }
    if (opponent) result.theirs_us = us.back().lower_third;
    result.restless = std::any_of(us.begin(), us.end(), [](const spread &s) { return s.is_beyond_reason(); });
}

void race_now(const session &s, const peer_library &other, const race_conditions &conditions, uint64_t seed,
              race_result &result) {
    const execution e(s, result.prb);
    result.ours = e.implementation();
    const auto opponent = make_opponent(e, other, seed, result);
    if (result.disagrees && !opponent) return;
    fill(e, fill_kind::random, seed);
    measure(e, opponent, conditions, result);
    if (result.note.empty() && other.plans_as_ours && other.plans_as_ours(result.prb))
        result.note = "the same plan: what differs is noise";
}

} // namespace

const std::vector<size_t> &turns::next_round() {
    if (exchanges_)
        std::iter_swap(std::ranges::find(order_, size_t(0)), std::ranges::find(order_, order_.size() - 1));
    else
        std::shuffle(order_.begin(), order_.end(), random_);
    exchanges_ = !exchanges_;
    return order_;
}

std::vector<spread> interleaved(const std::vector<body> &bodies, int rounds) {
    std::vector<sampler> contenders;
    for (const body &b : bodies) contenders.emplace_back(b, sampler::block::of_200_us);
    turns order(contenders.size());
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
