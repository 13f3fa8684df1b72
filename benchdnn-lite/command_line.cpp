// SPDX-License-Identifier: Apache-2.0
// From arguments to the list of things to run.
#include "command_line.hpp"

#include <algorithm>
#include <fstream>

#include "batch_file.hpp"
#include "error.hpp"
#include "knobs.hpp"

namespace benchdnn_lite {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view DRIVER = "--lnorm";

class parser {
public:
    void take(const std::string &text, const fs::path &folder);
    command finish();

private:
    void take_knob(const std::string &text, const fs::path &folder);
    void take_batch(const fs::path &name, const fs::path &folder);

    knob_state state_;
    bool driver_named_ = false;
    std::vector<job> jobs_;
    std::vector<fs::path> open_files_; // those being read, outermost first
};

void parser::take(const std::string &text, const fs::path &folder) {
    if (text == DRIVER)
        driver_named_ = true;
    else if (text.starts_with('-'))
        take_knob(text, folder);
    else
        append_problems(state_.driver, parse_shape(text), state_.options, jobs_);
}

void parser::take_knob(const std::string &text, const fs::path &folder) {
    const size_t equals = text.find('=');
    const std::string option = text.substr(0, equals), name = option.starts_with("--") ? option.substr(2) : "";
    const bool has_value = equals != text.npos;
    const std::string value = has_value ? text.substr(equals + 1) : "";
    const knob *k = find_knob(option == "-h" ? "help" : name);
    if (!k && name != "batch") throw input_error("unknown knob '", option, "' (--help lists them)");
    const bool takes_value = !k || !k->values.empty();
    if (takes_value != has_value) throw input_error(option, (takes_value ? " needs a value" : " takes no value"));
    if (!k) return take_batch(value, folder);
    try {
        k->set(state_, value);
    } catch (const input_error &error) {
        throw input_error(option, ": ", error.what());
    }
}

void parser::take_batch(const fs::path &name, const fs::path &folder) {
    const fs::path file = fs::canonical(find_batch_file(name, folder));
    if (std::find(open_files_.begin(), open_files_.end(), file) != open_files_.end())
        throw input_error("batch file '", name.string(), "' includes itself");
    std::ifstream input(file);
    if (!input) throw input_error("cannot read batch file '", name.string(), "'");
    open_files_.push_back(file);
    for (const word &w : words_of(input)) {
        try {
            take(w.text, file.parent_path());
        } catch (const input_error &error) {
            throw input_error(name.string(), ":", std::to_string(w.line), ": ", error.what());
        }
    }
    open_files_.pop_back();
}

command parser::finish() {
    if (state_.help) return {true, {}};
    if (!driver_named_) throw input_error("name a driver: --lnorm is the only one (--help explains)");
    if (jobs_.empty()) throw input_error("no problem to run: give a shape such as 128x768, or --batch=FILE");
    return {false, std::move(jobs_)};
}

std::string padded(std::string text, size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

} // namespace

command parse_command_line(const std::vector<std::string> &arguments) {
    parser p;
    for (const std::string &argument : arguments) p.take(argument, ".");
    return p.finish();
}

std::string help_text() {
    std::string text =
        "Checks and times layer normalization.\n\n"
        "  benchdnn-lite --lnorm [knob...] problem...\n\n"
        "A problem is a shape, normalized over its last dimension: 128x768, 2x4x16, 128x768_n\"a name\".\n"
        "Comma-separated values run in every combination; a knob holds until it is set again.\n\n";
    const auto row = [&](std::string_view name, std::string_view values, std::string_view help) {
        std::string option = concat("  --", name, values.empty() ? "" : "=", values);
        text += concat(padded(std::move(option), 40), help, "\n");
    };
    for (const knob &k : knobs()) {
        row(k.name, k.values, k.help);
        if (k.name == "mode") row("batch", "FILE", "take knobs and problems from a file; files may nest");
    }
    return text + "\nExamples\n"
                  "  benchdnn-lite --lnorm --dt=f32,bf16 --flags=,CH 128x768 256x1024\n"
                  "  benchdnn-lite --lnorm --mode=P --dir=BWD_DW --flags=CH --batch=shapes_bert\n"
                  "  benchdnn-lite --lnorm --dt=f32:s8 --attr-scales=dst:common:0.5 --tag=abx,axb 4x8x64\n\n"
                  "Exit status: 0 all passed or skipped, 1 something failed, 2 mistake on the command line.\n";
}

} // namespace benchdnn_lite
