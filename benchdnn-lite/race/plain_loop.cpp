// SPDX-License-Identifier: Apache-2.0
// The plain loops as peers.
#include "peer.hpp"

#include <algorithm>

#include "../problem/threads.hpp"
#include "loops.hpp"

namespace benchdnn_lite {

namespace {

bool is_dense(const layout &l) {
    dim_t stride = 1;
    for (size_t d = l.dims.size(); d-- > 0; stride *= l.dims[d])
        if (l.dims[d] != 1 && l.strides[d] != stride) return false;
    return l.blocks.empty() && l.offset0 == 0;
}

// Throws refusal if there is something in the problem that the loops do not have.
void check(const problem &p) {
    const data_type type = p.types.src;
    if (!p.is_forward()) throw refusal("only forward is supported");
    if (type != p.types.dst || (type != jitnorm_f32 && type != jitnorm_bf16))
        throw refusal("only rows of f32 or of bf16 are supported");
    constexpr unsigned FLAGS = jitnorm_use_scale | jitnorm_use_shift | jitnorm_rms_norm;
    if ((p.flags & ~FLAGS) != 0) throw refusal("only the flags C, H and M are supported");
    if (p.scale_shift != weight_types{}) throw refusal("only f32 scale and shift are supported");
    attributes others = p.attr;
    others.residual = {};
    others.user_scratchpad = false;
    if (others != attributes{}) throw refusal("a residual is the only attribute that is supported");
    if (!p.adds_residual()) return;
    if (p.reads_bias() || !p.writes_sum()) throw refusal("a residual needs its sum as an output and no bias");
    if (p.type_of(*p.attr.residual.added) != type || p.type_of(*p.attr.residual.sum) != type)
        throw refusal("all rows must have one type");
}

class plain_normalization {
public:
    plain_normalization(const execution &e, int threads)
        : execution_(e), loops_(best_loops()), count_(e.prb().rows()), threads_(std::min<dim_t>(threads, count_)) {
        const problem &p = e.prb();
        if (!loops_) throw refusal("the processor lacks AVX2");
        check(p);
        for (const argument &a : e.arguments())
            if (a.use != role::scratch && !is_dense(a.data.shape())) throw refusal("only dense rows are supported");
        rows_.src = at(JITNORM_ARG_SRC), rows_.added = at(JITNORM_ARG_SRC_1);
        rows_.sum = at(JITNORM_ARG_DST_1), rows_.dst = at(JITNORM_ARG_DST);
        rows_.scale = floats_at(JITNORM_ARG_SCALE), rows_.shift = floats_at(JITNORM_ARG_SHIFT);
        rows_.mean = floats_at(JITNORM_ARG_MEAN), rows_.variance = floats_at(JITNORM_ARG_VARIANCE);
        rows_.columns = size_t(p.row_length());
        rows_.epsilon = float(p.epsilon);
        rows_.is_rms = p.is_rms();
        rows_.is_bf16 = p.types.src == jitnorm_bf16;
    }

    peer in_passes() const { return by(loops_->normalize_in_passes, "passes"); }
    peer in_bands() const { return by(loops_->normalize_in_bands, "rows"); }

private:
    peer by(decltype(loops::normalize_in_passes) normalize, const char *name) const {
        const auto run = [=, rows = rows_, count = count_, threads = threads_] {
            share_among_threads(count, threads, [&](int64_t, int64_t begin, int64_t end) {
                normalize(rows, size_t(begin), size_t(end));
            });
        };
        return {run, &execution_, name};
    }
    void *at(int id) const { return execution_.has(id) ? execution_.data(id).data() : nullptr; }
    float *floats_at(int id) const { return static_cast<float *>(at(id)); }

    const execution &execution_;
    const loops *const loops_;
    const dim_t count_, threads_; // no more threads than there are rows
    plain_rows rows_;
};

} // namespace

peer_library plain_loops(int threads) {
    constexpr double TOLERANCE = 1e-2; // they normalize the rounded sum
    return {.name = "the faster of two plain loops",
            .make =
                [threads](const execution &e) {
                    const plain_normalization n(e, threads);
                    return std::vector{n.in_passes(), n.in_bands()};
                },
            .tolerance = TOLERANCE};
}

} // namespace benchdnn_lite
