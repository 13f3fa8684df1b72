// SPDX-License-Identifier: Apache-2.0
// The same problem through the graph and through the primitive has the same bits: over types, normalized axes (which
// the primitive sees as one), masks.
#include <cstring>
#include <random>

#include "graph_objects.hpp"
#include "math/convert.hpp"
#include "rig/execution.hpp"

namespace jitnorm::tests {
namespace {

using bytes = std::vector<unsigned char>;

struct same_case {
    dims rows, columns;
    jitnorm_data_type_t data, side; // side: gamma, beta and their gradients; statistics are f32
    unsigned seed;

    dims all() const {
        dims result = rows;
        result.insert(result.end(), columns.begin(), columns.end());
        return result;
    }
    static jitnorm_dim_t count(const dims &sizes) {
        jitnorm_dim_t result = 1;
        for (const jitnorm_dim_t size : sizes) result *= size;
        return result;
    }
};

bytes random_bytes(const dims &sizes, jitnorm_data_type_t type, double mean, double deviation, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> distribution(mean, deviation);
    bytes result(size_t(same_case::count(sizes)) * jitnorm_data_type_size(type));
    for (size_t at = 0; at < result.size(); at += jitnorm_data_type_size(type))
        impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
            const Stored value = impl::narrow<Stored>(std::fabs(distribution(generator)));
            std::memcpy(&result[at], &value, sizeof value);
        });
    return result;
}

// One tensor for both doors: the graph's dimensions, and the primitive's.
struct shared_tensor {
    int argument; // of the primitive
    lt described;
    owned_md flat;
    bytes memory;
    bool is_output;
};

class both {
public:
    explicit both(const same_case &c) : c_(c) {}

    void input(int argument, size_t id, const dims &sizes, const dims &flat, jitnorm_data_type_t type, double mean) {
        add(argument, id, sizes, flat, random_bytes(sizes, type, mean, 1, c_.seed + unsigned(id)), type, false);
    }
    void output(int argument, size_t id, const dims &sizes, const dims &flat, jitnorm_data_type_t type) {
        const size_t size = size_t(same_case::count(sizes)) * jitnorm_data_type_size(type);
        add(argument, id, sizes, flat, bytes(size, 0xA5), type, true);
    }

    const_jitnorm_memory_desc_t md(int argument) const { return find(argument).flat; }
    std::vector<lt> described(bool outputs) const {
        std::vector<lt> result;
        for (const shared_tensor &t : tensors_)
            if (t.is_output == outputs) result.push_back(t.described);
        return result;
    }

    // Runs each on memory of its own and compares the outputs.
    void compare(const op_request &request, jitnorm_primitive_desc_t pd) {
        run_graph(request);
        std::vector<bytes> from_graph;
        for (shared_tensor &t : tensors_) {
            from_graph.push_back(t.memory);
            if (t.is_output) std::fill(t.memory.begin(), t.memory.end(), static_cast<unsigned char>(0x5A));
        }
        run_primitive(pd);
        for (size_t i = 0; i < tensors_.size(); ++i)
            EXPECT_TRUE(tensors_[i].memory == from_graph[i]) << "argument " << tensors_[i].argument;
    }

private:
    void add(int argument, size_t id, const dims &sizes, const dims &flat, bytes memory, jitnorm_data_type_t type,
             bool is_output) {
        tensors_.push_back({argument, make_lt(id, sizes, type), make_md(flat, type), std::move(memory), is_output});
    }
    const shared_tensor &find(int argument) const {
        return *std::find_if(tensors_.begin(), tensors_.end(), [&](auto &t) { return t.argument == argument; });
    }

    void run_graph(const op_request &request) {
        const owned_partition partition = request.partition();
        owned_compiled compiled;
        ASSERT_OK(jitnorm_graph_compiled_partition_create(&compiled, partition));
        ASSERT_OK(tests::compile(partition, compiled, request.inputs, request.outputs));
        std::vector<owned_tensor> owners(tensors_.size());
        std::vector<const_jitnorm_graph_tensor_t> handles;
        for (size_t i = 0; i < tensors_.size(); ++i) {
            ASSERT_OK(
                jitnorm_graph_tensor_create(&owners[i], &tensors_[i].described, cpu(), tensors_[i].memory.data()));
            handles.push_back(owners[i]);
        }
        ASSERT_OK(jitnorm_graph_compiled_partition_execute(compiled, make_stream(), handles.size(), handles.data(),
                                                           handles.size(), handles.data()));
    }

    void run_primitive(jitnorm_primitive_desc_t pd) {
        owned_primitive primitive;
        ASSERT_OK(jitnorm_primitive_create(&primitive, pd));
        std::vector<owned_memory> owners;
        std::vector<jitnorm_exec_arg_t> args;
        for (shared_tensor &t : tensors_) {
            owners.push_back(make_memory(t.flat, t.memory.data()));
            args.push_back({t.argument, owners.back()});
        }
        ASSERT_OK(jitnorm_primitive_execute(primitive, make_stream(), int(args.size()), args.data()));
    }

    same_case c_;
    std::vector<shared_tensor> tensors_;
};

std::vector<same_case> cases() {
    std::vector<same_case> result;
    const std::pair<dims, dims> shapes[] = {{{5}, {7}},       {{3, 4}, {37}},      {{6}, {3, 50}}, {{2, 3}, {2, 3, 11}},
                                            {{70}, {16, 16}}, {{2, 2, 2}, {4, 3}}, {{9}, {5000}}};
    for (const auto &[rows, columns] : shapes)
        for (const auto &[data, side] :
             {std::pair{jitnorm_f32, jitnorm_f32}, {jitnorm_bf16, jitnorm_f32}, {jitnorm_f16, jitnorm_f32}})
            result.push_back({rows, columns, data, side, unsigned(result.size())});
    return result;
}

std::string text_of(const same_case &c) {
    return "rank " + std::to_string(c.all().size()) + " columns " + std::to_string(same_case::count(c.columns)) +
           " data " + std::to_string(c.data) + " seed " + std::to_string(c.seed);
}

constexpr float EPSILON = 1e-3F;
constexpr unsigned AFFINE = unsigned(jitnorm_use_scale) | unsigned(jitnorm_use_shift);

TEST(same_bits, forward) {
    for (const same_case &c : cases()) {
        SCOPED_TRACE(text_of(c));
        const jitnorm_dim_t rows = same_case::count(c.rows), columns = same_case::count(c.columns);
        both b(c);
        b.input(JITNORM_ARG_SRC, SRC_ID, c.all(), {rows, columns}, c.data, 3);
        b.input(JITNORM_ARG_SCALE, GAMMA_ID, c.columns, {columns}, c.side, 1);
        b.input(JITNORM_ARG_SHIFT, BETA_ID, c.columns, {columns}, c.side, 0);
        b.output(JITNORM_ARG_DST, DST_ID, c.all(), {rows, columns}, c.data);
        b.output(JITNORM_ARG_MEAN, MEAN_ID, c.rows, {rows}, jitnorm_f32);
        b.output(JITNORM_ARG_VARIANCE, VARIANCE_ID, c.rows, {rows}, jitnorm_f32);
        owned_pd pd;
        ASSERT_OK((forward_request{jitnorm_forward_training, b.md(JITNORM_ARG_SRC), b.md(JITNORM_ARG_DST),
                                   b.md(JITNORM_ARG_MEAN), c.side, EPSILON, AFFINE}
                       .create(&pd)));
        op_request request{jitnorm_graph_op_layer_norm, b.described(false), b.described(true)};
        request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, int64_t(c.rows.size())}};
        request.floats = {{jitnorm_graph_op_attr_epsilon, EPSILON}};
        b.compare(request, pd);
    }
}

TEST(same_bits, rms_norm) {
    for (const same_case &c : cases()) {
        if (c.columns.size() > 1 || c.rows.size() > 4) continue;
        SCOPED_TRACE(text_of(c));
        const jitnorm_dim_t rows = same_case::count(c.rows), columns = same_case::count(c.columns);
        both b(c);
        b.input(JITNORM_ARG_SRC, SRC_ID, c.all(), {rows, columns}, c.data, 3);
        b.input(JITNORM_ARG_SCALE, GAMMA_ID, c.columns, {columns}, c.side, 1);
        b.output(JITNORM_ARG_DST, DST_ID, c.all(), {rows, columns}, c.data);
        owned_pd pd;
        ASSERT_OK((forward_request{jitnorm_forward_inference, b.md(JITNORM_ARG_SRC), b.md(JITNORM_ARG_DST), nullptr,
                                   c.side, EPSILON, unsigned(jitnorm_use_scale) | unsigned(jitnorm_rms_norm)}
                       .create(&pd)));
        op_request request{jitnorm_graph_op_rms_norm, b.described(false), b.described(true)};
        request.floats = {{jitnorm_graph_op_attr_epsilon, EPSILON}};
        b.compare(request, pd);
    }
}

// The inputs and outputs of backward, in the order of the primitive's arguments.
void add_backward(both &b, const same_case &c) {
    const jitnorm_dim_t rows = same_case::count(c.rows), columns = same_case::count(c.columns);
    b.input(JITNORM_ARG_SRC, SRC_ID, c.all(), {rows, columns}, c.data, 3);
    b.input(JITNORM_ARG_DIFF_DST, DIFF_DST_ID, c.all(), {rows, columns}, c.data, 0);
    b.input(JITNORM_ARG_MEAN, MEAN_ID, c.rows, {rows}, jitnorm_f32, 3);
    b.input(JITNORM_ARG_VARIANCE, VARIANCE_ID, c.rows, {rows}, jitnorm_f32, 1);
    b.input(JITNORM_ARG_SCALE, GAMMA_ID, c.columns, {columns}, c.side, 1);
    b.output(JITNORM_ARG_DIFF_SRC, DIFF_SRC_ID, c.all(), {rows, columns}, c.data);
    b.output(JITNORM_ARG_DIFF_SCALE, DIFF_GAMMA_ID, c.columns, {columns}, c.side);
    b.output(JITNORM_ARG_DIFF_SHIFT, DIFF_BETA_ID, c.columns, {columns}, c.side);
}

owned_pd backward_pd(const both &b, const same_case &c) {
    backward_request request{jitnorm_backward,
                             b.md(JITNORM_ARG_DIFF_SRC),
                             b.md(JITNORM_ARG_DIFF_DST),
                             b.md(JITNORM_ARG_SRC),
                             b.md(JITNORM_ARG_MEAN),
                             c.side,
                             c.side,
                             EPSILON,
                             AFFINE};
    owned_pd pd;
    EXPECT_OK(request.create(&pd));
    return pd;
}

TEST(same_bits, backward) {
    for (const same_case &c : cases()) {
        SCOPED_TRACE(text_of(c));
        both b(c);
        add_backward(b, c);
        op_request request{jitnorm_graph_op_layer_norm_backward, b.described(false), b.described(true)};
        request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, -int64_t(c.columns.size())}};
        request.floats = {{jitnorm_graph_op_attr_epsilon, EPSILON}};
        b.compare(request, backward_pd(b, c));
        request.kind = jitnorm_graph_op_layer_norm_backprop;
        b.compare(request, backward_pd(b, c));
    }
}

TEST(same_bits, layer_norm_grad) {
    for (const same_case &c : cases()) {
        SCOPED_TRACE(text_of(c));
        both b(c);
        add_backward(b, c);
        const std::vector<lt> inputs = b.described(false); // src, diff_dst, mean, variance, gamma
        op_request request{jitnorm_graph_op_layer_norm_grad,
                           {inputs[1], inputs[0], inputs[3], inputs[2], inputs[4]},
                           b.described(true)};
        request.floats = {{jitnorm_graph_op_attr_epsilon, EPSILON}};
        b.compare(request, backward_pd(b, c));
    }
}

} // namespace
} // namespace jitnorm::tests
