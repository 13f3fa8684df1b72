// SPDX-License-Identifier: Apache-2.0
// oneDNN as a peer: owners of its handles, refusals for its error statuses, its names of layouts, types and directions,
// and the calls that make descriptors, which are others in version 2 and in version 3.
#include "peer.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>

#include <dnnl.h>
#include <dnnl_debug.h>
#include <dnnl_version.h>

#include "../text.hpp"

namespace benchdnn_lite {

namespace {

namespace dnnl {

template <auto Destroy>
struct destroyer {
    template <typename T>
    void operator()(T *handle) const {
        Destroy(handle);
    }
};

template <typename Handle, auto Destroy>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, destroyer<Destroy>>;

using engine = owner<dnnl_engine_t, dnnl_engine_destroy>;
using stream = owner<dnnl_stream_t, dnnl_stream_destroy>;
using memory = owner<dnnl_memory_t, dnnl_memory_destroy>;
using attr = owner<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using primitive_desc = owner<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using primitive = owner<dnnl_primitive_t, dnnl_primitive_destroy>;

void check(dnnl_status_t status, const char *what) {
    if (status != dnnl_success) throw refusal(concat(what, ": ", dnnl_status2str(status)));
}

// Calls `create`, which writes a handle through its first argument, and owns the handle.
template <typename Owner, typename Create, typename... Arguments>
Owner make(const char *what, Create create, Arguments... arguments) {
    typename Owner::pointer handle = nullptr;
    check(create(&handle, arguments...), what);
    return Owner(handle);
}

// The name of a layout, like aBcd8b. First come the dimensions from the outermost to the innermost, as capitals if they
// are in blocks, then the size and the dimension of each block.
std::string tag_text(const layout &l) {
    std::vector<size_t> order(l.dims.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return l.strides[a] > l.strides[b]; });
    std::string outer, inner;
    for (const size_t d : order) outer += char('a' + d);
    for (const inner_block &block : l.blocks) {
        const char letter = char('a' + block.dim);
        std::replace(outer.begin(), outer.end(), letter, char('A' + block.dim));
        inner += std::to_string(block.size) + letter;
    }
    return outer + inner;
}

dnnl_format_tag_t tag_of(const layout &l) {
    const std::string name = tag_text(l);
    for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag)
        if (name == dnnl_fmt_tag2str(dnnl_format_tag_t(tag))) return dnnl_format_tag_t(tag);
    throw refusal(concat("no tag ", name));
}

// Both libraries have the same numbers for data types.
dnnl_data_type_t type_of(data_type type) { return dnnl_data_type_t(type); }

dnnl_prop_kind_t prop_kind_of(direction dir) {
    constexpr dnnl_prop_kind_t KINDS[] = {dnnl_forward_training, dnnl_forward_inference, dnnl_backward_data,
                                          dnnl_backward};
    return KINDS[size_t(dir)];
}

#if DNNL_VERSION_MAJOR == 3 && DNNL_VERSION_MINOR < 4
#error "the race needs oneDNN 2, or 3.4 or later (types of scale and shift)"
#elif DNNL_VERSION_MAJOR >= 3

// Memory descriptors are handles, and one call creates a primitive descriptor.
constexpr bool BACKWARD_TAKES_SHIFT = false;

class tensor_desc {
public:
    explicit tensor_desc(const layout &l) {
        const int ndims = int(l.dims.size());
        const bool is_blocked = !l.blocks.empty();
        desc_ = is_blocked ? make<handle>("memory descriptor", dnnl_memory_desc_create_with_tag, ndims, l.dims.data(),
                                          type_of(l.type), tag_of(l))
                           : make<handle>("memory descriptor", dnnl_memory_desc_create_with_strides, ndims,
                                          l.dims.data(), type_of(l.type), l.strides.data());
    }
    const_dnnl_memory_desc_t get() const { return desc_.get(); }

private:
    using handle = owner<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
    handle desc_;
};

attr make_attr(const problem &p) {
    attr a = make<attr>("attributes", dnnl_primitive_attr_create);
    const tensor_scales &scales = p.attr.scales;
    if (scales.src) check(dnnl_primitive_attr_set_scales_mask(a.get(), DNNL_ARG_SRC, 0), "scale of src");
    if (scales.dst) check(dnnl_primitive_attr_set_scales_mask(a.get(), DNNL_ARG_DST, 0), "scale of dst");
    return a;
}

// Both libraries have the same numbers for flags.
primitive_desc make_forward(dnnl_engine_t cpu, dnnl_prop_kind_t kind, const problem &p, const tensor_desc &src,
                            const tensor_desc &dst, const tensor_desc *statistics, const attr &a) {
    return make<primitive_desc>("forward", dnnl_layer_normalization_forward_primitive_desc_create_v2, cpu, kind,
                                src.get(), dst.get(), statistics ? statistics->get() : nullptr,
                                type_of(p.scale_shift.given), float(p.epsilon), p.flags, a.get());
}

primitive_desc make_backward(dnnl_engine_t cpu, const problem &p, const tensor_desc &src, const tensor_desc &dst,
                             const tensor_desc &diff_src, const tensor_desc *statistics,
                             const_dnnl_primitive_desc_t forward, const attr &a) {
    return make<primitive_desc>("backward", dnnl_layer_normalization_backward_primitive_desc_create_v2, cpu,
                                prop_kind_of(p.dir), diff_src.get(), dst.get(), src.get(),
                                statistics ? statistics->get() : nullptr, type_of(p.scale_shift.gradient),
                                type_of(p.scale_shift.given), float(p.epsilon), p.flags, forward, a.get());
}

#else

// Memory descriptors are values. Primitive descriptors are created from operation descriptors, with one descriptor for
// src and dst.
// Backward with shift needs the shift as an argument, although it does not read it.
constexpr bool BACKWARD_TAKES_SHIFT = true;

class tensor_desc {
public:
    explicit tensor_desc(const layout &l) {
        const int ndims = int(l.dims.size());
        const bool is_blocked = !l.blocks.empty();
        check(is_blocked
                  ? dnnl_memory_desc_init_by_tag(&desc_, ndims, l.dims.data(), type_of(l.type), tag_of(l))
                  : dnnl_memory_desc_init_by_strides(&desc_, ndims, l.dims.data(), type_of(l.type), l.strides.data()),
              "memory descriptor");
    }
    const dnnl_memory_desc_t *get() const { return &desc_; }

private:
    dnnl_memory_desc_t desc_;
};

attr make_attr(const problem &p) {
    if (p.attr.scales != tensor_scales{}) throw refusal("scales are not supported");
    return nullptr;
}

unsigned flags_of(const problem &p) {
    if (p.is_rms()) throw refusal("rms_norm is not supported");
    return (p.statistics_are_global() ? unsigned(dnnl_use_global_stats) : 0U) |
           (p.uses_scale() ? unsigned(dnnl_use_scale) : 0U) | (p.uses_shift() ? unsigned(dnnl_use_shift) : 0U);
}

void check_limits(const problem &p, const tensor_desc &src, const tensor_desc &dst) {
    if (p.scale_shift != weight_types{}) throw refusal("only f32 scale and shift are supported");
    if (dnnl_memory_desc_equal(src.get(), dst.get()) == 0) throw refusal("types or layouts of rows differ");
}

primitive_desc make_forward(dnnl_engine_t cpu, dnnl_prop_kind_t kind, const problem &p, const tensor_desc &src,
                            const tensor_desc &dst, const tensor_desc *statistics, const attr &a) {
    check_limits(p, src, dst);
    dnnl_layer_normalization_desc_t operation;
    check(dnnl_layer_normalization_forward_desc_init(
              &operation, kind, src.get(), statistics ? statistics->get() : nullptr, float(p.epsilon), flags_of(p)),
          "forward");
    return make<primitive_desc>("forward", dnnl_primitive_desc_create, &operation, a.get(), cpu, nullptr);
}

primitive_desc make_backward(dnnl_engine_t cpu, const problem &p, const tensor_desc &src, const tensor_desc &dst,
                             const tensor_desc &diff_src, const tensor_desc *statistics,
                             const_dnnl_primitive_desc_t forward, const attr &a) {
    check_limits(p, src, dst);
    check_limits(p, diff_src, dst);
    dnnl_layer_normalization_desc_t operation;
    check(dnnl_layer_normalization_backward_desc_init(&operation, prop_kind_of(p.dir), dst.get(), src.get(),
                                                      statistics ? statistics->get() : nullptr, float(p.epsilon),
                                                      flags_of(p)),
          "backward");
    return make<primitive_desc>("backward", dnnl_primitive_desc_create, &operation, a.get(), cpu, forward);
}

#endif

} // namespace dnnl

// Arguments are passed on with their ids, since oneDNN has the same ones.
static_assert(DNNL_ARG_SRC == JITNORM_ARG_SRC && DNNL_ARG_DST == JITNORM_ARG_DST);
static_assert(DNNL_ARG_MEAN == JITNORM_ARG_MEAN && DNNL_ARG_VARIANCE == JITNORM_ARG_VARIANCE);
static_assert(DNNL_ARG_SCALE == JITNORM_ARG_SCALE && DNNL_ARG_SHIFT == JITNORM_ARG_SHIFT);
static_assert(DNNL_ARG_DIFF_SRC == JITNORM_ARG_DIFF_SRC && DNNL_ARG_DIFF_DST == JITNORM_ARG_DIFF_DST);
static_assert(DNNL_ARG_DIFF_SCALE == JITNORM_ARG_DIFF_SCALE && DNNL_ARG_DIFF_SHIFT == JITNORM_ARG_DIFF_SHIFT);

class onednn_normalization {
public:
    explicit onednn_normalization(const execution &e);
    void run() const;
    std::string implementation() const;

private:
    void create_descriptor(const execution &e);
    void add(const argument &a);

    dnnl::engine cpu_;
    dnnl::stream queue_;
    dnnl::primitive_desc descriptor_;
    dnnl::primitive primitive_;
    std::deque<dnnl::memory> memories_;
    std::vector<dnnl_exec_arg_t> list_;
};

onednn_normalization::onednn_normalization(const execution &e)
    : cpu_(dnnl::make<dnnl::engine>("engine", dnnl_engine_create, dnnl_cpu, size_t(0))),
      queue_(dnnl::make<dnnl::stream>("stream", dnnl_stream_create, cpu_.get(), unsigned(dnnl_stream_default_flags))) {
    for_each_row_tensor(e.prb().attr, [](const residual_tensor &, std::string_view knob) {
        throw refusal(concat("oneDNN has no tensor of --", knob));
    });
    if (e.prb().attr.modulation != modulation{}) throw refusal("oneDNN has neither row dimensions of scale nor a gate");
    if (!e.prb().attr.post_ops.empty()) throw refusal("post-operations are not raced");
    create_descriptor(e);
    primitive_ = dnnl::make<dnnl::primitive>("primitive", dnnl_primitive_create, descriptor_.get());
    for (const argument &a : e.arguments())
        if (a.use != role::scratch) add(a);
}

// The descriptor of backward is created with that of its forward as a hint.
void onednn_normalization::create_descriptor(const execution &e) {
    const problem &p = e.prb();
    const dnnl::tensor_desc src(e.data(JITNORM_ARG_SRC).shape());
    const dnnl::tensor_desc dst(e.data(p.is_forward() ? JITNORM_ARG_DST : JITNORM_ARG_DIFF_DST).shape());
    std::optional<dnnl::tensor_desc> statistics;
    if (e.has(JITNORM_ARG_VARIANCE)) statistics.emplace(e.data(JITNORM_ARG_VARIANCE).shape());
    const dnnl::tensor_desc *known = statistics ? &*statistics : nullptr;
    const dnnl::attr attr = dnnl::make_attr(p);
    const dnnl_prop_kind_t forward = p.is_forward() ? dnnl::prop_kind_of(p.dir) : dnnl_forward_training;
    descriptor_ = dnnl::make_forward(cpu_.get(), forward, p, src, dst, known, attr);
    if (p.is_forward()) return;
    const dnnl::tensor_desc diff_src(e.data(JITNORM_ARG_DIFF_SRC).shape());
    descriptor_ = dnnl::make_backward(cpu_.get(), p, src, dst, diff_src, known, descriptor_.get(), attr);
}

void onednn_normalization::add(const argument &a) {
    const dnnl::tensor_desc desc(a.data.shape());
    memories_.push_back(dnnl::make<dnnl::memory>("memory", dnnl_memory_create, desc.get(), cpu_.get(), a.data.data()));
    list_.push_back({a.id, memories_.back().get()});
    if (dnnl::BACKWARD_TAKES_SHIFT && a.id == JITNORM_ARG_DIFF_SHIFT)
        list_.push_back({JITNORM_ARG_SHIFT, memories_.back().get()});
}

void onednn_normalization::run() const {
    dnnl::check(dnnl_primitive_execute(primitive_.get(), queue_.get(), int(list_.size()), list_.data()), "execute");
    dnnl::check(dnnl_stream_wait(queue_.get()), "wait");
}

std::string onednn_normalization::implementation() const {
    const char *name = nullptr;
    dnnl::check(dnnl_primitive_desc_query(descriptor_.get(), dnnl_query_impl_info_str, 0, static_cast<void *>(&name)),
                "implementation's name");
    return name;
}

} // namespace

peer_library onednn() {
    const dnnl_version_t *v = dnnl_version();
    const auto text = [](int number) { return std::to_string(number); };
    return {concat("oneDNN ", text(v->major), ".", text(v->minor), ".", text(v->patch)), [](const execution &e) {
                const auto made = std::make_shared<const onednn_normalization>(e);
                return std::vector{peer{[made] { made->run(); }, &e, made->implementation()}};
            }};
}

} // namespace benchdnn_lite
