// SPDX-License-Identifier: Apache-2.0
// A search for the data with the largest errors, by climbing from random data with a fixed seed: it finds errors as
// large as the worst known data have, and none above the bound in docs/arithmetic.md for a search.
//
// A row is a few stretches of equal elements, since sums of equal elements round in the same direction again and again.
// The search calls the scalar steps of src/math, and the reference confirms what it has found.
#include <functional>
#include <random>

#include "reference/row_sums.hpp"
#include "support/accuracy.hpp"
#include "support/run.hpp"

namespace jitnorm::tests {
namespace {

using namespace impl::layer_norm;
using real = long double;

struct stretch {
    dim_t length;
    float value;
};

// The values of a row, and in backward also of its diff_dst, which is cut off or goes on with its last value.
struct candidate {
    std::vector<stretch> row, diff_dst = {};
    float epsilon = 0;
    bool rms = false;
};

dim_t length_of(const std::vector<stretch> &row) {
    dim_t length = 0;
    for (const stretch &s : row) length += s.length;
    return length;
}

std::vector<double> elements_of(const std::vector<stretch> &row, size_t length) {
    std::vector<double> elements;
    for (const stretch &s : row) elements.insert(elements.end(), size_t(s.length), s.value);
    elements.resize(length, elements.back());
    return elements;
}

class chooser {
public:
    explicit chooser(unsigned seed) : numbers_(seed) {}

    size_t below(size_t end) { return size_t(numbers_() % end); }
    float number() { return float(normal_(numbers_)); }
    float factor() { return 1 + std::ldexp(number(), -int(below(23))); } // about 1, down to the next number

    float epsilon() {
        constexpr float EPSILONS[] = {0, 1e-12F, 1e-5F, 1e-3F, 1};
        return EPSILONS[below(std::size(EPSILONS))];
    }

    // Around a mean of 0 to about 1000 deviations.
    std::vector<stretch> row() {
        std::vector<stretch> made(1 + below(6));
        const float mean = below(2) == 0 ? 0 : number() * std::exp(3 * number());
        for (stretch &s : made) s = {length(), mean + number()};
        return made;
    }

    // With a few changes of lengths and values, small or large.
    std::vector<stretch> changed(std::vector<stretch> row_) {
        constexpr dim_t LONGEST = 10000; // more than two chunks
        do change(row_);
        while (below(3) == 0);
        return length_of(row_) <= LONGEST ? row_ : row();
    }

private:
    dim_t length() {
        constexpr dim_t UNITS[] = {1, BACKWARD_LANES<float>, FORWARD_LANES<float>, BLOCK, CHUNK};
        const dim_t unit = UNITS[below(std::size(UNITS))];
        return unit * dim_t(1 + below(size_t(CHUNK / unit)));
    }

    void change(std::vector<stretch> &row_) {
        constexpr size_t MOST = 12;
        const auto at = row_.begin() + ptrdiff_t(below(row_.size()));
        switch (below(7)) {
        case 0:
            at->length = length();
            break;
        case 1:
            at->length = std::max<dim_t>(1, at->length + dim_t(below(129)) - 64);
            break;
        case 2:
            at->value = number();
            break;
        case 3:
            if (row_.size() < MOST) row_.insert(at, {length(), number()});
            break;
        case 4:
            if (row_.size() > 1) row_.erase(at);
            break;
        default:
            at->value *= factor();
        }
    }

    std::mt19937 numbers_;
    std::normal_distribution<double> normal_;
};

template <typename Candidate>
struct found {
    double error = 0;
    Candidate worst = {};
};

// The worst of `climbs` climbs of `steps` steps, each from a new beginning. A step that makes the error smaller is
// undone.
template <typename Candidate>
found<Candidate> search(int climbs, int steps, const std::function<Candidate()> &begin,
                        const std::function<Candidate(Candidate)> &change,
                        const std::function<double(const Candidate &)> &error_of) {
    found<Candidate> worst;
    for (int i = 0; i < climbs; ++i) {
        found<Candidate> here{0, begin()};
        for (int step = 0; step < steps; ++step) {
            Candidate next = change(here.worst);
            const double error = error_of(next);
            if (error >= here.error) here = {error, std::move(next)};
        }
        if (here.error > worst.error) worst = here;
    }
    return worst;
}

// ---------------------------------------------------------------- forward

struct exact_statistics {
    real mean = 0, variance = 0;
};

exact_statistics statistics_of(const candidate &c) {
    exact_statistics s;
    const real count = real(length_of(c.row));
    for (const stretch &each : c.row) s.mean += real(each.length) * each.value / count;
    if (c.rms) s.mean = 0;
    for (const stretch &each : c.row)
        s.variance += real(each.length) * (each.value - s.mean) * (each.value - s.mean) / count;
    return s;
}

double forward_error(const candidate &c) {
    const exact_statistics exact = statistics_of(c);
    if (!(exact.variance + c.epsilon > 0)) return 0;
    const dim_t columns = length_of(c.row);
    const std::vector<double> x = elements_of(c.row, size_t(columns));
    const auto read = [&](dim_t begin, dim_t count, float *out) { std::copy_n(x.begin() + begin, count, out); };
    const auto n = make_normalizer(compute_statistics<float>(columns, c.rms, read), c.epsilon);
    std::vector<real> expected;
    std::vector<float> got;
    for (const stretch &s : c.row) {
        expected.push_back((s.value - exact.mean) / std::sqrt(exact.variance + c.epsilon));
        got.push_back(std::fma(s.value - n.hi, n.rstd, n.bias));
    }
    return double(normalized_error(got.data(), expected.data(), got.size()));
}

double forward_error_of_reference(const candidate &c) {
    const dim_t columns = length_of(c.row);
    run r({.flags = c.rms ? unsigned(jitnorm_rms_norm) : 0U, .dims = {1, columns}});
    r.p.epsilon = c.epsilon;
    r[SRC].fill(elements_of(c.row, size_t(columns)));
    const exact_results exact = exact_results_of(r.question());
    r.execute();
    return normalized_error(r.result().values().data(), exact.dst.data(), size_t(columns));
}

const candidate TWO_LEVELS = {{{1284, -0.63623184F}, {2562, -0.8618975F}}, {}, 1e-5F};

TEST(worst_rows, forward) {
    chooser choose(2);
    const auto begin = [&] { return candidate{choose.row(), {}, choose.epsilon(), choose.below(8) == 0}; };
    const auto change = [&](candidate c) {
        if (choose.below(16) == 0)
            c.epsilon = choose.epsilon();
        else
            c.row = choose.changed(c.row);
        return c;
    };
    const double known = forward_error_of_reference(TWO_LEVELS);
    EXPECT_GT(known, 1.4e-6);
    const auto [error, worst] = search<candidate>(20, 2000, begin, change, forward_error);
    EXPECT_GE(error, std::max(known, 1.6e-6)) << "the search does not find what is known";
    EXPECT_LE(error, 3e-6);
    EXPECT_NEAR(forward_error_of_reference(worst), error, 1e-12);
}

// ---------------------------------------------------------------- diff_src

// A row's question, with the exact statistics, rounded as the tensors round them.
run backward_run(const candidate &c) {
    const dim_t columns = length_of(c.row);
    const exact_statistics exact = statistics_of(c);
    run r({.kind = jitnorm_backward_data, .flags = c.rms ? unsigned(jitnorm_rms_norm) : 0U, .dims = {1, columns}});
    r.p.epsilon = c.epsilon;
    r[SRC].fill(elements_of(c.row, size_t(columns)));
    r[DIFF_DST].fill(elements_of(c.diff_dst, size_t(columns)));
    if (!c.rms) r[MEAN].fill({double(exact.mean)});
    r[VARIANCE].fill({double(exact.variance)});
    return r;
}

struct backward_errors {
    double of_largest = 0, of_terms = 0; // relative to max |diff_src|, and to the terms whose difference it is
};

backward_errors check_backward(const oracle_problem &q, const std::vector<double> &got) {
    const real mean = q.has(jitnorm_rms_norm) ? 0 : q.mean[0], rstd = 1 / std::sqrt(real(q.variance[0]) + q.epsilon);
    real largest_g = 0, largest_xhat = 0, products = 0, worst = 0, largest = 0;
    const std::vector<double> exact = exact_results_of(q).diff_src;
    for (size_t c = 0; c < q.columns; ++c) {
        const real g = std::abs(real(q.diff_dst[c])), xhat = std::abs(q.src[c] - mean) * rstd;
        largest_g = std::max(largest_g, g);
        largest_xhat = std::max(largest_xhat, xhat);
        products += g * xhat / real(q.columns);
        worst = std::max(worst, real(std::abs(got[c] - exact[c])));
        largest = std::max(largest, real(std::abs(exact[c])));
    }
    return {double(worst / largest), double(worst / (rstd * (largest_g + largest_xhat * products)))};
}

backward_errors backward_errors_of(const candidate &c) {
    if (!(statistics_of(c).variance + c.epsilon > 1e-30)) return {};
    run r = backward_run(c);
    const oracle_problem question = r.question();
    r.execute();
    return check_backward(question, r.result().values());
}

// Of rstd (max |g| + max |xhat| mean |g xhat|).
constexpr double DIFF_SRC_BOUND = 2e-6;

TEST(worst_rows, diff_src) {
    chooser choose(3);
    const auto begin = [&] { return candidate{choose.row(), choose.row(), choose.epsilon(), choose.below(8) == 0}; };
    const auto change = [&](candidate c) {
        const size_t what = choose.below(16);
        if (what == 0) c.epsilon = choose.epsilon();
        if (what > 0 && what < 8) c.diff_dst = choose.changed(c.diff_dst);
        if (what > 6) c.row = choose.changed(c.row);
        return c;
    };
    const auto error_of = [](const candidate &c) { return backward_errors_of(c).of_terms; };
    const double error = search<candidate>(6, 300, begin, change, error_of).error;
    EXPECT_GE(error, 5e-7) << "the search does not climb"; // compilers call choose in different orders
    EXPECT_LE(error, DIFF_SRC_BOUND);
}

// The mean of diff_dst cancels: the difference has the errors of both terms.
TEST(worst_rows, diff_src_of_gradients_with_a_large_mean) {
    backward_errors worst;
    for (unsigned seed = 1; seed <= 10; ++seed) {
        run r({.kind = jitnorm_backward_data, .flags = 0, .dims = {1, 100}});
        oracle_problem forward = r.question();
        forward.diff_dst.clear();
        const exact_results statistics = exact_results_of(forward);
        r[MEAN].fill(statistics.mean);
        r[VARIANCE].fill(statistics.variance);
        r[DIFF_DST].fill(random_values(100, 1.88, 0.01, seed));
        const oracle_problem question = r.question();
        r.execute();
        const backward_errors errors = check_backward(question, r.result().values());
        worst = {std::max(worst.of_largest, errors.of_largest), std::max(worst.of_terms, errors.of_terms)};
    }
    EXPECT_GT(worst.of_largest, 1e-6);
    EXPECT_LE(worst.of_terms, DIFF_SRC_BOUND);
}

} // namespace
} // namespace jitnorm::tests
