// SPDX-License-Identifier: Apache-2.0
// Checks whether two libraries computed the same results.
#include "agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../correctness/fill.hpp"

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

} // namespace

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

bool has_same_bytes(const buffer &ours, const buffer &theirs) {
    return ours.size() == theirs.size() && std::memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

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
    fill(theirs.tensors(), fill_kind::random, seed);
    theirs.run();
    const auto first_without = [&](auto &&agree) {
        const auto found = std::find_if(outputs.begin(), outputs.end(),
                                        [&](const output &o) { return !agree(o.ours, theirs.tensors().data(o.id)); });
        return found == outputs.end() ? 0 : found->id;
    };
    const auto close = [&](const buffer &a, const buffer &b) { return is_close(a, b, tolerance); };
    return {first_without(close), first_without(has_same_bytes)};
}

} // namespace benchdnn_lite
