// SPDX-License-Identifier: Apache-2.0
// jitnorm_handle.hpp: errors as exceptions and C handles as shared objects. Included by jitnorm.hpp.
#ifndef JITNORM_HANDLE_HPP
#define JITNORM_HANDLE_HPP

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "jitnorm/jitnorm.h"

namespace jitnorm {

// Thrown if a C function does not return success. what() says what could not be done and why: "could not create a
// primitive descriptor: src has 6 dimensions; 2 to 5 are supported".
struct error : public std::exception {
    jitnorm_status_t status;
    const char *message; // what could not be done; a literal

    error(jitnorm_status_t s, const char *m) : status(s), message(m) {}
    // If there is no memory for the whole text, what() returns only the message.
    error(jitnorm_status_t s, const char *m, const char *reason) : status(s), message(m) {
        try {
            text_ = std::make_shared<std::string>(std::string(m) + ": " + reason);
        } catch (const std::bad_alloc &) {
        }
    }
    const char *what() const noexcept override { return text_ == nullptr ? message : text_->c_str(); }

    static void wrap_c_api(jitnorm_status_t status, const char *message) {
        if (status != jitnorm_success) throw error(status, message, jitnorm_get_last_error());
    }

private:
    std::shared_ptr<const std::string> text_; // shared: copying an exception must not throw
};

// Says how a C handle is destroyed, and what its absence is called. There is a specialization for each type of handle.
template <typename T>
struct handle_traits;

// A C handle with shared ownership: copies are handles of the same object, and the last one destroys it. A weak handle
// destroys nothing. A handle that was made by default, or moved from, is empty. A constructor from a C handle takes
// ownership of the object, unless its comment says otherwise.
template <typename T>
class handle {
public:
    handle() = default;
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    void reset(T t, bool weak = false) { data_.reset(t, weak ? &keep : &handle_traits<T>::destroy); }

    // Returns the C handle, which this object still owns. Throws if it is empty, unless allow_empty is true.
    T get(bool allow_empty = false) const {
        if (data_ == nullptr && !allow_empty) throw error(jitnorm_invalid_arguments, handle_traits<T>::absence());
        return data_.get();
    }
    explicit operator T() const { return get(true); }
    explicit operator bool() const { return data_ != nullptr; }

    bool operator==(const handle &other) const { return data_ == other.data_; }
    bool operator!=(const handle &other) const { return data_ != other.data_; }

protected:
    // Takes the object that a C function creates.
    template <typename... Parameters, typename... Arguments>
    void create(const char *message, jitnorm_status_t (*c_function)(T *, Parameters...), Arguments... arguments) {
        create(false, message, c_function, arguments...);
    }
    // With allow_empty, a failure makes an empty handle instead of an exception.
    template <typename... Parameters, typename... Arguments>
    void create(bool allow_empty, const char *message, jitnorm_status_t (*c_function)(T *, Parameters...),
                Arguments... arguments) {
        T result = nullptr;
        const jitnorm_status_t status = c_function(&result, arguments...);
        if (!allow_empty) error::wrap_c_api(status, message);
        reset(result);
    }

    // Returns what a C function reports about the object.
    template <typename Answer, typename Object>
    Answer ask(jitnorm_status_t (*c_function)(Object, Answer *), const char *message) const {
        Answer answer = Answer();
        error::wrap_c_api(c_function(get(), &answer), message);
        return answer;
    }

    // A copy, which belongs to the caller, of a descriptor that another object owns.
    static jitnorm_memory_desc_t copy_of(const_jitnorm_memory_desc_t owned) {
        jitnorm_memory_desc_t copy;
        error::wrap_c_api(jitnorm_memory_desc_clone(&copy, owned), "could not clone a memory descriptor");
        return copy;
    }

private:
    static jitnorm_status_t keep(T) { return jitnorm_success; }

    std::shared_ptr<typename std::remove_pointer<T>::type> data_;
};

#define JITNORM_DEFINE_HANDLE(type, name)                                                                              \
    template <>                                                                                                        \
    struct handle_traits<type##_t> {                                                                                   \
        static jitnorm_status_t destroy(type##_t object) { return type##_destroy(object); }                            \
        static const char *absence() { return "the " #name " is not initialized"; }                                    \
    };
JITNORM_DEFINE_HANDLE(jitnorm_engine, engine)
JITNORM_DEFINE_HANDLE(jitnorm_stream, stream)
JITNORM_DEFINE_HANDLE(jitnorm_memory_desc, memory_desc)
JITNORM_DEFINE_HANDLE(jitnorm_memory, memory)
JITNORM_DEFINE_HANDLE(jitnorm_primitive_attr, primitive_attr)
JITNORM_DEFINE_HANDLE(jitnorm_post_ops, post_ops)
JITNORM_DEFINE_HANDLE(jitnorm_primitive_desc, primitive_desc)
JITNORM_DEFINE_HANDLE(jitnorm_primitive, primitive)

// The operators of flags that may be or-ed.
#define JITNORM_DEFINE_BITMASK(type)                                                                                   \
    inline constexpr type operator|(type a, type b) {                                                                  \
        return static_cast<type>(static_cast<unsigned>(a) | static_cast<unsigned>(b));                                 \
    }                                                                                                                  \
    inline constexpr type operator&(type a, type b) {                                                                  \
        return static_cast<type>(static_cast<unsigned>(a) & static_cast<unsigned>(b));                                 \
    }                                                                                                                  \
    inline constexpr type operator^(type a, type b) {                                                                  \
        return static_cast<type>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));                                 \
    }                                                                                                                  \
    inline constexpr type operator~(type a) { return static_cast<type>(~static_cast<unsigned>(a)); }                   \
    inline type &operator|=(type &a, type b) { return a = a | b; }                                                     \
    inline type &operator&=(type &a, type b) { return a = a & b; }                                                     \
    inline type &operator^=(type &a, type b) { return a = a ^ b; }

} // namespace jitnorm

#endif
