// SPDX-License-Identifier: Apache-2.0
// work: the gradients of a layer normalization through the C interface, for moments at which a test framework is not
// there yet, or no longer. Whatever goes wrong ends the process with status 1 and a line on standard error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include <unistd.h>

#include "jitnorm/jitnorm.h"

namespace jitnorm::tests {

inline void need(bool fine, const char *what) {
    if (fine) return;
    std::fprintf(stderr, "failed: %s\n", what);
    _exit(1);
}

inline void need(jitnorm_status_t status, const char *what) { need(status == jitnorm_success, what); }

// Large enough for several threads and a scratchpad of some hundred KB, which is memory that the system takes back as
// soon as it is freed: whoever uses it later crashes.
class work {
public:
    explicit work(jitnorm_data_type_t type = jitnorm_f32, unsigned flags = jitnorm_use_scale | jitnorm_use_shift,
                  jitnorm_dim_t rows = 1024, jitnorm_dim_t columns = 515)
        : src_(size_t(rows * columns * 4)), diff_dst_(src_.size()), statistics_(size_t(rows), 1),
          scale_(size_t(columns), 2) {
        const jitnorm_dim_t dims[] = {rows, columns};
        jitnorm_memory_desc_t data = nullptr;
        need(jitnorm_engine_create(&engine_, jitnorm_cpu, 0), "engine");
        need(jitnorm_stream_create(&stream_, engine_, jitnorm_stream_default_flags), "stream");
        need(jitnorm_memory_desc_create_with_tag(&data, 2, dims, type, jitnorm_ab), "memory descriptor");
        need(jitnorm_layer_normalization_backward_primitive_desc_create(&desc_, engine_, jitnorm_backward, data, data,
                                                                        data, nullptr, 1e-5F, flags, nullptr, nullptr),
             "primitive descriptor");
        need(jitnorm_primitive_create(&primitive_, desc_), "primitive");
        need(jitnorm_memory_desc_destroy(data), "end of the memory descriptor");
        fill();
    }
    work(const work &) = delete;
    work &operator=(const work &) = delete;
    ~work() {
        need(jitnorm_primitive_destroy(primitive_), "end of the primitive");
        need(jitnorm_primitive_desc_destroy(desc_), "end of the descriptor");
        need(jitnorm_stream_destroy(stream_), "end of the stream");
        need(jitnorm_engine_destroy(engine_), "end of the engine");
    }

    // All gradients' bytes, one after the other.
    std::vector<unsigned char> run() { return run_on(stream_); }
    std::vector<unsigned char> run_on(jitnorm_stream_t stream) {
        std::vector<unsigned char> diff_src(src_.size());
        std::vector<float> diff_scale(scale_.size()), diff_shift(scale_.size());
        std::vector<jitnorm_exec_arg_t> args;
        add(args, JITNORM_ARG_SRC, src_.data());
        add(args, JITNORM_ARG_DIFF_DST, diff_dst_.data());
        add(args, JITNORM_ARG_MEAN, statistics_.data());
        add(args, JITNORM_ARG_VARIANCE, statistics_.data());
        add(args, JITNORM_ARG_SCALE, scale_.data());
        add(args, JITNORM_ARG_DIFF_SRC, diff_src.data());
        add(args, JITNORM_ARG_DIFF_SCALE, diff_scale.data());
        add(args, JITNORM_ARG_DIFF_SHIFT, diff_shift.data());
        need(jitnorm_primitive_execute(primitive_, stream, int(args.size()), args.data()), "execution");
        for (const jitnorm_exec_arg_t &a : args) need(jitnorm_memory_destroy(a.memory), "end of a memory");
        for (const auto *sums : {&diff_scale, &diff_shift}) {
            const auto *bytes = reinterpret_cast<const unsigned char *>(sums->data());
            diff_src.insert(diff_src.end(), bytes, bytes + sums->size() * sizeof(float));
        }
        return diff_src;
    }

    int64_t scratchpad_bytes() const {
        int64_t result = 0;
        need(jitnorm_primitive_desc_query(desc_, jitnorm_query_memory_consumption_s64, 0, &result), "query");
        return result;
    }
    const char *implementation() const {
        const char *result = nullptr;
        need(jitnorm_primitive_desc_query(desc_, jitnorm_query_impl_info_str, 0, &result), "query");
        return result;
    }
    jitnorm_engine_t engine() const { return engine_; }

private:
    // Moderate positive numbers in f32, bf16 and f16 alike.
    void fill() {
        uint32_t state = 1;
        for (auto *bytes : {&src_, &diff_dst_})
            for (size_t i = 0; i < bytes->size(); ++i) {
                state = state * 1664525 + 1013904223;
                (*bytes)[i] = (i & 1) != 0 ? 0x3f : (unsigned char)(state >> 24);
            }
    }

    // Tensors that this primitive does not have are left out.
    void add(std::vector<jitnorm_exec_arg_t> &args, int argument, void *data) {
        const auto *md = jitnorm_primitive_desc_query_md(desc_, jitnorm_query_exec_arg_md, argument);
        int ndims = 0;
        need(jitnorm_memory_desc_query(md, jitnorm_query_ndims_s32, &ndims), "query");
        if (ndims == 0) return;
        jitnorm_memory_t memory = nullptr;
        need(jitnorm_memory_create(&memory, md, engine_, data), "memory");
        args.push_back({argument, memory});
    }

    jitnorm_engine_t engine_ = nullptr;
    jitnorm_stream_t stream_ = nullptr;
    jitnorm_primitive_desc_t desc_ = nullptr;
    jitnorm_primitive_t primitive_ = nullptr;
    std::vector<unsigned char> src_, diff_dst_;
    std::vector<float> statistics_, scale_;
};

} // namespace jitnorm::tests
