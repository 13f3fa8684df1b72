// SPDX-License-Identifier: Apache-2.0
// Whether two libraries computed the same thing.
#include "agreement.hpp"

#include <algorithm>
#include <cmath>

#include "../correctness/fill.hpp"

namespace benchdnn_lite {

namespace {

constexpr double RELATIVE = 1e-3; // to the tensor's largest element

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

bool is_close(const buffer &ours, const buffer &theirs) {
    extent e;
    std::vector<double> a(size_t(ours.shape().dims.back())), b(a.size());
    for (dim_t row = 0; row < ours.rows(); ++row) {
        ours.get_row(row, a);
        theirs.get_row(row, b);
        widen(e, a, b);
    }
    return e.difference <= RELATIVE * e.largest + 2 * half_ulp(ours.type(), e.largest);
}

int first_disagreement(const execution &ours, const peer &theirs, uint64_t seed) {
    struct output {
        int id;
        buffer ours;
    };
    std::vector<output> outputs;
    fill(ours, fill_kind::random, seed);
    ours.run();
    for (const argument &a : ours.arguments())
        if (a.use == role::output || a.use == role::both) outputs.push_back({a.id, a.data.clone()});
    fill(ours, fill_kind::random, seed);
    theirs.run();
    const auto differs = [&](const output &o) { return !is_close(o.ours, ours.data(o.id)); };
    const auto found = std::find_if(outputs.begin(), outputs.end(), differs);
    return found == outputs.end() ? 0 : found->id;
}

} // namespace benchdnn_lite
