// SPDX-License-Identifier: Apache-2.0
// recording: a number type that records every operation on it. The functions of src/arithmetic are templates over the
// number type. Called with this type, they leave a list of steps that computes them, and recorded_code.hpp turns the
// list into instructions. So the reference and generated code share one definition.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

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
    int a = -1, b = -1, c = -1; // the numbers of the steps whose results this step uses; -1: none
    uint64_t detail = 0;        // a number, a constant's bits, the predicate of a comparison, the count of a shift
};

class recording {
public:
    std::vector<step> steps;
    int result = -1; // the number of the step whose result is the result of all

    int append(const step &s) {
        steps.push_back(s);
        return int(steps.size()) - 1;
    }
    int constant(uint64_t bits) {
        for (size_t i = 0; i < steps.size(); ++i)
            if (steps[i].what == operation::constant && steps[i].detail == bits) return int(i);
        return append({operation::constant, -1, -1, -1, bits});
    }
};

// The result of a step; or a constant that no step has used yet, which is in no recording.
struct recorded {
    recording *where = nullptr;
    int index = -1;
    uint64_t bits = 0;

    int index_in(recording &r) const { return where == nullptr ? r.constant(bits) : index; }
    bool operator==(const recorded &) const = default;
};

// Records a step and returns its result. At least one of the values must not be a constant.
template <typename Result, typename... Values>
Result record(operation what, uint64_t detail, const Values &...values) {
    recording *where = nullptr;
    for (recording *home : {values.value.where...})
        if (home != nullptr) where = home;
    if (where == nullptr) throw std::logic_error("a step of constants alone is no step");
    step s{what, -1, -1, -1, detail};
    int *to[] = {&s.a, &s.b, &s.c}, i = 0;
    ((*to[i++] = values.value.index_in(*where)), ...);
    return Result(recorded{where, where->append(s)});
}

template <typename T>
struct recorded_mask {
    recorded value;
    explicit recorded_mask(const recorded &r) : value(r) {}
};

template <typename T>
using bits_type = std::conditional_t<std::is_same_v<T, double>, uint64_t, uint32_t>;

// An integer as wide as T.
template <typename T>
struct recorded_integer {
    recorded value;

    explicit recorded_integer(const recorded &r) : value(r) {}
    explicit recorded_integer(int constant) : value{nullptr, -1, bits_type<T>(constant)} {}

    friend recorded_integer operator+(recorded_integer a, recorded_integer b) {
        return record<recorded_integer>(operation::integer_add, 0, a, b);
    }
    friend recorded_integer operator-(recorded_integer a, recorded_integer b) {
        return record<recorded_integer>(operation::integer_sub, 0, a, b);
    }
    friend recorded_integer operator-(recorded_integer a) { return recorded_integer(0) - a; }
    friend recorded_integer operator<<(recorded_integer a, int count) {
        return record<recorded_integer>(operation::shift_left, uint64_t(count), a);
    }
    // A shift by one is for numbers whose magnitude is below 2^31, a shift by more for all numbers that are not
    // negative.
    friend recorded_integer operator>>(recorded_integer a, int count) {
        return record<recorded_integer>(count == 1 ? operation::halve : operation::shift_right, uint64_t(count), a);
    }
    friend recorded_mask<T> operator>(recorded_integer a, recorded_integer b) {
        return record<recorded_mask<T>>(operation::integer_greater, 0, a, b);
    }
    friend recorded_mask<T> operator<(recorded_integer a, recorded_integer b) { return b > a; }
};

template <typename T>
struct recorded_number {
    using scalar = T;
    using integer = recorded_integer<T>;
    recorded value;

    recorded_number(T constant) : value{nullptr, -1, std::bit_cast<bits_type<T>>(constant)} {}
    explicit recorded_number(const recorded &r) : value(r) {}

    friend recorded_number operator+(recorded_number a, recorded_number b) { return of(operation::add, a, b); }
    friend recorded_number operator-(recorded_number a, recorded_number b) { return of(operation::sub, a, b); }
    friend recorded_number operator*(recorded_number a, recorded_number b) { return of(operation::mul, a, b); }
    friend recorded_number operator/(recorded_number a, recorded_number b) { return of(operation::div, a, b); }
    friend recorded_number operator-(recorded_number a) {
        if (a.value.where != nullptr) return of(operation::bit_xor, a, pattern(SIGN));
        return recorded_number(recorded{nullptr, -1, a.value.bits ^ SIGN});
    }

    // With a NaN the last one is true and the others are false.
    friend recorded_mask<T> operator==(recorded_number a, recorded_number b) { return compare(0, a, b); }
    friend recorded_mask<T> operator<(recorded_number a, recorded_number b) { return compare(17, a, b); }
    friend recorded_mask<T> operator<=(recorded_number a, recorded_number b) { return compare(18, a, b); }
    friend recorded_mask<T> operator>=(recorded_number a, recorded_number b) { return compare(29, a, b); }
    friend recorded_mask<T> operator>(recorded_number a, recorded_number b) { return compare(30, a, b); }
    friend recorded_mask<T> operator!=(recorded_number a, recorded_number b) { return compare(4, a, b); }

    friend recorded_number fma(recorded_number a, recorded_number b, recorded_number c) {
        return record<recorded_number>(operation::fma, 0, a, b, c);
    }
    friend recorded_number maximum(recorded_number a, recorded_number b) { return of(operation::maximum, a, b); }
    friend recorded_number minimum(recorded_number a, recorded_number b) { return of(operation::minimum, a, b); }
    friend recorded_number square_root(recorded_number a) {
        return record<recorded_number>(operation::square_root, 0, a);
    }
    friend recorded_number absolute(recorded_number a) { return of(operation::bit_and, a, pattern(~SIGN)); }
    friend recorded_number copy_sign(recorded_number magnitude, recorded_number sign) {
        return of(operation::bit_or, absolute(magnitude), of(operation::bit_and, sign, pattern(SIGN)));
    }
    friend integer bits_of(recorded_number a) { return integer(a.value); }

private:
    static constexpr bits_type<T> SIGN = bits_type<T>(1) << (8 * sizeof(T) - 1);

    static recorded_number pattern(bits_type<T> bits) { return recorded_number(recorded{nullptr, -1, bits}); }
    static recorded_number of(operation what, recorded_number a, recorded_number b) {
        return record<recorded_number>(what, 0, a, b);
    }
    static recorded_mask<T> compare(uint64_t predicate, recorded_number a, recorded_number b) {
        return record<recorded_mask<T>>(operation::compare, predicate, a, b);
    }
};

template <typename T>
recorded_number<T> number_of(recorded_integer<T> bits) {
    return recorded_number<T>(bits.value);
}

template <typename T>
recorded_number<T> select(recorded_mask<T> condition, recorded_number<T> a, recorded_number<T> b) {
    return a.value == b.value ? a : record<recorded_number<T>>(operation::select, 0, condition, a, b);
}
template <typename T>
recorded_integer<T> select(recorded_mask<T> condition, recorded_integer<T> a, recorded_integer<T> b) {
    return record<recorded_integer<T>>(operation::select, 0, condition, a, b);
}

} // namespace jitnorm::impl::jit
