// SPDX-License-Identifier: Apache-2.0
#include "debugger.hpp"

#include <cstring>
#include <new>
#include <utility>

#include <elf.h>

#include "../../system/process.hpp"
#include "frame_table.hpp"

namespace jitnorm::impl::jit {

enum class file_action : uint32_t { none, added, removed };

struct file_list {
    uint32_t version;
    file_action action;
    file_for_debugger *relevant, *first;
};

// A debugger finds this variable and this function by their names, and stops whenever the function is called. The names
// must not be exported, because another code generator in the process has its own variable and function.
static file_list the_files asm("__jit_debug_descriptor") = {1, file_action::none, nullptr, nullptr};

[[gnu::noinline, gnu::used]] static void tell_debugger() asm("__jit_debug_register_code");
static void tell_debugger() { asm volatile("" ::"m"(the_files) : "memory"); }

namespace {

// The caller holds process_lock.
void report(file_action action, file_for_debugger *file) {
    the_files.action = action;
    the_files.relevant = file;
    tell_debugger();
}

enum section : uint16_t { NO_SECTION, TEXT, FRAMES, SYMBOLS, NAMES, SECTIONS };

// The names of the sections and of the kernel, each followed by a zero.
class names {
public:
    uint32_t add(const char *name) {
        const size_t at = text_.size();
        append_all(text_, {reinterpret_cast<const uint8_t *>(name), std::strlen(name) + 1});
        return uint32_t(at);
    }
    const byte_string &text() const { return text_; }

private:
    byte_string text_ = {0};
};

// Puts an object file together, part by part. The headers are at the file's begin, but are written last.
class object_file {
public:
    object_file() : image_(sizeof(Elf64_Ehdr) + sizeof headers_) {}

    // Sets the section's name and type. The caller sets what else its header needs.
    Elf64_Shdr &describe(section number, const char *name, uint32_t type) {
        headers_[number].sh_name = names_.add(name);
        headers_[number].sh_type = type;
        return headers_[number];
    }

    void add(section number, std::span<const uint8_t> content) {
        pad(image_, 8);
        headers_[number].sh_offset = image_.size();
        headers_[number].sh_size = content.size();
        append_all(image_, content);
    }

    uint32_t add_name(const char *name) { return names_.add(name); }

    byte_string finish() {
        describe(NAMES, ".strtab", SHT_STRTAB);
        add(NAMES, names_.text());
        const Elf64_Ehdr head = file_header();
        std::memcpy(image_.data(), &head, sizeof head);
        std::memcpy(image_.data() + sizeof head, headers_, sizeof headers_);
        return std::move(image_);
    }

private:
    static Elf64_Ehdr file_header() {
        Elf64_Ehdr head = {};
        const uint8_t ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
        std::memcpy(head.e_ident, ident, sizeof ident);
        head.e_type = ET_REL;
        head.e_machine = EM_X86_64;
        head.e_version = EV_CURRENT;
        head.e_shoff = sizeof head;
        head.e_ehsize = sizeof head;
        head.e_shentsize = sizeof(Elf64_Shdr);
        head.e_shnum = SECTIONS;
        head.e_shstrndx = NAMES;
        return head;
    }

    byte_string image_;
    names names_;
    Elf64_Shdr headers_[SECTIONS] = {};
};

byte_string symbol_of(std::span<const uint8_t> code, uint32_t name) {
    Elf64_Sym symbol = {};
    symbol.st_name = name;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = TEXT;
    symbol.st_size = code.size();
    byte_string symbols(sizeof symbol); // the first symbol of a table must be zeros
    append(symbols, symbol);
    return symbols;
}

// The sections' addresses are those of the kernel in the process, and of the table of frames if it were behind the
// kernel.
byte_string object_file_of(std::span<const uint8_t> code, const char *name, std::span<const uint8_t> frames) {
    const auto begin = reinterpret_cast<uintptr_t>(code.data());
    object_file file;
    Elf64_Shdr &text = file.describe(TEXT, ".text", SHT_NOBITS); // the instructions are in the kernel's pages
    text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    text.sh_addr = begin;
    text.sh_size = code.size();
    Elf64_Shdr &table = file.describe(FRAMES, ".eh_frame", SHT_PROGBITS);
    table.sh_flags = SHF_ALLOC;
    table.sh_addr = begin + frame_table::offset_behind(code.size());
    file.add(FRAMES, frames);
    Elf64_Shdr &symbols = file.describe(SYMBOLS, ".symtab", SHT_SYMTAB);
    symbols.sh_link = NAMES;
    symbols.sh_info = 1; // the number of the first symbol that is not local
    symbols.sh_entsize = sizeof(Elf64_Sym);
    file.add(SYMBOLS, symbol_of(code, file.add_name(name)));
    return file.finish();
}

} // namespace

debugger_entry::debugger_entry(std::span<const uint8_t> code, const char *name,
                               std::span<const uint8_t> frames) noexcept {
    try {
        image_ = object_file_of(code, name, frames);
    } catch (const std::bad_alloc &) {
        return;
    }
    const std::lock_guard lock(process_lock);
    file_ = {.next = the_files.first, .previous = nullptr, .begin = image_.data(), .size = image_.size()};
    if (file_.next != nullptr) file_.next->previous = &file_;
    the_files.first = &file_;
    report(file_action::added, &file_);
}

debugger_entry::~debugger_entry() {
    if (file_.begin == nullptr) return;
    const std::lock_guard lock(process_lock);
    (file_.previous != nullptr ? file_.previous->next : the_files.first) = file_.next;
    if (file_.next != nullptr) file_.next->previous = file_.previous;
    report(file_action::removed, &file_);
}

} // namespace jitnorm::impl::jit
