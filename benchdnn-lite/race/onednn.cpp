// SPDX-License-Identifier: Apache-2.0
// oneDNN as a peer.
#include "peer.hpp"

#include <deque>

#include "onednn_calls.hpp"

namespace benchdnn_lite {

namespace {

// Arguments are passed on with their ids, since oneDNN has the same ones.
static_assert(DNNL_ARG_SRC == JITNORM_ARG_SRC && DNNL_ARG_DST == JITNORM_ARG_DST);
static_assert(DNNL_ARG_MEAN == JITNORM_ARG_MEAN && DNNL_ARG_VARIANCE == JITNORM_ARG_VARIANCE);
static_assert(DNNL_ARG_SCALE == JITNORM_ARG_SCALE && DNNL_ARG_SHIFT == JITNORM_ARG_SHIFT);
static_assert(DNNL_ARG_DIFF_SRC == JITNORM_ARG_DIFF_SRC && DNNL_ARG_DIFF_DST == JITNORM_ARG_DIFF_DST);
static_assert(DNNL_ARG_DIFF_SCALE == JITNORM_ARG_DIFF_SCALE && DNNL_ARG_DIFF_SHIFT == JITNORM_ARG_DIFF_SHIFT);

class onednn_peer : public peer {
public:
    explicit onednn_peer(const execution &e);
    void run() const override;
    const execution &tensors() const override { return ours_; }
    std::string implementation() const override;

private:
    void create_descriptor(const execution &e);
    void add(const argument &a);

    const execution &ours_;
    dnnl::engine cpu_;
    dnnl::stream queue_;
    dnnl::primitive_desc descriptor_;
    dnnl::primitive primitive_;
    std::deque<dnnl::memory> memories_;
    std::vector<dnnl_exec_arg_t> list_;
};

onednn_peer::onednn_peer(const execution &e)
    : ours_(e), cpu_(dnnl::make<dnnl::engine>("engine", dnnl_engine_create, dnnl_cpu, size_t(0))),
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
void onednn_peer::create_descriptor(const execution &e) {
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

void onednn_peer::add(const argument &a) {
    const dnnl::tensor_desc desc(a.data.shape());
    memories_.push_back(dnnl::make<dnnl::memory>("memory", dnnl_memory_create, desc.get(), cpu_.get(), a.data.data()));
    list_.push_back({a.id, memories_.back().get()});
    if (dnnl::BACKWARD_TAKES_SHIFT && a.id == JITNORM_ARG_DIFF_SHIFT)
        list_.push_back({JITNORM_ARG_SHIFT, memories_.back().get()});
}

void onednn_peer::run() const {
    dnnl::check(dnnl_primitive_execute(primitive_.get(), queue_.get(), int(list_.size()), list_.data()), "execute");
    dnnl::check(dnnl_stream_wait(queue_.get()), "wait");
}

std::string onednn_peer::implementation() const {
    const char *name = nullptr;
    dnnl::check(dnnl_primitive_desc_query(descriptor_.get(), dnnl_query_impl_info_str, 0, static_cast<void *>(&name)),
                "implementation's name");
    return name;
}

} // namespace

peer_library onednn() {
    const dnnl_version_t *v = dnnl_version();
    const auto text = [](int number) { return std::to_string(number); };
    return {concat("oneDNN ", text(v->major), ".", text(v->minor), ".", text(v->patch)),
            [](const execution &e) { return std::make_unique<onednn_peer>(e); }};
}

} // namespace benchdnn_lite
