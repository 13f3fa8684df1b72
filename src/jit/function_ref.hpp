// SPDX-License-Identifier: Apache-2.0
// function_ref: a function object of any type as a parameter, which is called before the call that it is passed to
// returns. Unlike std::function it neither copies nor allocates.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace jitnorm::impl::jit {

template <typename Signature>
class function_ref;

template <typename Result, typename... Arguments>
class function_ref<Result(Arguments...)> {
public:
    template <typename Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, function_ref>) function_ref(Function &&function)
        : object_(const_cast<void *>(static_cast<const void *>(std::addressof(function)))),
          call_([](void *object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Function> *>(object))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

private:
    void *object_;
    Result (*call_)(void *, Arguments...);
};

} // namespace jitnorm::impl::jit
