// SPDX-License-Identifier: Apache-2.0
// The same bits for every number of threads, of rows around a row, and for every layout.
#include "rig/accuracy.hpp"
#include "rig/run.hpp"

// Absent where the library was built without OpenMP.
extern "C" [[gnu::weak]] void omp_set_num_threads(int);

namespace jitnorm::tests {
namespace {

struct bits {
    std::vector<double> result, variance, diff_scale, diff_shift;
    bool operator==(const bits &) const = default;
};

bits execute(const setup &s) {
    run r(s);
    r.execute();
    bits all = {r.result().values(), r[VARIANCE].values(), {}, {}};
    if (r[DIFF_SCALE].exists()) all.diff_scale = r[DIFF_SCALE].values();
    if (r[DIFF_SHIFT].exists()) all.diff_shift = r[DIFF_SHIFT].values();
    return all;
}

class on_threads : public testing::Test {
protected:
    void SetUp() override {
        if (!omp_set_num_threads) GTEST_SKIP() << "built without OpenMP";
    }
    void TearDown() override {
        if (omp_set_num_threads) omp_set_num_threads(2);
    }
};

TEST_F(on_threads, every_count_gives_the_same_bits) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
        for (const std::vector<dim_t> &dims : {std::vector<dim_t>{700, 300}, {5, 40000}, {60000, 3}}) {
            const setup s = {.kind = kind, .dims = dims}; // large enough for sixteen threads
            omp_set_num_threads(1);
            const bits serial = execute(s);
            for (int threads = 2; threads <= 16; ++threads) {
                omp_set_num_threads(threads);
                EXPECT_EQ(execute(s), serial) << threads << " threads, " << s;
            }
        }
}

TEST(invariance, a_row_does_not_depend_on_the_rows_around_it) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward_data}) {
        const dim_t columns = 333;
        run many({.kind = kind, .dims = {9, columns}}), one({.kind = kind, .dims = {1, columns}});
        auto fifth = [&](const tensor &t, dim_t length) {
            const std::vector<double> all = t.values();
            return std::vector<double>(all.begin() + 5 * length, all.begin() + 6 * length);
        };
        one[SRC].fill(fifth(many[SRC], columns));
        if (kind == jitnorm_backward_data) {
            one[MEAN].fill(fifth(many[MEAN], 1));
            one[VARIANCE].fill(fifth(many[VARIANCE], 1));
            one[DIFF_DST].fill(fifth(many[DIFF_DST], columns));
        }
        many.execute();
        one.execute();
        EXPECT_EQ(one.result().values(), fifth(many.result(), columns));
    }
}

TEST(invariance, every_layout_gives_the_same_bits) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        const std::vector<dim_t> dims = {3, 5, 700};
        const bits dense = execute({.kind = kind, .dims = dims});
        for (const char *layout : {"cba", "gap", "spread", "gap+7", "aBc8b", "aBC16b16c", "ABc16a16b"})
            EXPECT_EQ(execute({.kind = kind, .dims = dims, .src = layout, .dst = layout, .diff_src = layout}), dense)
                << layout;
    }
}

TEST(invariance, in_place_gives_the_same_bits) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
        EXPECT_EQ(execute({.kind = kind, .dims = {4, 9000}, .in_place = true}),
                  execute({.kind = kind, .dims = {4, 9000}}));
}

} // namespace
} // namespace jitnorm::tests
