// SPDX-License-Identifier: Apache-2.0
// runtime: calls into ONNX Runtime. A failure of one is an exception within this library; guard() turns exceptions into
// statuses where ONNX Runtime calls this library, so that none leaves it.
#pragma once

#include <onnxruntime_c_api.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

namespace jitnorm_onnxruntime {

// The version of ONNX Runtime's interface that is used, 1.23's. Later versions of ONNX Runtime have it too, whatever
// the version of the headers.
constexpr uint32_t INTERFACE = 23;
static_assert(ORT_API_VERSION >= INTERFACE, "the headers of ONNX Runtime 1.23 or later are needed");

struct failure : std::runtime_error {
    OrtErrorCode code;
    failure(OrtErrorCode its_code, const std::string &message) : std::runtime_error(message), code(its_code) {}
};

class runtime {
public:
    explicit runtime(const OrtApi &api) : api_(&api) {}

    // Throws what a call answers, unless this is a success.
    void throw_if(OrtStatus *status) const {
        if (status == nullptr) return;
        const failure error(api_->GetErrorCode(status), api_->GetErrorMessage(status));
        api_->ReleaseStatus(status);
        throw error;
    }

    // Calls a function of OrtApi: call<&OrtApi::FUNCTION>(ARGUMENTS...).
    template <auto FUNCTION, typename... In>
    void call(In... in) const {
        throw_if((api_->*FUNCTION)(in...));
    }

    // Calls a function whose last argument points to its result, and returns this result.
    template <auto FUNCTION, typename... In>
    auto get(In... in) const {
        decltype(result_of(FUNCTION)) out{};
        throw_if((api_->*FUNCTION)(in..., &out));
        return out;
    }

    const OrtApi *operator->() const { return api_; } // for functions without a status

    template <typename Body>
    OrtStatus *guard(Body body) const noexcept {
        try {
            body();
            return nullptr;
        } catch (const failure &error) {
            return api_->CreateStatus(error.code, error.what());
        } catch (const std::exception &error) {
            return api_->CreateStatus(ORT_EP_FAIL, error.what());
        }
    }

    // A message that cannot be logged is lost.
    void log(const OrtLogger *logger, OrtLoggingLevel level, const std::string &message) const noexcept {
        OrtStatus *status =
            api_->Logger_LogMessage(logger, level, ("jitnorm: " + message).c_str(), __FILE__, __LINE__, __func__);
        if (status != nullptr) api_->ReleaseStatus(status);
    }

private:
    template <typename... Arguments>
    static std::remove_pointer_t<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>>
    result_of(OrtStatus *(*OrtApi::*)(Arguments...) noexcept); // a type, not a function that exists

    const OrtApi *api_;
};

} // namespace jitnorm_onnxruntime
