// SPDX-License-Identifier: Apache-2.0
// validation: the status of validate() for a problem to which a change was applied.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "support/problems.hpp"

namespace jitnorm::tests {

constexpr jitnorm_data_type_t ALL_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64,
                                             jitnorm_s8,  jitnorm_u8,   jitnorm_s32};

using change = std::function<void(problem &)>;
inline void none(problem &) {}
inline change both(const change &first, const change &second) {
    return [=](problem &p) {
        first(p);
        second(p);
    };
}
inline change having(impl::layer_norm::slot which, const memory_desc &md) {
    return [=](problem &p) { p[which] = md; };
}
inline change omitting(unsigned outputs) {
    return [=](problem &p) { p.omitted = outputs; };
}
inline change flagged(unsigned flags) {
    return [=](problem &p) { p.flags = flags; };
}

inline void expect(jitnorm_status_t code, problem p, const change &apply) {
    apply(p);
    const impl::status v = validate(p);
    EXPECT_EQ(v.code, code) << v.reason << "\n" << describe(p);
    EXPECT_EQ(v.code == jitnorm_success, *v.reason == '\0') << "a reason exactly when refused";
}

inline void accepts(const problem &p, const change &apply = none) { expect(jitnorm_success, p, apply); }
inline void is_invalid(const problem &p, const change &apply) { expect(jitnorm_invalid_arguments, p, apply); }
inline void is_unsupported(const problem &p, const change &apply) { expect(jitnorm_unimplemented, p, apply); }

} // namespace jitnorm::tests
