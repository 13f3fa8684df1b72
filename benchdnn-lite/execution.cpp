// SPDX-License-Identifier: Apache-2.0
// A problem made ready to run through the library's C interface.
#include "execution.hpp"

#include <algorithm>

#include "tag.hpp"

namespace benchdnn_lite {

namespace {

jitnorm_prop_kind_t prop_kind_of(direction dir) {
    switch (dir) {
    case direction::FWD_D:
        return jitnorm_forward_training;
    case direction::FWD_I:
        return jitnorm_forward_inference;
    case direction::BWD_D:
        return jitnorm_backward_data;
    case direction::BWD_DW:
        return jitnorm_backward;
    }
    throw std::logic_error("direction without a propagation kind");
}

bool overwrites_old_dst(const problem &p) {
    return std::any_of(p.attr.post_ops.begin(), p.attr.post_ops.end(),
                       [](const post_op &op) { return std::holds_alternative<sum_post_op>(op); });
}

} // namespace

session::session()
    : cpu(make<engine>("jitnorm_engine_create", jitnorm_engine_create, jitnorm_cpu, size_t(0))),
      queue(make<stream>("jitnorm_stream_create", jitnorm_stream_create, cpu.get(),
                         unsigned(jitnorm_stream_default_flags))) {}

execution::execution(const session &s, const problem &p) : session_(s), problem_(p) {
    create_descriptor(make_attr());
    primitive_ = make<primitive>("jitnorm_primitive_create", jitnorm_primitive_create, descriptor_.get());
    p.is_forward() ? add_forward_arguments() : add_backward_arguments();
    add_attribute_arguments();
    if (p.attr.user_scratchpad) add(JITNORM_ARG_SCRATCHPAD, role::scratch);
}

memory_desc execution::describe(const std::string &tag, data_type type, const std::vector<dim_t> &dims) const {
    const std::string canonical = canonical_tag(tag, dims.size());
    const int ndims = int(dims.size());
    if (canonical == TAG_UNDEF) return {};
    const auto enumerator = canonical == TAG_ANY ? jitnorm_format_tag_any : enumerator_of(canonical);
    if (enumerator)
        return make<memory_desc>("jitnorm_memory_desc_create_with_tag", jitnorm_memory_desc_create_with_tag, ndims,
                                 dims.data(), type, *enumerator);
    return make<memory_desc>("jitnorm_memory_desc_create_with_strides", jitnorm_memory_desc_create_with_strides, ndims,
                             dims.data(), type, strides_of(canonical, dims).data());
}

primitive_attr execution::make_attr() {
    const attributes &a = problem_.attr;
    primitive_attr attr = make<primitive_attr>("jitnorm_primitive_attr_create", jitnorm_primitive_attr_create);
    const auto set_scale = [&](int arg) {
        check_status(jitnorm_primitive_attr_set_scales_mask(attr.get(), arg, 0),
                     "jitnorm_primitive_attr_set_scales_mask");
    };
    if (a.scales.src) set_scale(JITNORM_ARG_SRC);
    if (a.scales.dst) set_scale(JITNORM_ARG_DST);
    if (a.user_scratchpad)
        check_status(jitnorm_primitive_attr_set_scratchpad_mode(attr.get(), jitnorm_scratchpad_mode_user),
                     "jitnorm_primitive_attr_set_scratchpad_mode");
    const post_op_list list = make<post_op_list>("jitnorm_post_ops_create", jitnorm_post_ops_create);
    for (const post_op &op : a.post_ops) append_post_op(list.get(), op);
    check_status(jitnorm_primitive_attr_set_post_ops(attr.get(), list.get()), "jitnorm_primitive_attr_set_post_ops");
    return attr;
}

void execution::append_post_op(jitnorm_post_ops_t list, const post_op &op) {
    jitnorm_status_t status;
    if (const auto *sum = std::get_if<sum_post_op>(&op)) {
        status = jitnorm_post_ops_append_sum(list, sum->scale, sum->zero_point, sum->type);
    } else if (const auto *eltwise = std::get_if<eltwise_post_op>(&op)) {
        status = jitnorm_post_ops_append_eltwise(list, eltwise->algorithm, eltwise->alpha, eltwise->beta);
    } else {
        const auto &binary = std::get<binary_post_op>(op);
        const std::string tag = binary.tag.empty() || binary.tag == TAG_ANY ? "abx" : binary.tag;
        source_descs_.push_back(describe(tag, binary.type, binary.source_dims(problem_.size.dims)));
        status = jitnorm_post_ops_append_binary(list, binary.algorithm, source_descs_.back().get());
    }
    check_status(status, "jitnorm_post_ops_append");
}

void execution::create_descriptor(const primitive_attr &attr) {
    const problem &p = problem_;
    const std::vector<dim_t> &dims = p.size.dims;
    const memory_desc src = describe(p.src_tag(), p.types.src, dims), dst = describe(p.tags.dst, p.types.dst, dims);
    const memory_desc stat = describe(p.stat_tag, jitnorm_f32, p.statistics_dims());
    if (p.is_forward()) {
        descriptor_ = make<primitive_desc>("jitnorm_layer_normalization_forward_primitive_desc_create_v2",
                                           jitnorm_layer_normalization_forward_primitive_desc_create_v2,
                                           session_.cpu.get(), prop_kind_of(p.dir), src.get(), dst.get(), stat.get(),
                                           p.scale_shift.given, p.epsilon, p.flags, attr.get());
    } else {
        const memory_desc diff_src = describe(p.diff_src_tag(), p.types.diff_src, dims);
        descriptor_ =
            make<primitive_desc>("jitnorm_layer_normalization_backward_primitive_desc_create_v2",
                                 jitnorm_layer_normalization_backward_primitive_desc_create_v2, session_.cpu.get(),
                                 prop_kind_of(p.dir), diff_src.get(), dst.get(), src.get(), stat.get(),
                                 p.scale_shift.gradient, p.scale_shift.given, p.epsilon, p.flags, nullptr, attr.get());
    }
}

std::string execution::implementation() const {
    const char *name = nullptr;
    const_jitnorm_primitive_desc_t chosen = nullptr; // by the primitive: it may have moved on from the descriptor's
    check_status(jitnorm_primitive_get_primitive_desc(primitive_.get(), &chosen),
                 "jitnorm_primitive_get_primitive_desc");
    check_status(jitnorm_primitive_desc_query(chosen, jitnorm_query_impl_info_str, 0, &name),
                 "jitnorm_primitive_desc_query");
    return name;
}

bool execution::has(int id) const {
    return std::any_of(arguments_.begin(), arguments_.end(), [&](const argument &a) { return a.id == id; });
}

const buffer &execution::data(int id) const {
    for (const argument &a : arguments_)
        if (a.id == id) return a.data;
    throw std::logic_error("the problem has no such argument");
}

void execution::add(int id, role use) {
    add_with_desc(id, use, jitnorm_primitive_desc_query_md(descriptor_.get(), jitnorm_query_exec_arg_md, id));
}

void execution::add_with_desc(int id, role use, const_jitnorm_memory_desc_t desc) {
    buffer data(layout_of(desc), jitnorm_memory_desc_get_size(desc));
    memory handle = make<memory>("jitnorm_memory_create", jitnorm_memory_create, desc, session_.cpu.get(), data.data());
    list_.push_back({id, handle.get()});
    arguments_.push_back({id, use, std::move(data), std::move(handle)});
}

// The output `id` has the memory of an input.
void execution::add_in_place(int id, int input) {
    const auto desc = jitnorm_primitive_desc_query_md(descriptor_.get(), jitnorm_query_exec_arg_md, id);
    buffer shared = data(input);
    memory handle =
        make<memory>("jitnorm_memory_create", jitnorm_memory_create, desc, session_.cpu.get(), shared.data());
    list_.push_back({id, handle.get()});
    arguments_.push_back({id, role::both, std::move(shared), std::move(handle)});
}

void execution::add_forward_arguments() {
    const problem &p = problem_;
    add(JITNORM_ARG_SRC, role::input);
    if (p.in_place)
        add_in_place(JITNORM_ARG_DST, JITNORM_ARG_SRC);
    else
        add(JITNORM_ARG_DST, overwrites_old_dst(p) ? role::both : role::output);
    const bool has_statistics = p.statistics_are_inputs() || p.statistics_are_outputs();
    const role use = p.statistics_are_inputs() ? role::input : role::output;
    if (has_statistics && !p.is_rms()) add(JITNORM_ARG_MEAN, use);
    if (has_statistics) add(JITNORM_ARG_VARIANCE, use);
    if (p.uses_scale()) add(JITNORM_ARG_SCALE, role::input);
    if (p.uses_shift()) add(JITNORM_ARG_SHIFT, role::input);
}

void execution::add_backward_arguments() {
    const problem &p = problem_;
    add(JITNORM_ARG_SRC, role::input);
    add(JITNORM_ARG_DIFF_DST, role::input);
    if (p.in_place)
        add_in_place(JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST);
    else
        add(JITNORM_ARG_DIFF_SRC, role::output);
    if (!p.is_rms()) add(JITNORM_ARG_MEAN, role::input);
    add(JITNORM_ARG_VARIANCE, role::input);
    if (p.uses_scale()) add(JITNORM_ARG_SCALE, role::input);
    const bool weights = p.dir == direction::BWD_DW;
    if (weights && p.uses_scale()) add(JITNORM_ARG_DIFF_SCALE, role::output);
    if (weights && p.uses_shift()) add(JITNORM_ARG_DIFF_SHIFT, role::output);
}

void execution::add_attribute_arguments() {
    const attributes &a = problem_.attr;
    const memory_desc one = describe("a", jitnorm_f32, {1});
    const auto add_scale = [&](int arg, float value) {
        add_with_desc(JITNORM_ARG_ATTR_SCALES | arg, role::input, one.get());
        data(JITNORM_ARG_ATTR_SCALES | arg).set(0, value);
    };
    if (a.scales.src) add_scale(JITNORM_ARG_SRC, *a.scales.src);
    if (a.scales.dst) add_scale(JITNORM_ARG_DST, *a.scales.dst);
    auto source = source_descs_.begin();
    for (size_t i = 0; i < a.post_ops.size(); ++i)
        if (std::holds_alternative<binary_post_op>(a.post_ops[i]))
            add_with_desc(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(int(i)) | JITNORM_ARG_SRC_1, role::input,
                          (source++)->get());
}

void execution::run() const {
    check_status(jitnorm_primitive_execute(primitive_.get(), session_.queue.get(), int(list_.size()), list_.data()),
                 "jitnorm_primitive_execute");
    check_status(jitnorm_stream_wait(session_.queue.get()), "jitnorm_stream_wait");
}

} // namespace benchdnn_lite
