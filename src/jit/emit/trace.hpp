// SPDX-License-Identifier: Apache-2.0
// trace: the list of steps that computes a function, and a number type that leaves such a list. The functions of
// src/math are templates over the number type. Called with this type, they leave the steps that compute them, and
// trace_codegen.hpp turns these into instructions. So the reference and generated code share one definition.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include "../configurations.hpp"

namespace jitnorm::impl::jit {

enum class operation : uint8_t {
    input,     // the value that the program is applied to
    operand,   // a vector that the kernel loads; `detail` is its number
    parameter, // a number that is given at run time; `detail` is its number
    constant,
    add,
    sub,
    mul,
    div,
    fma, // a * b + c
    maximum,
    minimum,
    square_root,
    bit_and,
    bit_or,
    bit_xor,
    compare,
    select, // a ? b : c
    integer_add,
    integer_sub,
    integer_greater,
    shift_left,
    halve,       // shift right by one, keeping the sign
    shift_right, // of numbers that are not negative
};

struct step {
    operation what;
    std::array<int, 3> from = {-1, -1, -1}; // a, b and c: the numbers of the steps whose results it uses; -1: none
    uint64_t detail = 0; // a number, a constant's bits, the predicate of a comparison, the count of a shift
};

class trace {
public:
    std::vector<step> steps;
    int result = -1; // the number of the step whose result is the result of all

    // Returns the step's number.
    int append(const step &s) {
        steps.push_back(s);
        return int(steps.size()) - 1;
    }

    // The number of the step that gives this constant.
    int constant(uint64_t bits) {
        for (size_t i = 0; i < steps.size(); ++i)
            if (steps[i].what == operation::constant && steps[i].detail == bits) return int(i);
        return append({.what = operation::constant, .detail = bits});
    }
};

// The result of a step; or a constant that no step has used yet, which is in no trace.
struct traced {
    trace *where = nullptr;
    int index = -1;
    uint64_t bits = 0;

    int index_in(trace &r) const { return where == nullptr ? r.constant(bits) : index; }
    bool operator==(const traced &) const = default;
};

// Appends a step to the trace of its values and returns its result. At least one of the values must not be a constant.
traced append_step(operation what, uint64_t detail, std::initializer_list<traced> values);

template <typename Result, typename... Values>
Result record(operation what, uint64_t detail, const Values &...values) {
    return Result(append_step(what, detail, {values.value...}));
}

template <typename T>
struct traced_mask {
    traced value;
    explicit traced_mask(const traced &r) : value(r) {}
};

template <typename T>
using bits_type = std::conditional_t<std::is_same_v<T, double>, uint64_t, uint32_t>;

// An integer as wide as T.
template <typename T>
struct traced_integer {
    traced value;

    explicit traced_integer(const traced &r) : value(r) {}
    explicit traced_integer(int constant) : value{nullptr, -1, bits_type<T>(constant)} {}

    friend traced_integer operator+(traced_integer a, traced_integer b) {
        return record<traced_integer>(operation::integer_add, 0, a, b);
    }
    friend traced_integer operator-(traced_integer a, traced_integer b) {
        return record<traced_integer>(operation::integer_sub, 0, a, b);
    }
    friend traced_integer operator-(traced_integer a) { return traced_integer(0) - a; }
    friend traced_integer operator<<(traced_integer a, int count) {
        return record<traced_integer>(operation::shift_left, uint64_t(count), a);
    }
    // A shift by one is for numbers whose magnitude is below 2^31, a shift by more for all numbers that are not
    // negative.
    friend traced_integer operator>>(traced_integer a, int count) {
        return record<traced_integer>(count == 1 ? operation::halve : operation::shift_right, uint64_t(count), a);
    }
    friend traced_mask<T> operator>(traced_integer a, traced_integer b) {
        return record<traced_mask<T>>(operation::integer_greater, 0, a, b);
    }
    friend traced_mask<T> operator<(traced_integer a, traced_integer b) { return b > a; }
};

template <typename T>
struct traced_number {
    using scalar = T;
    using integer = traced_integer<T>;
    traced value;

    traced_number(T constant) : value{nullptr, -1, std::bit_cast<bits_type<T>>(constant)} {}
    explicit traced_number(const traced &r) : value(r) {}

    friend traced_number operator+(traced_number a, traced_number b) { return of(operation::add, a, b); }
    friend traced_number operator-(traced_number a, traced_number b) { return of(operation::sub, a, b); }
    friend traced_number operator*(traced_number a, traced_number b) { return of(operation::mul, a, b); }
    friend traced_number operator/(traced_number a, traced_number b) { return of(operation::div, a, b); }
    friend traced_number operator-(traced_number a) {
        if (a.value.where != nullptr) return of(operation::bit_xor, a, pattern(SIGN));
        return traced_number(traced{nullptr, -1, a.value.bits ^ SIGN});
    }

    // With a NaN the last one is true and the others are false.
    friend traced_mask<T> operator==(traced_number a, traced_number b) { return compare(0, a, b); }
    friend traced_mask<T> operator<(traced_number a, traced_number b) { return compare(17, a, b); }
    friend traced_mask<T> operator<=(traced_number a, traced_number b) { return compare(18, a, b); }
    friend traced_mask<T> operator>=(traced_number a, traced_number b) { return compare(29, a, b); }
    friend traced_mask<T> operator>(traced_number a, traced_number b) { return compare(30, a, b); }
    friend traced_mask<T> operator!=(traced_number a, traced_number b) { return compare(4, a, b); }

    friend traced_number fma(traced_number a, traced_number b, traced_number c) {
        return record<traced_number>(operation::fma, 0, a, b, c);
    }
    friend traced_number maximum(traced_number a, traced_number b) { return of(operation::maximum, a, b); }
    friend traced_number minimum(traced_number a, traced_number b) { return of(operation::minimum, a, b); }
    friend traced_number sqrt(traced_number a) { return record<traced_number>(operation::square_root, 0, a); }
    friend traced_number fabs(traced_number a) { return of(operation::bit_and, a, pattern(~SIGN)); }
    friend traced_number copysign(traced_number magnitude, traced_number sign) {
        return of(operation::bit_or, fabs(magnitude), of(operation::bit_and, sign, pattern(SIGN)));
    }
    friend integer bits_of(traced_number a) { return integer(a.value); }

private:
    static constexpr bits_type<T> SIGN = bits_type<T>(1) << (8 * sizeof(T) - 1);

    static traced_number pattern(bits_type<T> bits) { return traced_number(traced{nullptr, -1, bits}); }
    static traced_number of(operation what, traced_number a, traced_number b) {
        return record<traced_number>(what, 0, a, b);
    }
    static traced_mask<T> compare(uint64_t predicate, traced_number a, traced_number b) {
        return record<traced_mask<T>>(operation::compare, predicate, a, b);
    }
};

template <typename T>
traced_number<T> number_of(traced_integer<T> bits) {
    return traced_number<T>(bits.value);
}

template <typename T>
traced_number<T> select(traced_mask<T> condition, traced_number<T> a, traced_number<T> b) {
    return a.value == b.value ? a : record<traced_number<T>>(operation::select, 0, condition, a, b);
}
template <typename T>
traced_integer<T> select(traced_mask<T> condition, traced_integer<T> a, traced_integer<T> b) {
    return record<traced_integer<T>>(operation::select, 0, condition, a, b);
}

// The trace of a chain of post-ops, by the functions with which the reference computes them. Post-op i has the
// parameters 2i and 2i + 1, and operand i is the one that it reads. Constants have the compute type.
trace trace_post_ops(std::span<const post_op_conf> post_ops, jitnorm_data_type_t compute);

} // namespace jitnorm::impl::jit
