// SPDX-License-Identifier: Apache-2.0
// jitnorm_graph.hpp: the C++ interface of the graph operations. Programs include only this header. It needs C++11, and
// a program links with the library only.
//
// It is a thin layer over jitnorm_graph.h, which describes the functions. Names and signatures mirror dnnl_graph.hpp.
// Most programs can be moved over by `namespace dnnl = jitnorm;`.
#ifndef JITNORM_GRAPH_HPP
#define JITNORM_GRAPH_HPP

#include <utility>

#include "jitnorm/jitnorm_graph_op.hpp"
#include "jitnorm/jitnorm_memory.hpp"

namespace jitnorm {

namespace graph {

using engine = jitnorm::engine;
using stream = jitnorm::stream;
using fpmath_mode = jitnorm::fpmath_mode;

enum class status {
    success = jitnorm_success,
    out_of_memory = jitnorm_out_of_memory,
    invalid_arguments = jitnorm_invalid_arguments,
    unimplemented = jitnorm_unimplemented,
    last_impl_reached = jitnorm_last_impl_reached,
    runtime_error = jitnorm_runtime_error,
    not_required = jitnorm_not_required,
    invalid_graph = jitnorm_invalid_graph,
    invalid_graph_op = jitnorm_invalid_graph_op,
    invalid_shape = jitnorm_invalid_shape,
    invalid_data_type = jitnorm_invalid_data_type
};

class tensor : public handle<jitnorm_graph_tensor_t> {
public:
    using handle::handle;
    tensor() = default;

    // data has the meaning of handle in jitnorm_graph_tensor_create.
    tensor(const logical_tensor &lt, const engine &on, void *data) {
        create("could not create a tensor", jitnorm_graph_tensor_create, &lt.c_data(), on.get(), data);
    }
    tensor(const logical_tensor &lt, const engine &on) : tensor(lt, on, JITNORM_MEMORY_ALLOCATE) {}

    // Copies the value that data points to. See jitnorm_graph_tensor_create_scalar.
    static tensor make_scalar_tensor(const logical_tensor &lt, const void *data) {
        tensor made;
        made.create("could not create a tensor of one value", jitnorm_graph_tensor_create_scalar, &lt.c_data(), data);
        return made;
    }

    void *get_data_handle() const {
        return ask(jitnorm_graph_tensor_get_data_handle, "could not get the data handle of a tensor");
    }
    void set_data_handle(void *data) {
        error::wrap_c_api(jitnorm_graph_tensor_set_data_handle(get(), data),
                          "could not set the data handle of a tensor");
    }
    engine get_engine() const {
        return engine(ask(jitnorm_graph_tensor_get_engine, "could not get the engine of a tensor"), true);
    }
    logical_tensor get_logical_tensor() const {
        return logical_tensor(
            ask(jitnorm_graph_tensor_get_logical_tensor, "could not get the logical tensor of a tensor"));
    }
};

class compiled_partition : public handle<jitnorm_graph_compiled_partition_t> {
public:
    using handle::handle;
    compiled_partition() = default;
    compiled_partition(jitnorm_graph_compiled_partition_t taken_over) : handle(taken_over) {}

    logical_tensor query_logical_tensor(size_t tid) const {
        jitnorm_graph_logical_tensor_t result;
        error::wrap_c_api(jitnorm_graph_compiled_partition_query_logical_tensor(get(), tid, &result),
                          "could not query a logical tensor of a compiled partition");
        return logical_tensor(result);
    }

    // Each pair has the ids of an input and of an output that may share memory.
    std::vector<std::pair<size_t, size_t>> get_inplace_ports() const {
        size_t count = 0;
        const jitnorm_graph_inplace_pair_t *pairs = nullptr;
        error::wrap_c_api(jitnorm_graph_compiled_partition_get_inplace_ports(get(), &count, &pairs),
                          "could not get the in-place ports of a compiled partition");
        std::vector<std::pair<size_t, size_t>> result;
        for (size_t i = 0; i < count; ++i) result.emplace_back(pairs[i].input_id, pairs[i].output_id);
        return result;
    }

    // Describes the scratchpad that execute() may be given. It has 0 bytes if none is needed.
    logical_tensor get_scratchpad_logical_tensor() const {
        return logical_tensor(ask(jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor,
                                  "could not get the scratchpad of a compiled partition"));
    }

    // The library uses its own scratchpad if none is given.
    void execute(stream &on, const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
                 const tensor &scratchpad = tensor()) const {
        const std::vector<const_jitnorm_graph_tensor_t> ins = handles_of(inputs), outs = handles_of(outputs);
        error::wrap_c_api(jitnorm_graph_compiled_partition_execute_v2(
                              get(), on.get(), ins.size(), const_cast<const_jitnorm_graph_tensor_t *>(ins.data()),
                              outs.size(), const_cast<const_jitnorm_graph_tensor_t *>(outs.data()),
                              scratchpad.get(true)),
                          "could not execute a compiled partition");
    }

private:
    static std::vector<const_jitnorm_graph_tensor_t> handles_of(const std::vector<tensor> &tensors) {
        std::vector<const_jitnorm_graph_tensor_t> result;
        result.reserve(tensors.size());
        for (const tensor &t : tensors) result.push_back(t.get());
        return result;
    }
};

class partition : public handle<jitnorm_graph_partition_t> {
public:
    enum class policy { fusion = jitnorm_graph_partition_policy_fusion, debug = jitnorm_graph_partition_policy_debug };

    using handle::handle;
    partition() = default;
    partition(jitnorm_graph_partition_t taken_over) : handle(taken_over) {}
    partition(const op &of, engine::kind kind) {
        create("could not create a partition", jitnorm_graph_partition_create_with_op, of.get(),
               static_cast<jitnorm_engine_kind_t>(kind));
    }

    size_t get_ops_num() const { return query<size_t>(jitnorm_graph_partition_get_op_num); }
    std::vector<size_t> get_ops() const {
        std::vector<size_t> ids(get_ops_num());
        error::wrap_c_api(jitnorm_graph_partition_get_ops(get(), ids.size(), ids.data()),
                          "could not get the operations of a partition");
        return ids;
    }
    size_t get_id() const { return query<size_t>(jitnorm_graph_partition_get_id); }
    bool is_supported() const { return query<uint8_t>(jitnorm_graph_partition_is_supported) != 0; }
    engine::kind get_engine_kind() const {
        return static_cast<engine::kind>(query<jitnorm_engine_kind_t>(jitnorm_graph_partition_get_engine_kind));
    }
    std::vector<logical_tensor> get_input_ports() const {
        return ports(jitnorm_graph_partition_get_input_ports_num, jitnorm_graph_partition_get_input_ports);
    }
    std::vector<logical_tensor> get_output_ports() const {
        return ports(jitnorm_graph_partition_get_output_ports_num, jitnorm_graph_partition_get_output_ports);
    }

    // Throws invalid_arguments if the partition is not supported.
    compiled_partition compile(const std::vector<logical_tensor> &inputs, const std::vector<logical_tensor> &outputs,
                               const engine &on) const {
        if (!is_supported()) throw error(jitnorm_invalid_arguments, "the partition is not supported");
        std::vector<const jitnorm_graph_logical_tensor_t *> ins = pointers_to(inputs), outs = pointers_to(outputs);
        jitnorm_graph_compiled_partition_t result;
        error::wrap_c_api(jitnorm_graph_compiled_partition_create(&result, get()),
                          "could not create a compiled partition");
        compiled_partition compiled(result);
        error::wrap_c_api(
            jitnorm_graph_partition_compile(get(), result, ins.size(), ins.data(), outs.size(), outs.data(), on.get()),
            "could not compile a partition");
        return compiled;
    }

private:
    template <typename T>
    T query(jitnorm_status_t (*what)(const_jitnorm_graph_partition_t, T *)) const {
        T result;
        error::wrap_c_api(what(get(), &result), "could not query a partition");
        return result;
    }
    std::vector<logical_tensor> ports(jitnorm_status_t (*count)(const_jitnorm_graph_partition_t, size_t *),
                                      jitnorm_status_t (*what)(const_jitnorm_graph_partition_t, size_t,
                                                               jitnorm_graph_logical_tensor_t *)) const {
        std::vector<jitnorm_graph_logical_tensor_t> found(query<size_t>(count));
        if (found.empty()) return {};
        error::wrap_c_api(what(get(), found.size(), found.data()), "could not get the ports of a partition");
        std::vector<logical_tensor> result;
        for (const jitnorm_graph_logical_tensor_t &lt : found) result.emplace_back(lt);
        return result;
    }
    static std::vector<const jitnorm_graph_logical_tensor_t *> pointers_to(const std::vector<logical_tensor> &tensors) {
        std::vector<const jitnorm_graph_logical_tensor_t *> result;
        result.reserve(tensors.size());
        for (const logical_tensor &t : tensors) result.push_back(&t.c_data());
        return result;
    }
};

class graph : public handle<jitnorm_graph_graph_t> {
public:
    using handle::handle;
    graph() = default;
    graph(engine::kind kind, fpmath_mode mode = fpmath_mode::strict) {
        create("could not create a graph", jitnorm_graph_graph_create_with_fpmath_mode,
               static_cast<jitnorm_engine_kind_t>(kind), convert(mode));
    }

    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::wrap_c_api(jitnorm_graph_graph_set_fpmath_mode(get(), convert(mode), apply_to_int),
                          "could not set the floating-point mode of a graph");
    }
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        jitnorm_fpmath_mode_t c_mode;
        int c_apply_to_int;
        error::wrap_c_api(jitnorm_graph_graph_get_fpmath_mode(get(), &c_mode, &c_apply_to_int),
                          "could not get the floating-point mode of a graph");
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply_to_int != 0;
    }

    // If allow_exception is false, a failure is returned and not thrown.
    status add_op(const op &added, bool allow_exception = true) {
        const jitnorm_status_t result = jitnorm_graph_add_op(get(), added.get());
        if (allow_exception) error::wrap_c_api(result, "could not add an operation to a graph");
        return static_cast<status>(result);
    }
    void finalize() { error::wrap_c_api(jitnorm_graph_graph_finalize(get()), "could not finalize a graph"); }
    bool is_finalized() const { return ask(jitnorm_graph_graph_is_finalized, "could not query a graph") != 0; }

    std::vector<partition> get_partitions(partition::policy policy = partition::policy::fusion) {
        error::wrap_c_api(jitnorm_graph_graph_filter(get(), static_cast<jitnorm_graph_partition_policy_t>(policy)),
                          "could not cut a graph into partitions");
        size_t count = 0;
        error::wrap_c_api(jitnorm_graph_graph_get_partition_num(get(), &count),
                          "could not get the number of a graph's partitions");
        if (count == 0) return {};
        std::vector<jitnorm_graph_partition_t> found(count);
        error::wrap_c_api(jitnorm_graph_graph_get_partitions(get(), count, found.data()),
                          "could not get a graph's partitions");
        return std::vector<partition>(found.begin(), found.end());
    }

private:
    static jitnorm_fpmath_mode_t convert(fpmath_mode v) { return static_cast<jitnorm_fpmath_mode_t>(v); }
};

} // namespace graph
} // namespace jitnorm

#endif
