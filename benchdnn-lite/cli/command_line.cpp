// SPDX-License-Identifier: Apache-2.0
// From arguments to the list of things to run.
#include "command_line.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "../error.hpp"
#include "batch_file.hpp"
#include "completion.hpp"
#include "knobs.hpp"

namespace benchdnn_lite {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view DRIVER = "--lnorm";
constexpr size_t MAX_DEPTH = 32; // of nested batch files

// Names the file already.
struct mistake_in_file : input_error {
    using input_error::input_error;
};

class parser {
public:
    void take(const std::string &text, const fs::path &folder);
    command finish();

private:
    void take_knob(const std::string &text, const fs::path &folder);
    void take_batch(const std::string &name, const fs::path &folder);
    void read_batch(const fs::path &file, const std::string &name);
    void take_problem(const std::string &text);

    knob_state state_;
    bool driver_named_ = false, problem_named_ = false;
    command result_;
    batch_folders folders_;
    std::vector<fs::path> open_files_; // those being read, outermost first
};

void parser::take(const std::string &text, const fs::path &folder) {
    if (text == DRIVER)
        driver_named_ = true;
    else if (text.starts_with('-'))
        take_knob(text, folder);
    else
        take_problem(text);
}

// -vN is --verbose=N, -h is --help.
std::string long_form(const std::string &text) {
    if (text == "-h") return "--help";
    return text.starts_with("-v") ? concat("--verbose=", text.substr(2)) : text;
}

[[noreturn]] void reject_unknown(const std::string &option) {
    const std::string_view close = option.starts_with("--") ? closest_knob(option.substr(2)) : "";
    if (close.empty()) throw input_error("unknown knob '", option, "' (--help lists them)");
    throw input_error("unknown knob '", option, "' (the closest is --", close, ")");
}

void parser::take_knob(const std::string &text, const fs::path &folder) {
    const std::string full = long_form(text);
    const size_t equals = full.find('=');
    const std::string option = full.substr(0, equals);
    const knob *k = option.starts_with("--") ? find_knob(option.substr(2)) : nullptr;
    if (!k) reject_unknown(option);
    const bool has_value = equals != full.npos, takes_value = !k->example.empty();
    if (takes_value != has_value) throw input_error(option, (takes_value ? " needs a value" : " takes no value"));
    try {
        k->set(state_, has_value ? full.substr(equals + 1) : "");
        if (!state_.batch.empty()) take_batch(std::exchange(state_.batch, {}), folder);
    } catch (const mistake_in_file &) {
        throw;
    } catch (const input_error &error) {
        throw input_error(option, ": ", error.what());
    }
}

void parser::take_batch(const std::string &name, const fs::path &folder) {
    const fs::path file = fs::canonical(folders_.find(name, folder));
    if (std::find(open_files_.begin(), open_files_.end(), file) != open_files_.end())
        throw input_error("batch file '", name, "' includes itself");
    if (open_files_.size() == MAX_DEPTH) throw input_error("batch files are nested too deeply");
    constexpr int SHOWS_FILES = 50;
    if (state_.options.verbosity >= SHOWS_FILES) result_.notes.push_back(concat("file used: ", file.string()));
    open_files_.push_back(file);
    read_batch(file, name);
    open_files_.pop_back();
}

void parser::read_batch(const fs::path &file, const std::string &name) {
    std::ifstream input(file);
    if (!input) throw input_error("cannot read batch file '", name, "'");
    for (const word &w : words_of(input)) {
        try {
            take(w.text, file.parent_path());
        } catch (const input_error &error) {
            throw mistake_in_file(name, ":", std::to_string(w.line), ": ", error.what());
        }
    }
}

void parser::take_problem(const std::string &text) {
    const run_options &options = state_.options;
    if (!options.fills() && (options.mode.check || options.mode.bitwise))
        throw input_error("--mode-modifier: M leaves nothing to check; it goes with the modes I, R, P and F");
    problem_named_ = true;
    append_problems(state_.driver, parse_shape(text), options, result_.jobs);
}

std::string padded(std::string text, size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

std::string help_text() {
    std::string text =
        "Checks and times layer normalization, in the syntax of oneDNN's benchdnn.\n"
        "  benchdnn-lite --lnorm [knob...] problem...        (--graph --help: graphs of layer normalizations)\n"
        "A problem is a shape, normalized over its last dimension, perhaps named: 128x768 2x4x16_n\"name*3\".\n"
        "Lists run in every combination; a knob holds until it is set again; no value at all is the default.\n"
        "Examples of all knobs:\n";
    for (const knob &k : knobs())
        text += concat(padded(concat("  --", k.name, k.example.empty() ? "" : "=", k.example), 47), k.help, "\n");
    return text + "Examples of use:\n"
                  "  benchdnn-lite --lnorm --dt=f32,bf16 --flags=,CH 128x768 256x1024\n"
                  "  benchdnn-lite --lnorm --mode=P --dir=BWD_DW --flags=CH --perf-template=table --batch=shapes_bert\n"
                  "  benchdnn-lite --lnorm --mode=B --batch=shapes_models\n"
                  "Exit status: 0 nothing failed, 1 something failed, 2 a mistake on the command line or in a file.\n";
}

command parser::finish() {
    if (state_.help) result_.text = help_text();
    if (!state_.completion.empty()) result_.text = completion_for(state_.completion);
    if (!result_.text.empty()) return std::move(result_);
    if (!driver_named_) throw input_error("name a driver: --lnorm or --graph (--help explains)");
    if (!problem_named_) throw input_error("no problem to run: give a shape such as 128x768, or --batch=FILE");
    result_.json = state_.json;
    return std::move(result_);
}

} // namespace

command parse_command_line(const std::vector<std::string> &arguments) {
    parser p;
    for (const std::string &argument : arguments) p.take(argument, ".");
    return p.finish();
}

} // namespace benchdnn_lite
