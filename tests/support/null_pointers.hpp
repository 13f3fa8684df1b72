// SPDX-License-Identifier: Apache-2.0
// null_pointers: calls a function with each of its pointers null in turn.
#pragma once

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

namespace jitnorm::tests {

// Each call must have the status. The arguments are right ones; those that may be null are null here.
template <typename Status, typename... Parameters, typename... Arguments>
void expect_refused_when_null(const char *name, Status expected, Status (*function)(Parameters...),
                              const Arguments &...arguments) {
    const std::tuple<Parameters...> right(static_cast<Parameters>(arguments)...);
    [&]<size_t... I>(std::index_sequence<I...>) {
        const auto try_one = [&](auto place) {
            if constexpr (std::is_pointer_v<std::tuple_element_t<place, std::tuple<Parameters...>>>) {
                if (std::get<place>(right) == nullptr) return;
                auto wrong = right;
                std::get<place>(wrong) = nullptr;
                EXPECT_EQ(std::apply(function, wrong), expected) << name << ", argument " << place;
            }
        };
        (try_one(std::integral_constant<size_t, I>()), ...);
    }
    (std::index_sequence_for<Parameters...>());
}

} // namespace jitnorm::tests
