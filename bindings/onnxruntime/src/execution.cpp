// SPDX-License-Identifier: Apache-2.0
#include "execution.hpp"

#include <algorithm>
#include <cstdlib>

namespace jitnorm_onnxruntime {

namespace {

using jitnorm::memory;
using type = memory::data_type;

constexpr int ARGUMENTS[ROLES] = {JITNORM_ARG_SRC,   JITNORM_ARG_SRC_1,    JITNORM_ARG_BIAS,
                                  JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT,    JITNORM_ARG_DST,
                                  JITNORM_ARG_MEAN,  JITNORM_ARG_VARIANCE, JITNORM_ARG_DST_1};

// A failure becomes a status. Therefore the library does not print failures, unless the user sets JITNORM_VERBOSE.
const jitnorm::engine &cpu() {
    static const jitnorm::engine engine = [] {
        if (std::getenv("JITNORM_VERBOSE") == nullptr) jitnorm_set_verbose(0);
        return jitnorm::engine(jitnorm::engine::kind::cpu, 0);
    }();
    return engine;
}

type type_of(const tensor &of) {
    switch (of.type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
        return type::f16;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
        return type::bf16;
    default:
        return type::f32;
    }
}

// The size of the dimension that is aligned with dimension d of `rank` dimensions.
int64_t aligned(const shape &of, size_t d, size_t rank) {
    return d + of.rank < rank ? 1 : of.sizes[d + of.rank - rank];
}

// As NumPy broadcasts.
shape broadcast(const shape &a, const shape &b) {
    shape both;
    both.rank = std::max(a.rank, b.rank);
    for (size_t d = 0; d < both.rank; ++d) {
        const int64_t one = aligned(a, d, both.rank), other = aligned(b, d, both.rank);
        if (one != other && one != 1 && other != 1)
            throw failure(ORT_INVALID_ARGUMENT, "the shapes of the two addends do not fit together");
        both.sizes[d] = one == 1 ? other : one;
    }
    return both;
}

// The dimensions of a primitive, with the strides of X and SKIP: rows, in as few dimensions as repeated rows allow, and
// columns.
struct layout {
    memory::dims sizes, x, skip;
    memory::dims dense(size_t ndims) const {
        memory::dims strides(ndims, 1);
        for (size_t d = ndims - 1; d-- > 0;) strides[d] = strides[d + 1] * sizes[d + 1];
        return strides;
    }
};

layout find_layout(const shape &x, const shape &skip, const shape &all, size_t row_rank, int64_t columns) {
    layout found{{columns}, {1}, {1}};
    int64_t stride_of_x = columns, stride_of_skip = columns;
    bool repeats_x = false, repeats_skip = false;
    for (size_t d = row_rank; d-- > 0;) {
        const int64_t size = all.sizes[d];
        if (size == 1) continue;
        const bool repeated_x = aligned(x, d, all.rank) == 1, repeated_skip = aligned(skip, d, all.rank) == 1;
        if (found.sizes.size() > 1 && repeated_x == repeats_x && repeated_skip == repeats_skip) {
            found.sizes.front() *= size;
        } else {
            found.sizes.insert(found.sizes.begin(), size);
            found.x.insert(found.x.begin(), repeated_x ? 0 : stride_of_x);
            found.skip.insert(found.skip.begin(), repeated_skip ? 0 : stride_of_skip);
        }
        repeats_x = repeated_x;
        repeats_skip = repeated_skip;
        if (!repeated_x) stride_of_x *= size;
        if (!repeated_skip) stride_of_skip *= size;
    }
    if (found.sizes.size() == 1) return {{1, columns}, {columns, 1}, {columns, 1}};
    return found;
}

// Each addend must have all columns, whatever the model says of it: no column is repeated.
void check_columns(const norm &of, const shape &addend) {
    const size_t last = of.normalized.size();
    if (addend.rank < last || !std::equal(of.normalized.begin(), of.normalized.end(),
                                          addend.sizes.begin() + std::ptrdiff_t(addend.rank - last)))
        throw failure(ORT_INVALID_ARGUMENT, "what is normalized does not have the scale's shape");
}

// An operator with a skip has rows in two or three dimensions, and its skip may be one sequence for a batch of them.
void check_skip(const shape &x, const shape &skip) {
    const bool is_one_sequence =
        x.rank == 3 && (skip.rank == 2 || (skip.rank == 3 && skip.sizes[0] == 1)) &&
        std::equal(x.sizes.begin() + 1, x.sizes.begin() + 3, skip.sizes.begin() + (skip.rank - 2));
    if ((x.rank != 2 && x.rank != 3) || (!(skip == x) && !is_one_sequence))
        throw failure(ORT_INVALID_ARGUMENT, "skip has neither the input's shape, of 2 or 3 dimensions, nor that of "
                                            "one sequence of an input of 3 dimensions");
}

bool wants_statistics(const norm &of) { return of[MEAN].exists() || of[RSTD].exists(); }

jitnorm::primitive_desc_base describe(const norm &of, const layout &rows) {
    using jitnorm::normalization_flags;
    const size_t ndims = rows.sizes.size();
    const auto dense = [&](role r) { return memory::desc(rows.sizes, type_of(of[r]), rows.dense(ndims)); };
    const memory::desc src(rows.sizes, type_of(of[X]), rows.x);
    const memory::desc statistics(memory::dims(rows.sizes.begin(), rows.sizes.end() - 1), type::f32,
                                  rows.dense(ndims - 1));
    auto flags = normalization_flags::use_scale | normalization_flags::inverse_deviation;
    if (of.what->rms) flags = flags | normalization_flags::rms_norm;
    if (of[SHIFT].exists()) flags = flags | normalization_flags::use_shift;
    jitnorm::primitive_attr attr;
    if (of[SKIP].exists())
        attr.set_residual(memory::desc(rows.sizes, type_of(of[SKIP]), rows.skip),
                          of[SUM].exists() ? dense(SUM) : memory::desc(),
                          of[BIAS].exists() ? type_of(of[BIAS]) : type::undef);
    return jitnorm::layer_normalization_forward::primitive_desc(
        cpu(), wants_statistics(of) ? jitnorm::prop_kind::forward_training : jitnorm::prop_kind::forward_inference, src,
        dense(Y), statistics, type_of(of[SCALE]), of.epsilon, flags, attr);
}

} // namespace

shape::shape(const dims &from) : rank(from.size()) {
    if (rank > MAX_RANK) throw failure(ORT_NOT_IMPLEMENTED, "more than 8 dimensions");
    std::transform(from.begin(), from.end(), sizes.begin(), [](int64_t size) { return size < 0 ? 1 : size; });
}

execution::execution(const runtime &ort, const norm &of, const shape &x, const shape &skip, int threads)
    : ort_(ort), x_(x), skip_(skip), output_(of[SKIP].exists() ? broadcast(x, skip) : x), statistics_(output_),
      stream_(cpu(), jitnorm::thread_pool{run_on_session, this, threads}) {
    check_columns(of, x);
    if (of[SKIP].exists()) check_columns(of, skip);
    if (of.what->inputs[1] == SKIP) check_skip(x, skip);
    const size_t row_rank = output_.rank - of.normalized.size();
    std::fill(statistics_.sizes.begin() + row_rank, statistics_.sizes.begin() + output_.rank, 1);
    int64_t columns = 1;
    for (const int64_t size : of.normalized) columns *= size;
    const layout rows = find_layout(x, of[SKIP].exists() ? skip : x, output_, row_rank, columns);
    const jitnorm::primitive_desc_base described = describe(of, rows);
    primitive_ = jitnorm::primitive(described.get());
    for (int r = 0; r < ROLES; ++r) {
        if (r == MEAN && of.what->rms) continue;
        const memory::desc md = described.query_md(jitnorm::query::exec_arg_md, ARGUMENTS[r]);
        if (md.get_ndims() == 0) continue;
        memories_.emplace_back(md, cpu(), static_cast<void *>(JITNORM_MEMORY_NONE));
        arguments_.push_back({ARGUMENTS[r], memories_.back().get()});
        roles_.push_back(role(r));
        if (!is_input(r) && !of.tensors[r].exists()) spare_[size_t(r)].resize(md.get_size());
    }
}

void execution::run(OrtKernelContext *context, const pointers &data) {
    context_ = context;
    for (size_t i = 0; i < roles_.size(); ++i) {
        const role r = roles_[i];
        void *handle = data[r] != nullptr || spare_[r].empty() ? data[r] : spare_[r].data();
        jitnorm_memory_set_data_handle(arguments_[i].memory, handle);
    }
    jitnorm::error::wrap_c_api(
        jitnorm_primitive_execute(primitive_.get(), stream_.get(), int(arguments_.size()), arguments_.data()),
        "could not execute a normalization");
}

void execution::run_on_session(void *self, int count, void (*body)(void *argument, int index), void *argument) {
    struct {
        void (*body)(void *argument, int index);
        void *argument;
    } work = {body, argument};
    auto *const mine = static_cast<execution *>(self);
    const auto run_one = [](void *given, size_t index) {
        const auto *const one = static_cast<decltype(work) *>(given);
        one->body(one->argument, int(index));
    };
    OrtStatus *status = mine->ort_->KernelContext_ParallelFor(mine->context_, run_one, size_t(count), 0, &work);
    if (status == nullptr) return;
    mine->ort_->ReleaseStatus(status); // it has run nothing
    for (int index = 0; index < count; ++index) body(argument, index);
}

} // namespace jitnorm_onnxruntime
