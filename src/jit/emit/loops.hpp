// SPDX-License-Identifier: Apache-2.0
// loops: emits the loop over the rows of a batch, the loop over the vectors of a row, and loads and stores of the
// incomplete vector at the row's end.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../kernel_generator.hpp"
#include "../kernel_key.hpp"

namespace jitnorm::impl::jit {

// The rows of a batch in one tensor. `at` has a register for each row of a pass. The memory `first` has the address of
// the batch's first row, and `stride` the number of bytes from row to row.
struct stepped_rows {
    std::vector<reg> at;
    Xbyak::Address first, stride;
};

// Emits the loop over the rows of a batch, with one or several rows in a pass. It keeps the addresses of the rows in
// each tensor, and of the numbers of the rows in arrays that have one number of the compute type for each row.
class row_loop {
public:
    // `index` holds the index of the pass's first row; `number` is the address of the number of rows.
    row_loop(kernel_generator &g, const reg &index, const reg &scratch, const Xbyak::Address &number,
             std::vector<stepped_rows> tensors)
        : g_(g), index_(index), scratch_(scratch), number_(number), tensors_(std::move(tensors)) {}

    void begin();

    // Emits passes of `rows` rows, each with body(), until fewer rows are left.
    void step(int rows, function_ref<void()> body);

    // The same for bodies that move on row by row themselves, by move_on().
    void while_left(int rows, function_ref<void()> body);
    void move_on();

    // Loads the addresses of the row with the current index, for loops outside this class.
    void point_to_row() const;
    void point_to_row(const reg &to, const Xbyak::Address &first, const Xbyak::Address &stride) const;

    // Broadcasts the numbers of to.size() rows, each to all lanes of its register. `array` has the array's address.
    void broadcast(const Xbyak::Address &array, std::span<const vmm> to);

    // The address of the number of the pass's first row; the numbers of the pass's other rows follow it. `array` has
    // the array's address, which is loaded into the scratch register.
    Xbyak::RegExp numbers(const Xbyak::Address &array);
    Xbyak::RegExp numbers(const reg &array) const { return array + index_ * g_.kind.element(); }

private:
    void point_after(size_t last, size_t next);

    kernel_generator &g_;
    reg index_, scratch_;
    Xbyak::Address number_;
    std::vector<stepped_rows> tensors_;
};

// The place of a vector in the row: its slot, which is its number among the vectors of the unrolled body, counted from
// the loop's position.
struct place {
    int slot;
    bool tail; // whether the vector is incomplete, so that loads and stores need the tail mask
};
using places = std::span<const place>;
class tail_mask;

// A row whose elements have `size` bytes, to which their addresses are aligned; and a register for numbers of elements.
struct lines {
    reg row;
    int size;
    reg rest;
};

using vectors_body = function_ref<void(places)>; // emits code for some vectors

// Emits the loop over the elements of a row, in vectors of the compute type, and prefetches for them. Only this class
// unrolls, and handles the whole vectors that the unrolled loop leaves over and the incomplete vector at the row's end.
class vector_loop {
public:
    // `position` is the number of elements before the current ones, `left` the number of elements that are still to be
    // walked. A walk changes both registers.
    vector_loop(kernel_generator &g, const reg &position, const reg &left) : g_(g), position_(position), left_(left) {}

    // A loop without a position, for walk_straight() over rows of `count` elements: slots count from the row's start.
    vector_loop(kernel_generator &g, const reg &count) : g_(g), left_(count) {}

    // Goes to the start of a row, with `count` elements to walk.
    void begin(const reg &count);
    // Goes to element `first` of a row of `count` elements, to walk the rest of the row or at most so many elements.
    void begin(const reg &count, const Xbyak::Address &first, int most);
    // The same for walk_lines(). Pieces end where lines of the row end: the first piece also has the elements before
    // the row's first whole line, and all others begin as many elements later. Changes row.rest.
    void begin_in_lines(const reg &count, const Xbyak::Address &first, int most, const lines &row);

    // The address of a vector in a row of elements of `size` bytes.
    Xbyak::RegExp at(const Xbyak::RegExp &row, const place &p, int size) const;

    // The address after the first (left() & mask) elements of an incomplete vector. Changes the register `skipped`.
    Xbyak::RegExp after(const reg &row, const place &p, int size, const reg &skipped, int mask) const;

    const reg &left() const { return left_; }

    // Emits body(places) for all vectors of the next `left` elements, first `unroll` vectors at a time and then one by
    // one. Element c of the walk is in slot c / width mod unroll. The number of elements may be any, also zero. Only
    // the last vector can be incomplete.
    void walk(int unroll, vectors_body body);

    // The same for bodies that do not depend on the slot: vectors that the unrolled loop leaves over have slot 0, which
    // needs less code.
    void walk_freely(int unroll, vectors_body body);

    // The same for stores past the caches, which must fill whole cache lines: past_caches(places) is emitted for the
    // whole lines that the next `left` elements take in `row`; ordinary(places), one vector at a time, for the elements
    // before and after them. Prepares `tail` for each part. Changes row.rest, which the bodies must not, and
    // `scratch`.
    void walk_lines(const lines &row, tail_mask &tail, const reg &scratch, int unroll, vectors_body past_caches,
                    vectors_body ordinary);

    // Emits code without a loop for rows of 1 to `most` vectors: for each number of vectors a piece of its own, with
    // and without an incomplete vector at the end, followed by a jump to `done`. Longer rows go on after all pieces.
    void walk_straight(int most, Xbyak::Label &done, vectors_body body);

    // How many bytes ahead of ordinary stores their cache lines are prefetched. Without this, stores that cross two
    // lines and miss L1 would wait for one line after the other.
    static constexpr int AHEAD_OF_STORES = 128;

    // Prefetch the cache lines of a row's vectors, one instruction for each line, but none for the incomplete vector:
    // for later loads of elements of `type`, and for stores `ahead` bytes after these vectors.
    void prefetch(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                  prefetch_to cache = prefetch_to::l1) const;
    void prefetch_for_write(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                            int ahead = AHEAD_OF_STORES) const;

private:
    void emit_unrolled(int unroll, Xbyak::Label &done, vectors_body body);
    void emit_whole(vectors_body body);
    void find_line(const lines &row, const Xbyak::RegExp &from);
    void emit_remainder(int unroll, int slot, Xbyak::Label &done, vectors_body body);
    void for_each_line(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                       function_ref<void(const Xbyak::RegExp &)> hint) const;
    int width() const { return g_.kind.width(); }

    kernel_generator &g_;
    std::optional<reg> position_;
    reg left_;
};

// Emits the loop of a kernel that works on two batches of equally long rows at once, row beside row: PIECE elements of
// a row of the first batch, the same columns of a row of the second, and so on. While one of them waits for memory, the
// processor works on the other. If one batch has more rows, the rest of them are done without a partner.
class paired_rows {
public:
    // Beyond the caches f32 takes up to 4 % less with 128 elements, and backward 3 to 7 % more with 512, where either
    // row waits for the other's memory. bf16, which computes more for each byte, takes 2 to 8 % more with 128.
    static constexpr int PIECE = 256;

    // `index` holds the index of both rows, the quadword `begin` the first element of the piece.
    paired_rows(kernel_generator &g, const reg &index, const reg &count, const Xbyak::Address &begin)
        : g_(g), index_(index), count_(count), begin_(begin) {}

    struct batch {
        Xbyak::Address number;     // of its rows
        function_ref<void()> body; // emits the code for a piece
    };
    // At least one batch has rows.
    void walk(const batch &first, const batch &second) const;

    // For the bodies: goes to the piece; emits what is done before the first piece of a row.
    void go_to_piece(vector_loop &loop) const { loop.begin(count_, begin_, PIECE); }
    void go_to_lines(vector_loop &loop, const lines &row) const { loop.begin_in_lines(count_, begin_, PIECE, row); }
    void at_first(function_ref<void()> body) const;
    // Sets `to` to the first element after the piece, or a later one that the row does not have.
    void end_of_piece(const reg &to) const;

private:
    kernel_generator &g_;
    reg index_, count_;
    Xbyak::Address begin_;
};

// Loads and stores the last, incomplete vector of a row of elements of the compute type, and touches no memory after
// it. Absent elements become zero. With AVX2 the mask is a vector in which the bits of present elements are ones; it is
// loaded from a table after the code. With AVX-512 it is a mask register, and the vector is not used.
class tail_mask {
public:
    tail_mask(kernel_generator &g, const vmm &mask) : g_(g), mask_(mask) {}

    // Sets the mask for rows of `count` elements. Changes the registers `scratch` and `other`.
    void prepare(const reg &count, const reg &scratch, const reg &other);
    void load(const vmm &v, const Xbyak::RegExp &at);
    void store(const Xbyak::RegExp &at, const vmm &v);
    void zero_absent(const vmm &v);
    // Zero where elements are absent.
    void sum_of_present(const vmm &sum, const vmm &a, const Xbyak::Operand &b);

    const Xbyak::Opmask &opmask() const { return opmask_; } // AVX-512 only
    const vmm &vector() const { return mask_; }             // AVX2 only

private:
    kernel_generator &g_;
    vmm mask_;
    Xbyak::Opmask opmask_{TAIL_MASK};
};

// The same for narrow elements with AVX2, which cannot mask them in memory. The elements are cut into pieces of 4, 2
// and 1, according to the bits of their number.
class vector_pieces {
public:
    vector_pieces(kernel_generator &g, const vector_loop &loop, const reg &scratch)
        : g_(g), loop_(loop), scratch_(scratch) {}

    // Loads the elements to the bottom of v, with zeros above them.
    void collect(const Xbyak::Xmm &v, const reg &row, const place &p, int size);
    // Stores the elements at the bottom of v. Changes v.
    void scatter(const Xbyak::RegExp &at, const Xbyak::Xmm &v, int size);

private:
    void insert_lowest(const Xbyak::Xmm &v, const Xbyak::RegExp &at, int bytes);
    void store_lowest(const Xbyak::Xmm &v, int bytes);

    kernel_generator &g_;
    vector_loop loop_;
    reg scratch_;
};

} // namespace jitnorm::impl::jit
