// SPDX-License-Identifier: Apache-2.0
// Creates a problem's primitive descriptor and primitive.
#include "operation.hpp"

#include "../stopwatch.hpp"
#include "tag.hpp"

namespace benchdnn_lite {

api_error::api_error(jitnorm_status_t answer, const char *call)
    : unsupported(call, " answered ", jitnorm_status2str(answer), ": ", jitnorm_get_last_error()), status(answer) {}

void check_status(jitnorm_status_t status, const char *call) {
    if (status != jitnorm_success) throw api_error(status, call);
}

std::string library_version() {
    const jitnorm_version_t *v = jitnorm_version();
    return format("%d.%d.%d", v->major, v->minor, v->patch);
}

namespace {

jitnorm_prop_kind_t prop_kind_of(direction dir) {
    constexpr jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward_data,
                                             jitnorm_backward};
    return KINDS[size_t(dir)];
}

std::string name_of(const library &api, const_jitnorm_primitive_desc_t descriptor) {
    const char *name = nullptr;
    api.primitive_desc_query(descriptor, jitnorm_query_impl_info_str, 0, &name);
    return name;
}

template <typename Function>
library_function<Function> later(const library &api, Function linked, const char *name, const char *knob) {
    const auto found = api.find_later ? reinterpret_cast<Function>(api.find_later(name)) : linked;
    if (!found) throw unsupported("this build of jitnorm is too old for --", knob);
    return {found, name};
}

// Calls a function that builds of older versions may not have. `knob` is what needs it.
#define LATER(knob, name, ...) later(api(), jitnorm_##name, "jitnorm_" #name, knob)(__VA_ARGS__)

} // namespace

session::session(const library &from)
    : api(from), cpu(make(api.engine_create, api.engine_destroy, jitnorm_cpu, size_t(0))),
      queue(make(api.stream_create, api.stream_destroy, cpu.get(), unsigned(jitnorm_stream_default_flags))) {}

operation::operation(const session &s, const problem &p, const listener &skipped) : session_(&s), problem_(p) {
    const primitive_attr attr = make_attr();
    const stopwatch describing;
    create_descriptor(attr);
    times_.descriptor = describing.ms();
    choose_implementation(skipped);
    const stopwatch creating;
    primitive_ = make(api().primitive_create, api().primitive_destroy, descriptor_.get());
    times_.primitive = creating.ms();
    // The primitive may use a later implementation than the descriptor names, if that one could not make its code.
    const_jitnorm_primitive_desc_t chosen = nullptr;
    api().primitive_get_primitive_desc(primitive_.get(), &chosen);
    implementation_ = name_of(api(), chosen);
}

const_jitnorm_memory_desc_t operation::desc_of(int id) const {
    return api().primitive_desc_query_md(descriptor_.get(), jitnorm_query_exec_arg_md, id);
}

memory_desc operation::describe(const std::string &tag, data_type type, const std::vector<dim_t> &dims) const {
    const std::string canonical = canonical_tag(tag, dims.size());
    const int ndims = int(dims.size());
    if (canonical == TAG_UNDEF) return {};
    if (dims.empty()) // of no tensor
        return make(api().memory_desc_create_with_strides, api().memory_desc_destroy, 0, nullptr, type, nullptr);
    const auto enumerator = canonical == TAG_ANY ? jitnorm_format_tag_any : enumerator_of(canonical);
    if (enumerator)
        return make(api().memory_desc_create_with_tag, api().memory_desc_destroy, ndims, dims.data(), type,
                    *enumerator);
    if (is_blocked(canonical)) throw unsupported("the library has no name for the blocked tag ", canonical);
    return make(api().memory_desc_create_with_strides, api().memory_desc_destroy, ndims, dims.data(), type,
                strides_of(canonical, dims).data());
}

memory_desc operation::describe(const residual_tensor &tensor) const {
    return describe(problem_.tag_of(tensor), problem_.type_of(tensor), problem_.size.dims);
}

primitive_attr operation::make_attr() const {
    const attributes &a = problem_.attr;
    primitive_attr attr = make(api().primitive_attr_create, api().primitive_attr_destroy);
    const auto set_scale = [&](int arg) { api().primitive_attr_set_scales_mask(attr.get(), arg, 0); };
    if (a.residual != residual_addition{}) set_residual(attr);
    if (a.modulation != modulation{}) set_modulation(attr);
#define FURTHER_OUTPUT(place, number, attribute, name, knob, ...)                                                      \
    if (a.attribute) LATER(knob, primitive_attr_set_##attribute##_dst, attr.get(), describe(*a.attribute).get());
#include "../../tables/outputs.inc"
    if (a.scales.src) set_scale(JITNORM_ARG_SRC);
    if (a.scales.dst) set_scale(JITNORM_ARG_DST);
    if (a.scales.found) find_scales(attr, *a.scales.found);
    if (a.user_scratchpad) api().primitive_attr_set_scratchpad_mode(attr.get(), jitnorm_scratchpad_mode_user);
    set_modes(attr.get());
    const post_op_list list = make(api().post_ops_create, api().post_ops_destroy);
    for (const post_op &op : a.post_ops) append_post_op(list.get(), op);
    api().primitive_attr_set_post_ops(attr.get(), list.get());
    return attr;
}

// A backward primitive without a gate uses the descriptor of the sum only; the others may have any values.
void operation::set_residual(const primitive_attr &attr) const {
    const residual_addition &residual = problem_.attr.residual;
    const memory_desc added = describe(residual.added.value_or(residual_tensor{}));
    const memory_desc sum = residual.sum ? describe(*residual.sum) : memory_desc{};
    const unsigned flags = (residual.rounded ? unsigned(jitnorm_residual_normalize_rounded) : 0) |
                           (residual.silu ? unsigned(jitnorm_residual_mul_silu) : 0);
    LATER("attr-residual", primitive_attr_set_residual, attr.get(), added.get(), sum.get(),
          residual.bias.value_or(jitnorm_data_type_undef), flags);
}

void operation::set_modulation(const primitive_attr &attr) const {
    const modulation &asked = problem_.attr.modulation;
    const auto described = [&](const std::optional<unsigned> &mask, data_type type) {
        return mask ? describe("abx", type, modulation::dims_of(*mask, problem_.size.dims)) : memory_desc{};
    };
    const memory_desc scale = described(asked.scale, problem_.scale_shift.given),
                      shift = described(asked.shift, problem_.scale_shift.given),
                      gate = described(asked.gate, asked.gate_type);
    LATER("attr-modulation", primitive_attr_set_scale_shift_descs, attr.get(), scale.get(), shift.get());
    LATER("attr-modulation", primitive_attr_set_residual_gate, attr.get(), gate.get());
}

void operation::set_modes(jitnorm_primitive_attr_t attr) const {
    const attributes &a = problem_.attr;
    if (double(float(problem_.epsilon)) != problem_.epsilon)
        LATER("eps=X:f64", primitive_attr_set_epsilon, attr, problem_.epsilon);
    if (a.deterministic) LATER("attr-deterministic", primitive_attr_set_deterministic, attr, 1);
    if (a.accumulation != jitnorm_accumulation_mode_strict)
        LATER("attr-acc-mode", primitive_attr_set_accumulation_mode, attr, a.accumulation);
    if (a.precision != fpmath{})
        LATER("attr-fpmath", primitive_attr_set_fpmath_mode_v2, attr, a.precision.mode,
              a.precision.for_integers ? 1 : 0);
}

void operation::find_scales(const primitive_attr &attr, const dynamic_scales &scales) const {
    const int rows = (1 << (problem_.ndims() - 1)) - 1, everything = 2 * rows + 1;
    const dim_t groups[] = {1, scales.group};
    const bool grouped = scales.group != 0;
    LATER("attr-scales=dst:...:dynamic_amax", primitive_attr_set_scales_v3, attr.get(), JITNORM_ARG_DST,
          grouped ? everything : rows, grouped ? 2 : 0, grouped ? groups : nullptr, jitnorm_f32, 0,
          jitnorm_quantization_mode_dynamic_amax);
}

#undef LATER

void operation::append_post_op(jitnorm_post_ops_t list, const post_op &op) const {
    if (const auto *sum = std::get_if<sum_post_op>(&op)) {
        api().post_ops_append_sum(list, sum->scale, sum->zero_point, sum->type);
    } else if (const auto *eltwise = std::get_if<eltwise_post_op>(&op)) {
        api().post_ops_append_eltwise(list, eltwise->algorithm, eltwise->alpha, eltwise->beta);
    } else {
        const auto &binary = std::get<binary_post_op>(op);
        const std::string tag = binary.tag.empty() || binary.tag == TAG_ANY ? "abx" : binary.tag;
        const memory_desc source = describe(tag, binary.type, binary.source_dims(problem_.size.dims));
        api().post_ops_append_binary(list, binary.algorithm, source.get());
    }
}

void operation::create_descriptor(const primitive_attr &attr) {
    const problem &p = problem_;
    const std::vector<dim_t> &dims = p.size.dims;
    const memory_desc src = describe(p.src_tag(), p.types.src, dims);
    const memory_desc dst = p.has_dst() ? describe(p.tags.dst, p.types.dst, dims) : describe("any", p.types.dst, {});
    const memory_desc stat = describe(p.stat_tag, jitnorm_f32, p.statistics_dims());
    if (p.is_forward()) {
        descriptor_ = make(api().layer_normalization_forward_primitive_desc_create_v2, api().primitive_desc_destroy,
                           session_->cpu.get(), prop_kind_of(p.dir), src.get(), dst.get(), stat.get(),
                           p.scale_shift.given, float(p.epsilon), p.flags, attr.get());
    } else {
        const memory_desc diff_src = describe(p.diff_src_tag(), p.types.diff_src, dims);
        descriptor_ = make(api().layer_normalization_backward_primitive_desc_create_v2, api().primitive_desc_destroy,
                           session_->cpu.get(), prop_kind_of(p.dir), diff_src.get(), dst.get(), src.get(), stat.get(),
                           p.scale_shift.gradient, p.scale_shift.given, float(p.epsilon), p.flags, nullptr, attr.get());
    }
}

void operation::choose_implementation(const listener &skipped) {
    for (;;) {
        const std::string name = name_of(api(), descriptor_.get());
        if (problem_.filter.accepts(name)) return;
        if (skipped) skipped(name);
        const auto &next = api().primitive_desc_next_impl;
        const jitnorm_status_t status = next.function(descriptor_.get());
        if (status == jitnorm_last_impl_reached) throw filtered_out("Skip-impl option hit");
        check_status(status, next.name);
    }
}

} // namespace benchdnn_lite
