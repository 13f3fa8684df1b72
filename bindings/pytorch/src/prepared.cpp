// SPDX-License-Identifier: Apache-2.0
#include "prepared.hpp"

#include <cstring>
#include <memory>

namespace jitnorm_torch {

namespace {

using jitnorm::memory;

constexpr int ARGUMENTS[SLOTS] = {JITNORM_ARG_SRC,
                                  JITNORM_ARG_DST,
                                  JITNORM_ARG_MEAN,
                                  JITNORM_ARG_VARIANCE,
                                  JITNORM_ARG_SCALE,
                                  JITNORM_ARG_SHIFT,
                                  JITNORM_ARG_DIFF_DST,
                                  JITNORM_ARG_DIFF_SRC,
                                  JITNORM_ARG_DIFF_SCALE,
                                  JITNORM_ARG_DIFF_SHIFT,
                                  JITNORM_ARG_SRC_1,
                                  JITNORM_ARG_DST_1,
                                  JITNORM_ARG_DIFF_DST_1,
                                  JITNORM_ARG_ROW_SUMS,
                                  JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1,
                                  JITNORM_ARG_ATTR_MULTIPLE_POST_OP(1) | JITNORM_ARG_SRC_1,
                                  JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST};

memory::desc data_desc(const request &asked, int tensor) {
    const rows &data = asked.data;
    const int64_t own[] = {asked.type, asked.result_type, asked.residual_type, asked.sum_type};
    return {memory::dims(data.dims, data.dims + data.ndims),
            memory::data_type(own[tensor] != 0 ? own[tensor] : asked.type),
            memory::dims(data.strides[tensor], data.strides[tensor] + data.ndims)};
}

// Statistics are dense: one element for each row, in the order of the rows.
memory::desc statistics_desc(const request &asked) {
    const memory::dims dims(asked.data.dims, asked.data.dims + asked.data.ndims - 1);
    memory::dims strides(dims.size());
    int64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0; stride *= std::max<int64_t>(dims[d], 1)) strides[d] = stride;
    return {dims, memory::data_type::f32, strides};
}

double epsilon_of(const request &asked) {
    double value;
    std::memcpy(&value, &asked.epsilon, sizeof value);
    return value;
}

bool is_forward(const request &asked) {
    return asked.kind == jitnorm_forward_inference || asked.kind == jitnorm_forward_training;
}

// A tensor with the rows' dimensions, but 1 for those along which `sized`, the tensor itself or its gradient, has a
// stride of 0.
memory::desc broadcast_desc(const request &asked, int64_t type, int tensor, int sized) {
    const rows &data = asked.data;
    memory::dims dims(data.dims, data.dims + data.ndims);
    for (int64_t d = 0; d < data.ndims - 1; ++d)
        if (data.strides[sized][d] == 0) dims[size_t(d)] = 1;
    return {dims, memory::data_type(type), memory::dims(data.strides[tensor], data.strides[tensor] + data.ndims)};
}

// Backward reads no shift, but asks for the dimensions of its gradient.
void set_row_attributes(const request &asked, jitnorm::primitive_attr &attr) {
    const bool forward = is_forward(asked), has_scale = (asked.flags & jitnorm_use_scale) != 0;
    int next = !forward ? 3 : asked.adds != 0 ? 3 : 2;
    const int gradient = asked.kind == jitnorm_backward ? next + int(has_scale) : -1;
    const auto describe = [&](int tensor) {
        return broadcast_desc(asked, asked.affine_type, tensor, gradient < 0 ? tensor : gradient);
    };
    memory::desc scale, shift;
    if (has_scale) scale = describe(next++);
    if ((asked.flags & jitnorm_use_shift) != 0) shift = describe(next++);
    attr.set_scale_shift_descs(scale, shift);
    jitnorm::post_ops after;
    for (size_t i = 0; i < 2 && asked.operations[i] != 0; ++i, ++next)
        after.append_binary(jitnorm::algorithm(asked.operations[i]),
                            broadcast_desc(asked, asked.operand_types[i], next, next));
    attr.set_post_ops(after);
}

void set_scales(const request &asked, jitnorm::primitive_attr &attr) {
    if (asked.quantizes == 1) attr.set_scales_mask(JITNORM_ARG_DST, 0);
    if (asked.quantizes == 2)
        attr.set_scales(JITNORM_ARG_DST, (1 << (asked.data.ndims - 1)) - 1, {}, memory::data_type::f32, false,
                        jitnorm::quantization_mode::dynamic_amax);
}

// The epsilon of float64, the scales, and the residual. Asks for a sum to be normalized as it is stored, after
// rounding. So the bits are those of PyTorch's addition followed by a normalization.
jitnorm::primitive_attr attributes_of(const request &asked) {
    jitnorm::primitive_attr attr;
    if (is_forward(asked) && asked.type == jitnorm_f64) attr.set_epsilon(epsilon_of(asked));
    if (asked.by_rows != 0) set_row_attributes(asked, attr);
    set_scales(asked, attr);
    if (asked.adds == 0) return attr;
    if (asked.adds == 2) {
        attr.set_residual(data_desc(asked, 2), {}, memory::data_type::undef, jitnorm::residual_flags::mul_silu);
        return attr;
    }
    const memory::desc first = data_desc(asked, is_forward(asked) ? 2 : 3), sum = data_desc(asked, 3);
    jitnorm::error::wrap_c_api(jitnorm_primitive_attr_set_residual(attr.get(), first.get(), sum.get(),
                                                                   jitnorm_data_type_undef,
                                                                   jitnorm_residual_normalize_rounded),
                               "could not describe a residual");
    return attr;
}

jitnorm::primitive_desc_base describe_partial(const request &asked) {
    const memory::desc src = data_desc(asked, 0), diff_dst = data_desc(asked, 1), diff_src = data_desc(asked, 2);
    jitnorm_primitive_desc_t made = nullptr;
    jitnorm::error::wrap_c_api(jitnorm_layer_normalization_partial_backward_primitive_desc_create(
                                   &made, cpu().get(), diff_src.get(), diff_dst.get(), src.get(),
                                   statistics_desc(asked).get(), jitnorm_data_type_t(asked.affine_type),
                                   float(epsilon_of(asked)), unsigned(asked.flags), asked.first_row, asked.all_rows,
                                   nullptr),
                               "could not describe the gradients of some rows");
    return jitnorm::primitive_desc_base(made);
}

jitnorm::primitive_desc_base describe_columns(const request &asked) {
    const memory::desc src = data_desc(asked, 0);
    jitnorm_primitive_desc_t made = nullptr;
    if (asked.moments != 0) {
        jitnorm::error::wrap_c_api(
            jitnorm_layer_normalization_partial_statistics_primitive_desc_create(
                &made, cpu().get(), src.get(), unsigned(asked.flags), asked.first_column, asked.all_columns, nullptr),
            "could not describe the moments of some columns");
    } else {
        const memory::desc dst = data_desc(asked, 1);
        const jitnorm::primitive_attr attr = attributes_of(asked);
        jitnorm::error::wrap_c_api(jitnorm_layer_normalization_partial_forward_primitive_desc_create(
                                       &made, cpu().get(), jitnorm_forward_inference, src.get(), dst.get(), nullptr,
                                       jitnorm_data_type_t(asked.affine_type), float(epsilon_of(asked)),
                                       unsigned(asked.flags), asked.first_column, asked.all_columns, attr.get()),
                                   "could not describe the normalization of some columns");
    }
    return jitnorm::primitive_desc_base(made);
}

jitnorm::primitive_desc_base describe(const request &asked) {
    using jitnorm::layer_normalization_backward;
    using jitnorm::layer_normalization_forward;
    const auto kind = jitnorm::prop_kind(asked.kind);
    const auto flags = jitnorm::normalization_flags(asked.flags);
    const auto affine = memory::data_type(asked.affine_type);
    const auto gradients = asked.gradient_type != 0 ? memory::data_type(asked.gradient_type) : affine;
    if (asked.all_rows >= 0) return describe_partial(asked);
    if (asked.all_columns >= 0) return describe_columns(asked);
    if (is_forward(asked))
        return layer_normalization_forward::primitive_desc(cpu(), kind, data_desc(asked, 0), data_desc(asked, 1),
                                                           statistics_desc(asked), affine, float(epsilon_of(asked)),
                                                           flags, attributes_of(asked));
    return layer_normalization_backward::primitive_desc(cpu(), kind, data_desc(asked, 2), data_desc(asked, 1),
                                                        data_desc(asked, 0), statistics_desc(asked), gradients, affine,
                                                        float(epsilon_of(asked)), flags, {}, attributes_of(asked));
}

// Whether the primitive uses the tensor. It accepts a mean with rms_norm and a shift in backward, but ignores them.
bool is_looked_at(const request &asked, int slot) {
    if (slot == MEAN) return (asked.flags & jitnorm_rms_norm) == 0;
    return slot != SHIFT || is_forward(asked);
}

size_t hash_of(const request &asked) {
    constexpr uint64_t ODD = 0x9e3779b97f4a7c15u;
    uint64_t words[sizeof(request) / sizeof(uint64_t)], factor = ODD, hash = 0;
    std::memcpy(words, &asked, sizeof asked);
    for (const uint64_t word : words) { // no product depends on another, so that they are computed side by side
        hash += (word ^ (word >> 32)) * factor;
        factor += 2 * ODD;
    }
    return size_t(hash >> 32);
}

} // namespace

static_assert(sizeof(request) % sizeof(uint64_t) == 0);

void request::set_epsilon(double value) {
    if (type != jitnorm_f64) value = double(float(value));
    std::memcpy(&epsilon, &value, sizeof value);
}

prepared::prepared(const request &asked) : elements_(asked.data.elements()) {
    const jitnorm::primitive_desc_base described = describe(asked);
    primitive_ = jitnorm::primitive(described.get());
    for (int slot = 0; slot < SLOTS; ++slot) {
        if (!is_looked_at(asked, slot)) continue;
        const memory::desc md = described.query_md(jitnorm::query::exec_arg_md, ARGUMENTS[slot]);
        if (md.get_ndims() == 0) continue;
        memories_.emplace_back(md, cpu(), static_cast<void *>(JITNORM_MEMORY_NONE));
        arguments_.push_back({ARGUMENTS[slot], memories_.back().get()});
        slots_.push_back(tensor_slot(slot));
    }
}

void prepared::run(const pointers &tensors) {
    for (size_t i = 0; i < slots_.size(); ++i) jitnorm_memory_set_data_handle(arguments_[i].memory, tensors[slots_[i]]);
    jitnorm::error::wrap_c_api(jitnorm_primitive_execute(primitive_.get(), stream_of_thread(elements_),
                                                         int(arguments_.size()), arguments_.data()),
                               "could not execute a normalization");
}

int64_t partial_sums(const request &asked) {
    const memory::desc sums = describe_partial(asked).diff_weights_desc(0);
    return sums.get_ndims() == 0 ? 0 : sums.get_dims()[0];
}

namespace {

// The calling thread's primitive for the request. If jitnorm refuses the request, throws or, if `throws` is false,
// returns null.
//
// The table has one place for each hash; a new request replaces the one in its place. That is enough, because a model
// has few shapes, and because the library itself finds a primitive that it has made before within a microsecond. It is
// on the heap because the library's variables of threads have places that are fixed at start, few for what is loaded
// later, and those of the module that contains the library are beside them.
prepared *find(const request &asked, bool throws) {
    struct entry {
        request what;
        std::unique_ptr<prepared> made; // null if the request was refused
    };
    using entries = std::array<entry, 64>;
    thread_local const auto table = std::make_unique<entries>();
    entry &here = (*table)[hash_of(asked) % table->size()];
    const bool is_known = std::memcmp(&here.what, &asked, sizeof asked) == 0;
    if (is_known && (here.made != nullptr || !throws)) return here.made.get();
    try {
        here.made = std::make_unique<prepared>(asked);
    } catch (const jitnorm::error &reason) {
        if (throws || reason.status == jitnorm_out_of_memory) throw;
        here.made.reset();
    }
    here.what = asked;
    return here.made.get();
}

// False if primitives have too few dimensions for such rows.
bool find_rows_of(std::initializer_list<at::Tensor *> tensors, int64_t normalized, rows &found) {
    const at::IntArrayRef shape = (*tensors.begin())->sizes();
    c10::SmallVector<at::Tensor, rows::MAX_TENSORS> broadcast; // never so many that they move
    c10::SmallVector<const at::Tensor *, rows::MAX_TENSORS> all;
    for (at::Tensor *tensor : tensors) {
        if (!tensor->defined()) continue;
        if (!tensor->sizes().equals(shape)) {
            broadcast.push_back(tensor->expand(shape));
            tensor = &broadcast.back();
        }
        all.push_back(tensor);
    }
    found = {};
    return find_rows(all, normalized, found);
}

} // namespace

prepared &prepare(request &asked, std::initializer_list<at::Tensor *> tensors, int64_t normalized) {
    if (find_rows_of(tensors, normalized, asked.data))
        if (prepared *found = find(asked, false)) return *found;
    for (at::Tensor *tensor : tensors)
        if (tensor->defined()) *tensor = tensor->contiguous();
    TORCH_CHECK(find_rows_of(tensors, normalized, asked.data),
                "the dimensions in which parameters change and those in which they do not take turns too often: ",
                "more than ", rows::MAX_DIMS - 1, " dimensions of rows are needed");
    return *find(asked, true);
}

} // namespace jitnorm_torch
