// SPDX-License-Identifier: Apache-2.0
// Tensors that share memory, in all two-phase calls: every pair and every three of an operation's tensors at one
// address. A run is either refused, with a reason that names two of them, and writes nothing; or it has the bits that
// separate buffers of the same contents have.
#include "jitnorm/jitnorm.h"
#include "operations.hpp"

using namespace jitnorm::tests;

namespace {

constexpr size_t BYTES = 4096; // of each buffer
using buffer = std::vector<unsigned char>;

// What an operation's tensors hold before a run, and after it.
struct contents {
    std::vector<buffer> buffers;
    aclnnStatus status = ACLNN_SUCCESS;
    std::string reason;
};

class alias_test {
public:
    alias_test(const operation &op, aclDataType type) : op_(op), parameters_(parameters_of(op, type)) {
        for (size_t i = 0; i < parameters_.size(); ++i) start_.push_back(filled_buffer(parameters_[i], unsigned(i)));
    }

    // Returns whether the run is accepted.
    bool try_group(const std::vector<size_t> &group) const {
        const size_t source = source_of(group);
        std::vector<buffer> before = start_;
        for (const size_t i : group) before[i] = start_[source];
        std::vector<size_t> apart(parameters_.size()), shared(parameters_.size());
        for (size_t i = 0; i < apart.size(); ++i) apart[i] = shared[i] = i;
        for (const size_t i : group) shared[i] = source;
        const contents expected = run(before, apart), got = run(before, shared), of_one = run(before, shared, true);
        EXPECT_EQ(of_one.status, got.status) << op_.name << ", given as one tensor: " << names_of(group);
        EXPECT_TRUE(of_one.buffers == got.buffers) << op_.name << ", given as one tensor: " << names_of(group);
        EXPECT_EQ(expected.status, ACLNN_SUCCESS) << op_.name << ": " << expected.reason;
        for (size_t i = 0; i < parameters_.size(); ++i) {
            const size_t written = got.status == ACLNN_SUCCESS ? output_at(shared, shared[i]) : NONE;
            const buffer &wanted = written == NONE ? before[i] : expected.buffers[is_output(i) ? i : written];
            EXPECT_TRUE(got.buffers[shared[i]] == wanted)
                << op_.name << ": " << parameters_[i].name << " differs with one address for " << names_of(group);
        }
        if (got.status != ACLNN_SUCCESS) expect_clear(got, group);
        return got.status == ACLNN_SUCCESS;
    }

    // By the documents.
    bool may_share(const std::vector<size_t> &group) const {
        for (const size_t a : group)
            for (const size_t b : group) {
                const char one = parameters_[a].use, other = parameters_[b].use;
                if (a == b || one != '>' || other == '!' || other == '-') continue;
                if (other == '>' || !op_.in_place.contains({b, a})) return false;
            }
        return true;
    }

    std::string names_of(const std::vector<size_t> &group) const {
        std::string result;
        for (const size_t i : group) result += parameters_[i].name + " ";
        return result;
    }
    size_t size() const { return parameters_.size(); }
    bool exists(size_t i) const { return parameters_[i].exists(); }
    const char *name() const { return op_.name; }

private:
    static constexpr size_t NONE = ~size_t(0);

    static buffer filled_buffer(const parameter &p, unsigned seed) {
        buffer result(BYTES, 0);
        if (!p.exists()) return result;
        const acl_tensor values(p.dims, p.type);
        values.fill_normal(1, 0.5, seed);
        std::memcpy(result.data(), values.data(), values.count() * aclDataTypeSize(p.type));
        return result;
    }

    // The tensor whose contents the group has: an input, if there is one.
    size_t source_of(const std::vector<size_t> &group) const {
        for (const size_t i : group)
            if (parameters_[i].use == '<') return i;
        return group.front();
    }
    bool is_output(size_t i) const { return parameters_[i].is_output(); }
    size_t output_at(const std::vector<size_t> &places, size_t place) const {
        for (size_t i = 0; i < places.size(); ++i)
            if (places[i] == place && is_output(i)) return i;
        return NONE;
    }

    // Parameters at one place get one aclTensor, if wanted and if they are alike, otherwise an aclTensor each.
    contents run(const std::vector<buffer> &before, const std::vector<size_t> &places, bool as_one = false) const {
        contents result{before, ACLNN_SUCCESS, {}};
        std::vector<acl_owned<aclTensor>> owned;
        std::vector<aclTensor *> tensors;
        for (size_t i = 0; i < parameters_.size(); ++i) {
            const parameter &p = parameters_[i];
            const parameter &first = parameters_[places[i]];
            const bool again = as_one && places[i] < i && p.dims == first.dims && p.type == first.type;
            if (!again) owned.emplace_back(p.exists() ? create(p, result.buffers[places[i]].data()) : nullptr);
            tensors.push_back(again ? tensors[places[i]] : owned.back().get());
        }
        uint64_t bytes = 0;
        aclOpExecutor *executor = nullptr;
        const aclnnStatus first = op_.first(tensors.data(), settings_of(parameters_), &bytes, &executor);
        EXPECT_EQ(first, ACLNN_SUCCESS) << op_.name << aclGetRecentErrMsg();
        (void)aclGetRecentErrMsg();
        result.status = run_exactly(op_.second, bytes, executor);
        if (result.status == ACLNN_SUCCESS) return result;
        const char *reason = aclGetRecentErrMsg();
        result.reason = reason == nullptr ? "" : reason;
        EXPECT_EQ(jitnorm_acl_op_executor_destroy(executor), 0);
        return result;
    }
    static aclTensor *create(const parameter &p, void *data) {
        const dims_t strides = strides_of(p.dims, layout::dense);
        return aclCreateTensor(p.dims.data(), p.dims.size(), p.type, strides.data(), 0, ACL_FORMAT_ND, p.dims.data(),
                               p.dims.size(), data);
    }

    void expect_clear(const contents &got, const std::vector<size_t> &group) const {
        EXPECT_EQ(got.status, INVALID) << op_.name << ": " << got.reason;
        int named = 0;
        for (const size_t i : group) named += got.reason.find(parameters_[i].name) != got.reason.npos;
        EXPECT_GE(named, 2) << op_.name << ", " << names_of(group) << ": " << got.reason;
    }

    const operation &op_;
    std::vector<parameter> parameters_;
    std::vector<buffer> start_;
};

void try_all(const alias_test &test) {
    const auto try_one = [&](const std::vector<size_t> &group) {
        if (!std::all_of(group.begin(), group.end(), [&](size_t i) { return test.exists(i); })) return;
        EXPECT_EQ(test.try_group(group), test.may_share(group)) << test.name() << ": " << test.names_of(group);
    };
    for (size_t a = 0; a < test.size(); ++a)
        for (size_t b = a + 1; b < test.size(); ++b) {
            try_one({a, b});
            for (size_t c = b + 1; c < test.size(); ++c) try_one({a, b, c});
        }
}

TEST(aliases, all_pairs_of_all_calls) {
    for (const jitnorm_cpu_isa_t isa : {jitnorm_cpu_isa_sse41, jitnorm_cpu_isa_default}) {
        ASSERT_EQ(jitnorm_set_max_cpu_isa(isa), jitnorm_success);
        for (const operation &op : OPERATIONS)
            for (const aclDataType type : {ACL_FLOAT, ACL_BF16}) try_all(alias_test(op, type));
    }
}

} // namespace
