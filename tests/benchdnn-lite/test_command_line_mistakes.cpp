// SPDX-License-Identifier: Apache-2.0
// Help, and the messages for mistakes on the command line.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "command_lines.hpp"

namespace benchdnn_lite {
namespace {

TEST(command_line, help_is_one_screen_with_every_knob) {
    for (const driver d : {driver::lnorm, driver::graph}) {
        const std::string driver_name(name_of(d)), help = parse_command_line({driver_name, "--help"}).text;
        EXPECT_EQ(parse_command_line({driver_name, "-h"}).text, help);
        for (const knob &k : knobs_of(d)) EXPECT_NE(help.find(concat("  --", k.name)), std::string::npos) << k.name;
        const words lines = split(help, '\n');
        EXPECT_LE(lines.size(), 62u);
        for (const std::string &line : lines) EXPECT_LE(line.size(), 100u) << line;
    }
}

TEST(command_line, the_version_is_the_program_s_and_the_library_s) {
    const std::string text = parse_command_line({"--version"}).text;
    const jitnorm_version_t *v = jitnorm_version();
    const std::string number =
        concat(std::to_string(v->major), ".", std::to_string(v->minor), ".", std::to_string(v->patch));
    EXPECT_EQ(text, concat("benchdnn-lite ", number, ", jitnorm ", number, "\n"));
}

TEST(command_line, the_examples_of_the_help_are_valid) {
    for (const driver d : {driver::lnorm, driver::graph})
        for (const knob &k : knobs_of(d)) {
            if (k.name == "help" || k.name == "version") continue;
            const std::string folder = concat(d == driver::graph ? GRAPHS : INPUTS, "/");
            const std::string place = k.name == "batch" || k.name == "case" ? folder : "";
            const std::string text = concat("--", k.name, k.example.empty() ? "" : "=", place, k.example);
            const words of_lnorm = {text, k.name == "mode-modifier" ? "--mode=P" : "--seed=1", "2x3x4",
                                    "--match=", "2x3x4"};
            const words of_graph = {text, concat("--case=", GRAPHS, "/op/f32/lnorm.json")};
            words arguments = d == driver::graph ? of_graph : of_lnorm;
            arguments.insert(arguments.begin(), {std::string(name_of(d)), "--mode=I"});
            EXPECT_EQ(mistake_in(arguments), "") << text;
        }
}

// Each name is between backquotes. The document of --graph has its knobs.
TEST(command_line, the_documents_know_every_knob_and_every_batch_file) {
    std::ostringstream text;
    for (const char *name : {"benchdnn-lite.md", "graph.md"})
        text << std::ifstream(concat(INPUTS, "/../../../docs/", name)).rdbuf();
    const std::string documents = text.str();
    for (const driver d : {driver::lnorm, driver::graph})
        for (const knob &k : knobs_of(d)) EXPECT_NE(documents.find(concat("`--", k.name)), std::string::npos) << k.name;
    size_t files = 0;
    for (const auto *folder : {INPUTS, GRAPHS})
        for (const auto &entry : std::filesystem::directory_iterator(folder)) {
            if (!entry.is_regular_file()) continue;
            const std::string name = entry.path().filename().string();
            EXPECT_NE(documents.find(concat("`", name, "`")), std::string::npos) << name;
            ++files;
        }
    EXPECT_GE(files, 17U);
}

TEST(command_line, the_name_without_arguments_is_answered_by_first_steps_that_work) {
    const std::string text = mistake_in({});
    EXPECT_EQ(text.find("a driver and a problem are missing"), 0u) << text;
    size_t commands = 0;
    for (const std::string &part : split(text, '\'')) {
        constexpr std::string_view PROGRAM = "benchdnn-lite ";
        if (!part.starts_with(PROGRAM)) continue;
        ++commands;
        EXPECT_EQ(mistake_in(split(part.substr(PROGRAM.size()), ' ')), "") << part;
    }
    EXPECT_EQ(commands, 3u);
}

using mistakes = std::vector<std::pair<std::string, std::string>>;

TEST(command_line, mistakes_name_the_knob_and_the_reason) {
    for (const auto &[knob, reason] : mistakes{
             {"--dt=i4", "--dt: unknown data type 'i4'; known: f16 bf16 f32 s8 u8 f64 f8_e5m2 f8_e4m3"},
             {"--dt=fp16", "--dt: unknown data type 'fp16' (the closest is f16)"},
             {"--dt=fp8", "--dt: unknown data type 'fp8' (the closest are f8_e5m2, f8_e4m3)"},
             {"--tag=NHWC", "--tag: tag 'NHWC' is not known (the closest is nhwc)"},
             {"--tag=rows", "--tag: tag 'rows' is not known; known: abx axb xba aby any undef, names such as nc and "
                            "nchw, letters such as acb and aBc8b"},
             {"--perf-template=tabel",
              "--perf-template: 'tabel' is none of def, csv, table, and has no placeholder such as %-time%"},
             {"--mode=perf",
              "--mode: mode 'perf' has a letter that is none of L list, I init, R run, C check, B bitwise, "
              "P performance, F fast"},
             {"-2x3", "malformed problem '-2x3': a problem is a shape such as 128x768"},
             {"-version", "unknown knob '-version' (the closest is --version)"},
             {"-v", "--verbose needs a value after an equals sign: --verbose=5"},
             {"--perf-template=%tme%", "--perf-template: unknown placeholder '%tme%' (the closest is time)"},
             {"--attr-post-ops=gelu", "--attr-post-ops: unknown post-op 'gelu' (the closest are gelu_tanh, gelu_erf)"},
             {"--attr-post-ops=silu", "--attr-post-ops: unknown post-op 'silu' (the closest is swish)"},
             {"--attr-post-ops=eltwise_relu", "--attr-post-ops: unknown post-op 'eltwise_relu' (the closest is relu)"},
             {"--attr-post-ops=sum:relu", "--attr-post-ops: 'sum:relu': post-ops are joined by +, not by :"},
             {"--attr-post-ops=relu;add:f32", "--attr-post-ops: 'relu;add:f32': post-ops are joined by +, not by ;"},
             {"--flavour=1", "unknown knob '--flavour' (--help lists them)"},
             {"--flag=CH", "unknown knob '--flag' (the closest is --flags)"},
             {"-dt=bf16", "unknown knob '-dt' (the closest is --dt)"},
             {"---dt=bf16", "unknown knob '---dt' (the closest is --dt)"},
             {"---in-shapes=0:2", "unknown knob '---in-shapes' (--help lists them)"},
             {"--conv", "--conv is a driver of benchdnn that is not here: there are --lnorm and --graph"},
             {"--attr=relu", "unknown knob '--attr' (--help lists them)"},
             {"--epsilon=1e-5", "unknown knob '--epsilon' (the closest is --eps)"},
             {"--post-ops=relu", "unknown knob '--post-ops' (the closest is --attr-post-ops)"},
             {"--dtype=bf16", "unknown knob '--dtype' (the closest is --dt)"},
             {"-V", "unknown knob '-V' (the closest are --verbose, --version)"},
             {"--threads=2", "--threads is no knob: OMP_NUM_THREADS=N in the environment sets the number of threads"},
             {"--axis=1", "--axis is no knob: the last dimension is normalized"},
             {"--concise=true", "--concise is a knob of benchdnn that is not here"},
             {"--in-shapes=0:2", "--lnorm has no knob '--in-shapes', only --graph has"},
             {"--engine=gpu", "--engine: 'gpu' is refused: there is one engine, cpu"},
             {"--allow-enum-tags-only=0 --tag=Ab3a", ""},
             {"--dt=f32:f32:f64", "--dt: the third type is diff_src's, which a forward problem does not have"},
             {"--tag=ab:ab:ab", "--tag: the third tag is diff_src's, which a forward problem does not have"},
             {"--dt", "--dt needs a value after an equals sign: --dt=f32,bf16:f32"},
             {"--dt bf16", "--dt needs a value after an equals sign: --dt=bf16"},
             {"dt=bf16", "'dt=bf16' is not a problem; write the knob as --dt=bf16"},
             {"--reset=1", "--reset takes no value"},
             {"--tag=abc", "--tag: tag 'abc' does not fit 2 dimensions, as 'ab' does"},
             {"--stat_tag=abc", "--stat_tag: tag 'abc' does not fit 1 dimension, as 'a' does"},
             {"--attr-scales=src:common:1+src:common:2", "--attr-scales: there are two scales of src"},
             {"--attr-pre-quantization=dst1", "--attr-pre-quantization: 'dst1' is not dst2"},
             {"--attr-residual=src1+src1", "--attr-residual: 'src1' is there twice"},
             {"--attr-residual=src2", "--attr-residual: 'src2' is none of src1, dst1, bias, rounded, silu"},
             {"--attr-residual=bias", "--attr-residual: there is neither src1 nor dst1"},
             {"--attr-residual=src1+rounded", "--attr-residual: 'rounded' needs dst1"},
             {"--attr-residual=dst1", "--attr-residual: a forward problem with dst1 needs src1"},
             {"--attr-residual=src1:f32:abc", "--attr-residual: tag 'abc' does not fit 2 dimensions, as 'ab' does"},
             {"--attr-post-ops=add:f32:per_tensor:abc",
              "--attr-post-ops: tag 'abc' does not fit 2 dimensions, as 'ab' does"},
             {"--attr-post-ops=add", "--attr-post-ops: 'add' needs more fields: add:TYPE[:POLICY[:TAG]]"},
             {"--attr-post-ops=relu:1:2:3", "--attr-post-ops: 'relu' has too many fields: relu[:ALPHA[:BETA]]"},
             {"--attr-post-ops=add:f32:per_row", "--attr-post-ops: unknown policy 'per_row'; known: common per_oc "
                                                 "per_dim_0 per_dim_1 per_dim_01 per_dim_2 "
                                                 "per_dim_3 per_dim_023 per_dim_23 per_dim_03 per_tensor"},
             {"--attr-acc-mode=f31",
              "--attr-acc-mode: unknown accumulation mode 'f31'; known: strict, relaxed, any, s32, f32, f16"},
             {"--summary=impl+none",
              "--summary: 'none' is none of failures, impl, impl-csv, nor one of these after no-"},
             {"--start=-1", "--start: '-1' is not between 0 and 2147483647"},
             {"--graph", "--graph and --lnorm exclude each other: name one driver"}})
        EXPECT_EQ(mistake_in(split(concat("--lnorm ", knob, " 2x3"), ' ')), reason) << knob;
    EXPECT_NE(mistake_in({"--lnorm", "--tag=Ab3a", "2x3"}).find("--allow-enum-tags-only=false"), std::string::npos);
    EXPECT_NE(mistake_in({"--lnorm", "--attr-pre-quantization=dst2:f32:abc", "2x3"}), "");
    EXPECT_EQ(mistake_in({"--lnorm", "--attr-post-ops=softmax", "2x3"})
                  .find("--attr-post-ops: unknown post-op 'softmax'; known: relu "),
              0u);
    EXPECT_EQ(mistake_in({"--lnorm", "--batch=no\nfile"}).find("--batch: no such file 'no?file'"), 0u);
    for (const knob &k : knobs_of(driver::lnorm)) {
        if (k.example.empty()) continue;
        EXPECT_EQ(mistake_in({"--lnorm", concat("--", k.name), "8x8"}),
                  concat("--", k.name, " needs a value after an equals sign: --", k.name, "=", k.example))
            << "8x8 is a problem";
    }
}

TEST(command_line, mistakes_of_whole_lines) {
    for (const auto &[line, reason] : mistakes{
             {"--lnorm", "no problem to run: give a shape such as 128x768, or --batch=FILE"},
             {"--lnorm --seed", "--seed needs a value after an equals sign: --seed=7"},
             {"--lnorm --skip-impl ref", "--skip-impl needs a value after an equals sign: --skip-impl=ref"},
             {"--lnorm --batch=/proc/self/mem", "--batch: cannot read batch file '/proc/self/mem'"}, // no reader can
             {"--graph --case=/proc/self/mem", "--case: cannot read '/proc/self/mem'"},
             {"--lnorm --match=CH 2x3 4x5", "--match: no problem's line has 'CH'"},
             {"--lnorm --match=CH 2x3 --reset", "--match: no problem's line matches"},
             {"--lnorm 2xthree",
              "malformed problem '2xthree': 'three' is not a dimension; a problem is a shape such as 128x768"},
             {"--lnorm 2xx3", "malformed problem '2xx3': a dimension is missing; a problem is a shape such as 128x768"},
             {"--lnorm 8", "malformed problem '8': a shape has 2 to 12 dimensions, such as 128x768"},
             {"--lnorm mb2ic3", "malformed problem 'mb2ic3': a problem is a shape such as 128x768"},
             {"--lnorm=2x3", "--lnorm takes no value; a problem is a word of its own"},
             {"2x3", "name a driver, --lnorm or --graph: benchdnn-lite --lnorm 2x3"},
             {"--mode=P 2x3", "name a driver, --lnorm or --graph: benchdnn-lite --lnorm --mode=P 2x3"},
             {"--conv 2x3", "--conv is a driver of benchdnn that is not here: there are --lnorm and --graph"},
             {"--lnrom 2x3", "unknown driver or knob '--lnrom' (the closest is --lnorm)"},
             {"--layernorm 2x3", "unknown driver or knob '--layernorm' (the closest is --lnorm)"},
             {"--lnorm --flags=CS 2x3",
              "--flags: unknown flag 'S'; known: G use_global_stats, C use_scale, H use_shift, "
              "M rms_norm, P scale_plus_one, R round_normalized"},
             {"--flagz=CH 2x3", "unknown driver or knob '--flagz' (the closest is --flags)"},
             {"--norming 2x3",
              "unknown driver or knob '--norming': drivers are --lnorm and --graph, --help lists knobs"},
             {"lnorm 2x3", "'lnorm' is not a problem; write the driver as --lnorm"}})
        EXPECT_EQ(mistake_in(split(line, ' ')), reason) << line;
    EXPECT_EQ(mistake_in({"--lnorm", "2x3 4x5"}),
              "malformed problem '2x3 4x5': '3 4' is not a dimension; a problem is a shape such as 128x768");
}

// What lines and files of benchdnn may say, since nothing else happens here.
TEST(command_line, knobs_of_benchdnn_that_change_nothing) {
    for (const char *knob :
         {"--engine=cpu:0", "--memory-kind=usm", "--stream-kind=def", "--stream-kind=in_order", "--num-streams=1",
          "--execution-mode=direct", "--cpu-isa-hints=prefer_ymm", "--fast-ref=true", "--fast-ref=False",
          "--mem-check=1", "--attr-zero-points=,src:common:0+dst:common:0", "--attr-dropout=0",
          "--attr-rounding-mode=dst:environment", "--attr-rounding-mode="})
        EXPECT_EQ(lines_of({"--lnorm", knob, "2x3"}), (words{"2x3"})) << knob;
    const std::pair<const char *, const char *> refused[] = {
        {"--memory-kind=buffer", "--memory-kind: 'buffer' is refused: a CPU has one kind of memory, usm"},
        {"--stream-kind=out_of_order", "--stream-kind: 'out_of_order' is refused: a CPU's stream is in_order"},
        {"--num-streams=2", "--num-streams: '2' is refused: there is 1 stream"},
        {"--execution-mode=graph", "--execution-mode: 'graph' is refused: a CPU's execution is direct"},
        {"--cpu-isa-hints=zmm", "--cpu-isa-hints: 'zmm' is refused: the hints are none, no_hints and prefer_ymm"},
        {"--fast-ref=2", "--fast-ref: '2' is refused: true and false are the values"},
        {"--mem-check=false", "--mem-check: 'false' is refused: what does not fit in memory is always skipped"},
        {"--attr-zero-points=src:common:0,dst:common:1",
         "--attr-zero-points: 'dst:common:1' is refused: layer normalization has no zero points"},
        {"--attr-dropout=0.5:7", "--attr-dropout: '0.5:7' is refused: layer normalization has no dropout"},
        {"--attr-rounding-mode=dst:stochastic:1",
         "--attr-rounding-mode: 'dst:stochastic:1' is refused: values are rounded as the environment says"}};
    for (const auto &[knob, reason] : refused) EXPECT_EQ(mistake_in({"--lnorm", knob, "2x3"}), reason);
    EXPECT_EQ(mistake_in({"--graph", "--num-streams=2"}), "--num-streams: '2' is refused: there is 1 stream");
}

std::string warning_of(const words &arguments) { return parse_command_line(arguments).warning; }

// benchdnn warns of the same and goes on.
TEST(command_line, knobs_after_the_last_problem_apply_to_nothing_and_are_named) {
    const std::string smoke = concat("--batch=", INPUTS, "/test_lnorm_smoke");
    EXPECT_EQ(
        warning_of({"--lnorm", "2x3", "--dt=bf16"}),
        "warning: no problem follows --dt=bf16, which applies to nothing: a knob holds for the problems after it");
    EXPECT_EQ(
        warning_of({"--lnorm", "--dir=BWD_D", "2x3", "--dt=bf16", "-v5"}),
        "warning: no problem follows --dt=bf16 --verbose=5, which apply to nothing: a knob holds for the problems "
        "after it");
    EXPECT_EQ(warning_of({"--lnorm", "2x3", smoke, "--mode=P"}),
              "warning: no problem follows --mode=P, which applies to nothing: a knob holds for the problems after it");
    EXPECT_NE(warning_of({"--graph", concat("--case=", GRAPHS, "/op/f32/lnorm.json"), "--dt=bf16"}), "");
    EXPECT_EQ(warning_of({"--lnorm", "--dt=bf16", "2x3"}), "");
    EXPECT_EQ(warning_of({"--lnorm", "--max-ms-per-prb=1", "2x3"}),
              "warning: --max-ms-per-prb=1 is not between 10 and 60000; 10 is used");
    EXPECT_EQ(warning_of({"--lnorm", "--dt=f32", "--dt=bf16", "--match=2x3", "2x3", "4x5"}), "");
    EXPECT_EQ(warning_of({"--lnorm", "2x3", "--dt=bf16", smoke}), "");
    EXPECT_EQ(warning_of({"--lnorm", "2x3", "--json=a", "--summary=impl", "--engine=cpu", "--reset"}), "")
        << "the whole run's, and those that change nothing";
}

// A tag that the library does not name is a mistake if the problem's knob says so, whatever the tag's knob found.
TEST(command_line, tags_without_enumerators_are_the_problems_mistakes) {
    const std::string reason = "is not one that the library names (--allow-enum-tags-only=false takes it)";
    for (const std::string name : {"tag", "stat_tag"}) {
        const std::string tag = name == "tag" ? "Ab3a" : "A3a", knob = concat("--", name, "=", tag);
        EXPECT_EQ(
            mistake_in({"--lnorm", "--allow-enum-tags-only=false", knob, "2x3", "--allow-enum-tags-only=", "4x5"}),
            concat("--", name, ": tag '", tag, "' ", reason));
        const job j = parse_command_line({"--lnorm", knob, "--allow-enum-tags-only=false", "2x3"}).jobs[0];
        EXPECT_EQ(j.line(), concat("--lnorm --allow-enum-tags-only=false ", knob, " 2x3"));
    }
}

TEST(command_line, a_number_out_of_range_is_a_number) {
    EXPECT_EQ(mistake_in({"--lnorm", "--seed=99999999999999999999", "2x3"}),
              "--seed: '99999999999999999999' is not between 0 and 9223372036854775807");
    EXPECT_EQ(mistake_in({"--lnorm", "--seed=1e3", "2x3"}), "--seed: '1e3' is not an integer");
    for (const char *number : {"1e400", "-1e400", "1e-60"})
        EXPECT_EQ(mistake_in({"--lnorm", concat("--eps=", number), "2x3"}),
                  concat("--eps: '", number, "' is beyond the numbers of f32"));
    EXPECT_EQ(mistake_in({"--lnorm", "--eps=1e400:f64", "2x3"}), "--eps: '1e400' is beyond the numbers of f64");
    for (const char *text : {"", "1e400x", "inf", "1 ", "1:f32"})
        EXPECT_EQ(mistake_in({"--lnorm", concat("--eps=0,", text), "2x3"}),
                  concat("--eps: '", text, "' is not a number"));
}

TEST(command_line, values_out_of_place_are_rejected) {
    const std::string knobs =
        "--mode=X --mode=LC --seed=-1 --seed=x --fix-times-per-prb=1.5 --max-ms-per-prb=soon "
        "--inplace=maybe --ss_dt=f64 --ss_dt=s8 --eps=-1 --eps=-1:f64 --eps=nan --dir=BWD_W "
        "--stat_tag=q --batch=no_such_file --batch= --json= --mode-modifier=X --repeats-per-prb=0 "
        "--canonical=perhaps --attr-scratchpad=mine -x - -- --=1";
    for (const std::string &knob : split(knobs, ' ')) EXPECT_NE(mistake_in({"--lnorm", knob, "2x3"}), "") << knob;
}

TEST(command_line, too_much_is_refused) {
    std::string many = "0.1";
    for (int i = 0; i < 1100; ++i) many += ",0.1";
    EXPECT_EQ(mistake_in({"--lnorm", concat("--eps=", many), concat("--attr-scales=", std::string(1000, ',')), "2x3"}),
              "the knobs make more than 250000 problems");
    EXPECT_EQ(mistake_in({"--lnorm", "--repeats-per-prb=125000", "2x3", "2x3", "2x3"}),
              "the knobs make more than 250000 problems");
    EXPECT_EQ(mistake_in({"--lnorm", "--repeats-per-prb=125000", "2x3", "2x3"}), "");
}

// Only the last combination is wrong: it is found although no problem is kept.
TEST(command_line, every_combination_is_looked_at) {
    EXPECT_EQ(mistake_in({"--lnorm", "--dir=BWD_D,FWD_D", "--dt=f32,f32:f32:bf16", "2x3"}),
              "--dt: the third type is diff_src's, which a forward problem does not have");
    EXPECT_NE(mistake_in({"--lnorm", "--tag=abx,axb,abc", "2x3"}).find("--tag: "), std::string::npos);
}

} // namespace
} // namespace benchdnn_lite
