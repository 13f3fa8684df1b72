// SPDX-License-Identifier: Apache-2.0
// Reads the arguments and batch files, and makes the list of jobs.
#include "command_line.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "../error.hpp"
#include "../problem/api.hpp"
#include "batch_file.hpp"
#include "knobs.hpp"

namespace benchdnn_lite {

namespace fs = std::filesystem;

namespace {

constexpr size_t MAX_DEPTH = 32; // of nested batch files

// A mistake whose text already has the name of the batch file.
struct mistake_in_file : input_error {
    using input_error::input_error;
};

// A word of the command line or of a batch file.
struct argument_word {
    const std::string &text;
    const std::string *next; // the word after it; null: none
    const fs::path &folder;  // that of the batch file; "." for the command line
};

bool is_driver(std::string_view text) { return text == name_of(driver::lnorm) || text == name_of(driver::graph); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Replaces -vN by --verbose=N, -v by --verbose, and -h by --help.
std::string long_form(const std::string &text) {
    if (text == "-h") return "--help";
    if (!text.starts_with("-v") || !std::all_of(text.begin() + 2, text.end(), is_digit)) return text;
    return concat("--verbose", text.size() > 2 ? "=" : "", text.substr(2));
}

std::string content_of(const fs::path &file, const std::string &name) {
    std::ifstream input(file);
    std::string content;
    for (char c; input.get(c);) content += c;
    if (!input.eof()) throw input_error("cannot read '", name, "'"); // reading stopped before the end of the file
    return content;
}

std::string padded(std::string text, size_t width) {
    text.resize(std::max(text.size() + 2, width), ' ');
    return text;
}

constexpr std::string_view LNORM_HELP[] = {
    "Usage: benchdnn-lite --lnorm [knob...] problem...\n"
    "   or: benchdnn-lite --graph [knob...] --case=FILE...   (graphs: --graph --help)\n"
    "Checks and times layer normalization, in the syntax of oneDNN's benchdnn.\n"
    "A problem is a shape, normalized over its last dimension, perhaps named: 128x768 2x4x16_n\"name*3\".\n"
    "Lists run in every combination; a knob holds until it is set again; an empty value is the default.\n"
    "Examples of all knobs:\n",
    "Examples of use:\n"
    "  benchdnn-lite --lnorm --dt=f32,bf16 --flags=,CH 128x768 256x1024\n"
    "  benchdnn-lite --lnorm --mode=P --dir=BWD_DW --flags=CH --perf-template=table --batch=shapes_bert\n"
    "  benchdnn-lite --lnorm --mode=B --batch=shapes_models\n"};

constexpr std::string_view GRAPH_HELP[] = {
    "Usage: benchdnn-lite --graph [knob...] --case=FILE...\n"
    "Checks and times serialized graphs of layer normalizations, in the syntax of oneDNN's benchdnn.\n"
    "Alternatives between commas run in every combination; a knob holds for the cases after it.\n"
    "Examples of all knobs:\n",
    "Examples of use:\n"
    "  benchdnn-lite --graph --mode=CP --dt=f32,bf16 --case=op/f32/lnorm.json\n"
    "  benchdnn-lite --graph --batch=test_graph_ci\n"};

// The answer to the program's name without arguments.
constexpr std::string_view FIRST_STEPS =
    "a driver and a problem are missing: 'benchdnn-lite --lnorm 128x768' checks a layer normalization, "
    "'benchdnn-lite --lnorm --mode=P 128x768' times it, 'benchdnn-lite --help' lists all knobs";

// What users of benchdnn and of other programs look for in vain, and what there is instead.
constexpr struct {
    std::string_view names, answer;
} NOT_HERE[] = {
    {"binary bnorm brgemm concat conv deconv eltwise gnorm ip lrn matmul pool prelu reduction reorder resampling rnn "
     "shuffle softmax sum zeropad",
     " is a driver of benchdnn that is not here: there are --lnorm and --graph"},
    {"attr-precomputed-reductions attr-same-pd-check buffer-prefix check-ref-impl concise global-impl global-skip-impl",
     " is a knob of benchdnn that is not here"},
    {"threads num-threads nthreads nthr omp-threads",
     " is no knob: OMP_NUM_THREADS=N in the environment sets the number of threads"},
    {"axis", " is no knob: the last dimension is normalized"},
    {"mb batch-size", " is no knob: the batch is the shape's first dimension"},
    {"rms rmsnorm rms_norm", " is a flag here: --lnorm --flags=M"},
    {"isa cpu-isa max-cpu-isa", " is no knob: JITNORM_MAX_CPU_ISA=AVX2 in the environment limits the instruction set"},
};

std::string idle_knobs_text(driver which) {
    constexpr size_t WIDTH = 100;
    std::string text, line = "Without effect here:";
    for (const knob &k : knobs_of(which)) {
        if (!k.help.empty()) continue;
        const std::string example = concat("  --", k.name, "=", k.example);
        if (line.size() + example.size() > WIDTH) {
            text += concat(line, "\n");
            line.clear();
        }
        line += example;
    }
    return concat(text, line, "\n");
}

std::string help_text(driver which) {
    const auto &[before, after] = which == driver::graph ? GRAPH_HELP : LNORM_HELP;
    std::string text(before);
    for (const knob &k : knobs_of(which)) {
        if (k.help.empty()) continue;
        std::string example = concat("  --", k.name, k.example.empty() ? "" : "=", k.example);
        for (const std::string &line : split(k.help, '\n'))
            text += concat(padded(std::exchange(example, ""), 47), line, "\n");
    }
    return concat(text, idle_knobs_text(which), after,
                  "Exit status: 0 nothing failed, 1 something failed, 2 a mistake on the command line or in a file.\n");
}

std::string version_text() {
    const std::string headers = format("%d.%d.%d", JITNORM_VERSION_MAJOR, JITNORM_VERSION_MINOR, JITNORM_VERSION_PATCH);
    return concat("benchdnn-lite ", headers, ", jitnorm ", library_version(), "\n");
}

class parser {
public:
    explicit parser(driver which) { state_.which = which; }

    // Takes a word of the command line.
    void take_argument(const argument_word &a) {
        typed_ += concat(" ", without_control_characters(a.text));
        take(a);
    }

    void take(const argument_word &a) {
        if (is_driver(a.text))
            take_driver(a.text);
        else if (a.text.starts_with('-') && !(a.text.size() > 1 && is_digit(a.text[1])))
            take_knob(a);
        else
            take_problem(a.text);
    }

    command finish() {
        if (state_.help) result_.text = help_text(state_.which);
        if (state_.version) result_.text = version_text();
        if (!result_.text.empty()) return std::move(result_);
        if (typed_.empty()) throw input_error(FIRST_STEPS);
        if (!driver_named_)
            throw input_error("name a driver, --lnorm or --graph: benchdnn-lite ", name_of(state_.which), typed_);
        if (result_.jobs.empty() && result_.graphs.empty()) reject_empty();
        result_.json = state_.json;
        result_.summary = state_.summary;
        const std::string unused = warning_of_unused_knobs();
        const std::string_view both = state_.warning.empty() || unused.empty() ? "" : "; ";
        if (!state_.warning.empty() || !unused.empty())
            result_.warning = concat("warning: ", state_.warning, both, unused);
        return std::move(result_);
    }

private:
    void take_driver(const std::string &text) {
        if (text != name_of(state_.which))
            throw input_error(text, " and ", name_of(state_.which), " exclude each other: name one driver");
        driver_named_ = true;
    }

    void take_knob(const argument_word &a) {
        const std::string full = long_form(a.text);
        const size_t equals = full.find('=');
        const std::string option = full.substr(0, equals);
        const knob *k = option.starts_with("--") ? find_knob(option.substr(2), state_.which) : nullptr;
        if (!k) reject_unknown(option);
        const bool has_value = equals != full.npos, takes_value = !k->example.empty();
        if (takes_value && !has_value) reject_without_value(*k, a.next);
        if (has_value && !takes_value) throw input_error(option, " takes no value");
        set(*k, has_value ? std::string_view(full).substr(equals + 1) : "", a.folder);
        if (k->holds) unused_.push_back(full);
    }

    // benchdnn warns here, too, and goes on.
    std::string warning_of_unused_knobs() const {
        if (unused_.empty()) return "";
        std::string knobs;
        for (const std::string &knob : unused_) knobs += concat(knobs.empty() ? "" : " ", knob);
        return concat("no problem follows ", without_control_characters(knobs),
                      unused_.size() == 1 ? ", which applies to nothing" : ", which apply to nothing",
                      ": a knob holds for the problems after it");
    }

    void set(const knob &k, std::string_view value, const fs::path &folder) {
        settings_.reset();
        try {
            k.set(state_, value);
            if (!state_.batch.empty()) take_batch(std::exchange(state_.batch, {}), folder);
        } catch (const mistake_in_file &) {
            throw;
        } catch (const input_error &error) {
            throw input_error("--", k.name, ": ", error.what());
        }
        if (!state_.graph_file.empty()) take_graph(std::exchange(state_.graph_file, {}), folder);
    }

    void take_batch(const std::string &name, const fs::path &folder) {
        const fs::path found = folders_.find(name, folder);
        std::error_code has_none; // as a pipe
        const fs::path canonical = fs::canonical(found, has_none), file = has_none ? found : canonical;
        if (std::find(open_files_.begin(), open_files_.end(), file) != open_files_.end())
            throw input_error("batch file '", name, "' includes itself");
        if (open_files_.size() == MAX_DEPTH) throw input_error("batch files are nested too deeply");
        constexpr int SHOWS_FILES = 50;
        if (state_.options.verbosity >= SHOWS_FILES) result_.notes.push_back(concat("file used: ", file.string()));
        open_files_.push_back(file);
        read_batch(file, name);
        open_files_.pop_back();
    }

    void read_batch(const fs::path &file, const std::string &name) {
        std::ifstream input(file);
        if (!input) throw input_error("cannot read batch file '", name, "'");
        const std::vector<word> words = words_of(input);
        if (input.bad()) throw input_error("cannot read batch file '", name, "'");
        for (size_t i = 0; i < words.size(); ++i) {
            try {
                take({words[i].text, i + 1 < words.size() ? &words[i + 1].text : nullptr, file.parent_path()});
            } catch (const input_error &error) {
                throw mistake_in_file(name, ":", std::to_string(words[i].line), ": ", error.what());
            }
        }
    }

    void take_graph(const std::string &name, const fs::path &folder) {
        const std::string content = blame("--case", [&] { return content_of(folders_.look_up(name, folder), name); });
        take_note_of_problem();
        append_graphs(state_.graph, name, content, state_.options, result_.graphs);
    }

    void take_problem(const std::string &text) {
        const std::string name = text.substr(0, text.find('='));
        if (name != text && find_knob(name, state_.which))
            throw input_error("'", text, "' is not a problem; write the knob as --", text);
        if (is_driver(concat("--", text)))
            throw input_error("'", text, "' is not a problem; write the driver as --", text);
        if (state_.which == driver::graph) throw input_error("'", text, "' is not a knob; name a graph by --case=FILE");
        const run_options &options = state_.options;
        if (!options.fills() && (options.mode.check || options.mode.bitwise))
            throw input_error(options.mode.fast ? "--mode: F" : "--mode-modifier: M",
                              " fills no tensors, so that nothing can be checked",
                              options.mode.fast ? "" : "; it needs mode I, R, P or F");
        take_note_of_problem();
        if (!settings_) settings_ = std::make_shared<const job_settings>(job_settings{state_.lnorm, options});
        result_.jobs.append(settings_, parse_shape(text));
    }

    void take_note_of_problem() {
        problem_named_ = true;
        unused_.clear();
    }

    [[noreturn]] void reject_unknown(const std::string &option) const {
        const driver other = state_.which == driver::graph ? driver::lnorm : driver::graph;
        const std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
        if (option.starts_with("--") && find_knob(option.substr(2), other))
            throw input_error(name_of(state_.which), " has no knob '", option, "', only ", name_of(other), " has");
        if (is_driver(option)) throw input_error(option, " takes no value; a problem is a word of its own");
        for (const auto &[names, answer] : NOT_HERE)
            if (std::ranges::count(split(names, ' '), name) != 0) throw input_error("--", name, answer);
        std::vector<std::string> known;
        for (const driver d : {driver::lnorm, driver::graph})
            if (!driver_named_) known.emplace_back(name_of(d));
        for (const knob &k : knobs_of(state_.which)) known.push_back(concat("--", k.name));
        throw input_error("unknown ", driver_named_ ? "" : "driver or ", "knob '", option, "'",
                          closest_text(name, known,
                                       driver_named_ ? " (--help lists them)"
                                                     : ": drivers are --lnorm and --graph, --help lists knobs"));
    }

    static bool is_shape(const std::string &text) {
        try {
            parse_shape(text);
            return true;
        } catch (const input_error &) {
            return false;
        }
    }

    // The message shows how to write the knob: with the next word if that is a valid value and no problem, otherwise
    // with an example.
    [[noreturn]] void reject_without_value(const knob &k, const std::string *next) const {
        std::string_view value = k.example;
        try {
            knob_state trial = state_;
            if (next != nullptr && !next->starts_with('-') && !is_shape(*next)) k.set(trial, *next), value = *next;
        } catch (const input_error &) {
            value = k.example;
        }
        throw input_error("--", k.name, " needs a value after an equals sign: --", k.name, "=", value);
    }

    // All arguments have been read, and there is nothing to run. Says why.
    [[noreturn]] void reject_empty() const {
        const std::string &match = state_.which == driver::graph ? state_.graph.match : state_.lnorm.match;
        if (problem_named_ && !match.empty()) throw input_error("--match: no problem's line has '", match, "'");
        if (problem_named_) throw input_error("--match: no problem's line matches");
        if (state_.which == driver::graph)
            throw input_error("no graph to run: name one with --case=FILE, or --batch=FILE");
        throw input_error("no problem to run: give a shape such as 128x768, or --batch=FILE");
    }

    knob_state state_;
    std::shared_ptr<const job_settings> settings_; // the state for problems; null: a knob was set since the last one
    bool driver_named_ = false, problem_named_ = false;
    std::string typed_; // the words of the command line, a space before each
    command result_;
    batch_folders folders_;
    std::vector<std::string> unused_;  // the knobs since the last problem
    std::vector<fs::path> open_files_; // the batch files that are being read, outermost first
};

driver driver_in(const std::vector<std::string> &arguments) {
    const auto named = std::find_if(arguments.begin(), arguments.end(), is_driver);
    return named != arguments.end() && *named == name_of(driver::graph) ? driver::graph : driver::lnorm;
}

} // namespace

command parse_command_line(const std::vector<std::string> &arguments) {
    parser p(driver_in(arguments));
    for (size_t i = 0; i < arguments.size(); ++i)
        p.take_argument({arguments[i], i + 1 < arguments.size() ? &arguments[i + 1] : nullptr, "."});
    return p.finish();
}

} // namespace benchdnn_lite
