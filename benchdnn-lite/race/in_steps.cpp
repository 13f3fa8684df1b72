// SPDX-License-Identifier: Apache-2.0
// The steps of a problem as a peer.
#include "in_steps.hpp"

#include "row_steps.hpp"

namespace benchdnn_lite {

namespace {

bool is_dense(const layout &l) {
    dim_t stride = 1;
    for (size_t d = l.dims.size(); d-- > 0; stride *= l.dims[d])
        if (l.dims[d] != 1 && l.strides[d] != stride) return false;
    return l.blocks.empty() && l.offset0 == 0;
}

// The problem of the normalization alone. Tensors between the steps have the type of src, as in a model.
problem norm_alone(const problem &fused) {
    problem p = fused;
    if (p.adds_residual()) p.in_place = false;
    p.attr.residual = {};
    if (!p.attr.scales.found) return p;
    p.attr.scales.found.reset();
    p.types.dst = p.types.src;
    p.in_place = false;
    return p;
}

class steps : public peer {
public:
    steps(const session &s, const problem &p) : whole_(s, p), norm_(s, norm_alone(p)) {
        for (const argument &a : whole_.arguments())
            if (is_walked(a.id) && !is_dense(a.data.shape())) throw refusal("the steps take dense rows alone");
        if (p.adds_residual()) require_one_type();
        for (const argument &a : norm_.arguments()) {
            memories_.push_back(norm_.memory_for(a, place_of(a)));
            list_.push_back({a.id, memories_.back().get()});
        }
    }

    void run() const override { whole_.prb().types.src == jitnorm_f32 ? run_on<float>() : run_on<bf16_bits>(); }
    const execution &tensors() const override { return whole_; }
    std::string implementation() const override { return norm_.implementation() + " between plain loops"; }

private:
    static bool is_walked(int id) {
        return id == JITNORM_ARG_SRC || id == JITNORM_ARG_SRC_1 || id == JITNORM_ARG_DST || id == JITNORM_ARG_DST_1;
    }

    void require_one_type() const {
        const problem &p = whole_.prb();
        const residual_addition &residual = p.attr.residual;
        if (p.type_of(*residual.added) != p.types.src || (residual.sum && p.type_of(*residual.sum) != p.types.src))
            throw refusal("the steps take one type of src, src1 and dst1");
        if (residual.bias && *residual.bias != jitnorm_f32) throw refusal("the steps take a bias in f32 alone");
    }

    // The buffer for an argument of the normalization: a tensor of the whole problem, or one between two steps.
    const buffer &place_of(const argument &a) const {
        const problem &p = whole_.prb();
        if (a.id == JITNORM_ARG_SRC && p.adds_residual()) return sum();
        if (a.id == JITNORM_ARG_DST && p.attr.scales.found) return a.data;
        return a.use == role::scratch ? a.data : whole_.data(a.id);
    }
    const buffer &sum() const {
        return whole_.has(JITNORM_ARG_DST_1) ? whole_.data(JITNORM_ARG_DST_1) : norm_.data(JITNORM_ARG_SRC);
    }

    template <typename T>
    void run_on() const {
        const problem &p = whole_.prb();
        const auto at = [](const buffer &b) { return static_cast<T *>(b.data()); };
        if (p.adds_residual()) {
            const auto *bias =
                p.reads_bias() ? static_cast<const float *>(whole_.data(JITNORM_ARG_BIAS).data()) : nullptr;
            row_steps<T>::add(at(whole_.data(JITNORM_ARG_SRC)), at(whole_.data(JITNORM_ARG_SRC_1)), bias, at(sum()),
                              p.rows(), p.row_length());
        }
        norm_.run(list_);
        if (p.attr.scales.found)
            row_steps<T>::quantize(at(norm_.data(JITNORM_ARG_DST)),
                                   static_cast<int8_t *>(whole_.data(JITNORM_ARG_DST).data()),
                                   static_cast<float *>(whole_.data(DST_SCALES).data()), p.rows(), p.row_length());
    }

    // whole_ has the tensors of the problem. norm_ is the normalization, and has the tensors between the steps.
    const execution whole_, norm_;
    std::deque<memory> memories_;
    argument_list list_;
};

std::unique_ptr<peer> steps_of(const execution &e) {
    const problem &p = e.prb();
    const auto &found = p.attr.scales.found;
    if (p.writes_unquantized()) throw refusal("the steps have no second dst");
    if (!p.adds_residual() && !found) throw refusal("one step as it is");
    if (p.types.src != jitnorm_f32 && p.types.src != jitnorm_bf16) throw refusal("the steps take f32 and bf16 alone");
    if (found && (found->group != 0 || p.types.dst != jitnorm_s8)) throw refusal("the steps quantize rows to s8 alone");
    return std::make_unique<steps>(e.what().owner(), p);
}

} // namespace

// The tolerance: tensors between the steps are rounded to their type, and quantized values are rounded again, so that
// integers may differ by two.
peer_library in_steps() { return {.name = "its steps", .make = steps_of, .tolerance = 1.0 / 64}; }

} // namespace benchdnn_lite
