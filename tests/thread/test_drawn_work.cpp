// SPDX-License-Identifier: Apache-2.0
// Work drawn at random (groups of rows, gates, packed and long rows) on pools that run parts in odd
// orders: every pool gives the bits of the plain C++ implementation on one thread.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "drawn_work.hpp"

using namespace jitnorm::tests;

namespace {

#ifdef JITNORM_SANITIZED
constexpr unsigned SEEDS = 50; // these builds are slow
#else
constexpr unsigned SEEDS = 150;
#endif

using generator = std::mt19937;

size_t below(generator &random, size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); }
bool one_in(generator &random, size_t n) { return below(random, n) == 0; }
template <typename Value, size_t Size>
Value pick(generator &random, const Value (&values)[Size]) {
    return values[below(random, Size)];
}

// Runs parts in an order drawn for each call: on the caller, which executes something else now and then, or each part
// on a thread of its own.
class odd_pool {
public:
    odd_pool(generator &random, std::function<void()> other)
        : random_(random), other_(std::move(other)),
          has_threads_(one_in(random, 4)), pool_{parallel_for, this,
                                                 has_threads_ ? int(2 + below(random, 4)) : int(2 + below(random, 69))},
          stream_(make_stream(pool_)) {}
    odd_pool(const odd_pool &) = delete;
    odd_pool &operator=(const odd_pool &) = delete;

    jitnorm_stream_t stream() const { return stream_; }
    int calls() const { return calls_; }
    int concurrency() const { return pool_.concurrency; }

private:
    static void parallel_for(void *context, int count, void (*body)(void *, int), void *argument) {
        auto &pool = *static_cast<odd_pool *>(context);
        ++pool.calls_;
        std::vector<int> order(static_cast<size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        if (one_in(pool.random_, 2))
            std::ranges::reverse(order);
        else
            std::ranges::shuffle(order, pool.random_);
        if (pool.has_threads_) {
            std::vector<std::jthread> threads;
            for (const int part : order) threads.emplace_back(body, argument, part);
            return;
        }
        for (const int part : order) {
            body(argument, part);
            if (one_in(pool.random_, 16)) pool.other_();
        }
    }

    generator &random_;
    std::function<void()> other_;
    bool has_threads_;
    jitnorm_thread_pool_t pool_;
    owned_stream stream_;
    int calls_ = 0;
};

drawn_work draw(generator &random) {
    constexpr jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward,
                                             jitnorm_backward_data};
    constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
    constexpr const char *ORDERS[] = {"abc", "abc", "bac", "acb", "cab", "cba", "bca"};
    constexpr jitnorm_dim_t OUTER[] = {1, 2, 3, 17, 64, 65, 130}, INNER[] = {1, 2, 7, 33, 300, 2100},
                            COLUMNS[] = {1, 7, 16, 70, 256, 600, 5000, 70000};
    constexpr jitnorm_dim_t MOST_ELEMENTS = 400'000;
    drawn_work w;
    w.kind = pick(random, KINDS);
    w.sizes = {pick(random, OUTER), pick(random, INNER), pick(random, COLUMNS)};
    for (const size_t d : {0U, 1U}) {
        const jitnorm_dim_t others = w.sizes[0] * w.sizes[1] * w.sizes[2] / w.sizes[d];
        w.sizes[d] = std::clamp<jitnorm_dim_t>(MOST_ELEMENTS / others, 1, w.sizes[d]);
    }
    w.type = pick(random, TYPES);
    w.scale_shift_type = one_in(random, 3) ? jitnorm_bf16 : jitnorm_f32;
    w.order = pick(random, ORDERS);
    w.scale = unsigned(below(random, 4));
    w.adds = one_in(random, 2);
    if (w.adds && one_in(random, 2)) w.gate = int(below(random, 4));
    if (one_in(random, 4)) w.flags |= jitnorm_rms_norm;
    w.has_operand = w.is_forward() && one_in(random, 4);
    w.finds_scales = w.is_forward() && w.type != jitnorm_f64 && one_in(random, 4);
    w.open = !w.finds_scales && (w.is_forward() || !w.has_gate()) && one_in(random, 4);
    return w;
}

// Executes by the plain C++ implementation.
std::map<int, bytes> by_reference(const drawn_work &w) {
    EXPECT_OK(jitnorm_set_implementation("ref:any"));
    drawn_execution plain(w);
    EXPECT_OK(jitnorm_set_implementation(nullptr));
    return by_one_thread(plain);
}

// Another execution that may begin on a thread in the middle of one.
class other_work {
public:
    void run() { different_ += by_one_thread(execution_) != expected_; }
    int different() const { return different_; }

private:
    drawn_execution execution_{{.kind = jitnorm_backward, .sizes = {2, 9, 70}, .order = "cab", .scale = 1}};
    std::map<int, bytes> expected_ = by_one_thread(execution_);
    int different_ = 0;
};

TEST(drawn_work, keeps_its_bits_on_odd_pools) {
    constexpr unsigned POOLS = 3;
    struct {
        int works = 0, with_groups_at_once = 0, gates = 0, shared = 0;
    } reached;
    other_work other;
    for (unsigned seed = 0; seed < SEEDS; ++seed) {
        generator random(seed);
        const drawn_work w = draw(random);
        SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << testing::PrintToString(w));
        const std::map<int, bytes> expected = by_reference(w);
        drawn_execution e(w);
        for (unsigned i = 0; i < POOLS; ++i) {
            const odd_pool pool(random, [&] { other.run(); });
            ASSERT_TRUE(e.run_on(pool.stream()) == expected) << "on " << pool.concurrency() << " threads";
            reached.shared += pool.calls() > 0;
        }
        ++reached.works;
        reached.with_groups_at_once += plans_to_share_groups(w);
        reached.gates += w.has_gate();
    }
    EXPECT_EQ(other.different(), 0);
    EXPECT_GE(reached.shared * 4, reached.works * int(POOLS));
    EXPECT_GE(reached.gates * 8, reached.works);
    drawn_execution any({.sizes = {1, 1, 8}});
    if (any.implementation() != std::string("ref:any")) { // which has no plans
        EXPECT_GE(reached.with_groups_at_once * 8, reached.works);
    }
}

} // namespace
