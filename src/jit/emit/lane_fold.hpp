// SPDX-License-Identifier: Apache-2.0
// lane_fold: emits the fold of lanes, which are in several registers, to one number: lane l + w is added to lane l,
// where w is half of the number of lanes, a quarter, ..., 1 (docs/arithmetic.md, "Sums").
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "crossing.hpp"
#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class lane_fold {
    using vmm = typename vector_traits<I>::vmm;
    using xmm = Xbyak::Xmm;
    using ymm = Xbyak::Ymm;

public:
    // `crossed`: whether the registers are crossed pairs (crossing.hpp). `work` is changed.
    lane_fold(Xbyak::CodeGenerator &g, const xmm &work, bool crossed = false)
        : g_(g), ops_(g), work_(work), crossed_(crossed) {}

    // The lanes of the lower 256 bits of lanes[0] take all others.
    ymm to_ymm(std::span<const vmm> lanes) {
        for (size_t width = std::bit_ceil(lanes.size()) / 2; width > 0; width /= 2) {
            if (crossed_ && width == 1) {
                crossing(g_).put_in_order(ymm(lanes[0].getIdx()), ymm(lanes[1].getIdx()), ymm(work_.getIdx()));
                ops_.add(lanes[0], lanes[0], vmm(work_.getIdx()));
                break;
            }
            for (size_t i = 0; i + width < std::min(lanes.size(), 2 * width); ++i)
                ops_.add(lanes[i], lanes[i], lanes[i + width]);
        }
        const ymm low(lanes[0].getIdx()), high(work_.getIdx());
        if constexpr (I == isa::avx512) {
            g_.vextractf64x4(high, lanes[0], 1);
            ops_.add(low, low, high);
        }
        return low;
    }

    // Folds all lanes to the lowest lane of lanes[0].
    xmm to_lowest(std::span<const vmm> lanes) {
        const ymm eight = to_ymm(lanes);
        const xmm low(eight.getIdx());
        g_.vextractf128(work_, eight, 1);
        ops_.add(low, low, work_);
        g_.vmovhlps(work_, work_, low); // the upper 64 bits: two floats or one double
        if constexpr (std::is_same_v<T, float>) {
            g_.vaddps(low, low, work_);
            g_.vmovshdup(work_, low); // lane 1
        }
        ops_.add_lowest(low, low, work_);
        return low;
    }

private:
    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    xmm work_;
    bool crossed_;
};

// Folds the lanes of the sums s and q of eight rows at once.
class fold_of_eight {
    using ymm = Xbyak::Ymm;
    using xmm = Xbyak::Xmm;

public:
    static constexpr int ROWS = 8, ROW_BYTES = 32;

    fold_of_eight(Xbyak::CodeGenerator &g, const std::array<ymm, 4> &v, const ymm &work) : g_(g), v_(v), work_(work) {}

    // Stores the lanes of one row, as lane_fold::to_ymm() leaves them, to ROW_BYTES in memory: four lanes of each sum.
    // Changes q.
    void keep(const Xbyak::Address &to, const ymm &s, const ymm &q) {
        g_.vperm2f128(work_, s, q, 0x20);
        g_.vperm2f128(q, s, q, 0x31);
        g_.vaddps(work_, work_, q);
        g_.vmovaps(to, work_);
    }

    // Folds eight rows whose lanes keep() has stored one behind the other from `from` on. Calls store(row, sums) twice,
    // for the four rows from `row` on; the lower half of `sums` has their s, the upper half their q.
    template <typename Store> // void(int row, const Xbyak::Ymm &sums)
    void fold(const Xbyak::RegExp &from, Store &&store) {
        const auto lanes = [&](int row) { return g_.ptr[from + row * ROW_BYTES]; };
        for (int pair = 0; pair < ROWS / 2; ++pair) {
            const ymm &sums = v_[size_t(pair)];
            g_.vmovaps(work_, lanes(2 * pair));
            g_.vunpcklpd(sums, work_, lanes(2 * pair + 1));  // lanes 0 and 1 of both rows
            g_.vunpckhpd(work_, work_, lanes(2 * pair + 1)); // lanes 2 and 3 of both rows
            g_.vaddps(sums, sums, work_);
        }
        for (const size_t half : {0, 1}) {
            const ymm &first = v_[2 * half], &second = v_[2 * half + 1];
            g_.vshufps(work_, first, second, 0x88); // even lanes
            g_.vshufps(first, first, second, 0xDD);
            g_.vaddps(first, work_, first);
            store(int(half) * ROWS / 2, first);
        }
    }

private:
    Xbyak::CodeGenerator &g_;
    std::array<ymm, 4> v_;
    ymm work_;
};

} // namespace jitnorm::impl::jit
