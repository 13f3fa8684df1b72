// SPDX-License-Identifier: Apache-2.0
// function_ref: a function object of any type as a parameter, which is called before the call that it is passed to
// returns. Unlike std::function it neither copies nor allocates.
#pragma once

#include <utility>

namespace jitnorm::impl::jit {

template <typename Signature>
class function_ref;

template <typename Result, typename... Arguments>
class function_ref<Result(Arguments...)> {
public:
    template <typename Function>
    function_ref(const Function &function)
        : object_(&function), call_([](const void *object, Arguments... arguments) -> Result {
              return (*static_cast<const Function *>(object))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

private:
    const void *object_;
    Result (*call_)(const void *, Arguments...);
};

} // namespace jitnorm::impl::jit
