// SPDX-License-Identifier: Apache-2.0
#include "frame_table.hpp"

namespace jitnorm::impl::jit {

namespace {

// DWARF's instructions; the first two have an operand in their low bits.
constexpr uint8_t ADVANCE = 0x40, SAVED_AT = 0x80, ADVANCE_4_BYTES = 0x04, KEEP_RULES = 0x0A, TAKE_KEPT_RULES = 0x0B;
constexpr uint8_t FRAME_IS = 0x0C, FRAME_REGISTER_IS = 0x0D, FRAME_OFFSET_IS = 0x0E;
constexpr uint8_t RETURN_ADDRESS = 16, WORD = 8, MINUS_WORD = 0x78; // -8 as a signed LEB128

// Encodings of pointers: four bytes, relative to the pointer's own place (a field) or to the header's begin; or plain.
constexpr uint8_t FROM_FIELD = 0x1B, FROM_HEADER = 0x3B, PLAIN = 0x03;

// An entry of the section: its length, then its content, filled up with zeros, which are instructions that do nothing.
byte_string entry(byte_string content) {
    while (content.size() % WORD != WORD - sizeof(uint32_t)) content.push_back(0);
    byte_string result;
    append(result, uint32_t(content.size()));
    append_all(result, content);
    return result;
}

// The entry that all kernels have in common. It says that at their begin rsp points to the return address.
byte_string common_entry() {
    byte_string content(sizeof(uint32_t)); // a zero marks the common entry
    append(content, uint8_t(1));
    for (const char c : {'z', 'R', '\0'}) append(content, c);
    for (const uint8_t value : {uint8_t(1), MINUS_WORD, RETURN_ADDRESS}) append(content, value);
    for (const uint8_t value : {uint8_t(1), FROM_FIELD}) append(content, value);
    for (const uint8_t value : {FRAME_IS, frame_table::RSP, WORD}) append(content, value);
    for (const uint8_t value : {uint8_t(SAVED_AT | RETURN_ADDRESS), uint8_t(1)}) append(content, value);
    return entry(content);
}

} // namespace

void frame_table::advance(size_t to) {
    const size_t distance = to - at_;
    at_ = to;
    if (distance < 0x40) return append(rules_, uint8_t(ADVANCE | distance));
    append(rules_, ADVANCE_4_BYTES);
    append(rules_, uint32_t(distance));
}

void frame_table::pushed(size_t at, uint8_t reg) {
    const bool by_rsp = depth_ == 1; // the first push is that of rbp, which is the base of the frame from then on
    advance(at);
    ++depth_;
    if (by_rsp)
        for (const uint8_t value : {FRAME_OFFSET_IS, uint8_t(depth_ * WORD)}) append(rules_, value);
    for (const uint8_t value : {uint8_t(SAVED_AT | reg), uint8_t(depth_)}) append(rules_, value);
}

void frame_table::based_on_rbp(size_t at) {
    advance(at);
    for (const uint8_t value : {FRAME_REGISTER_IS, RBP}) append(rules_, value);
}

// The saved registers need no new rules: they are still in memory, since signal handlers do not write to the 128 bytes
// below rsp.
void frame_table::popped(size_t at) {
    advance(at);
    for (const uint8_t value : {KEEP_RULES, FRAME_IS, RSP, WORD}) append(rules_, value);
}

void frame_table::entered(size_t at) {
    advance(at);
    append(rules_, TAKE_KEPT_RULES);
}

byte_string frame_table::section(size_t code_size) const {
    byte_string result = common_entry(), content;
    const size_t from_section = result.size() + sizeof(uint32_t); // behind the length
    append(content, uint32_t(from_section));                      // back to the common entry
    append(content, -int32_t(offset_behind(code_size) + from_section + content.size()));
    append(content, uint32_t(code_size));
    append(content, uint8_t(0));
    append_all(content, rules_);
    append_all(result, entry(content));
    append(result, uint32_t(0)); // the end
    return result;
}

byte_string frame_table::header(size_t code_size, size_t section_size) {
    byte_string result;
    for (const uint8_t value : {uint8_t(1), FROM_FIELD, PLAIN, FROM_HEADER}) append(result, value);
    append(result, -int32_t(section_size + result.size()));
    append(result, uint32_t(1)); // entries, sorted by the address of their code
    append(result, -int32_t(offset_behind(code_size) + section_size));
    append(result, int32_t(common_entry().size()) - int32_t(section_size));
    return result;
}

} // namespace jitnorm::impl::jit
