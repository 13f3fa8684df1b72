// SPDX-License-Identifier: Apache-2.0
// Writes the manual page.
#include "manual.hpp"

#include "../text.hpp"
#include "jitnorm/version.h"
#include "knobs.hpp"

namespace benchdnn_lite {

namespace {

constexpr std::string_view BEFORE = R"(.SH NAME
benchdnn\-lite \- check and time layer normalization
.SH SYNOPSIS
.B benchdnn\-lite \-\-lnorm
.RI [ knob ...]
.IR problem ...
.br
.B benchdnn\-lite \-\-graph
.RI [ knob ...]
.BI \-\-case= FILE\c
\&...
.SH DESCRIPTION
.B benchdnn\-lite
runs layer normalizations, or serialized graphs of them, through the library
.B jitnorm
and compares every element with an oracle, or takes the time, in the syntax of oneDNN's benchdnn.
.PP
A problem is a shape, normalized over its last dimension, perhaps named: 128x768, 2x4x16_n"name*3".
Lists between commas run in every combination.
A knob holds until it is set again; with no value at all it goes back to its default.
)";

constexpr std::string_view AFTER = R"(.SH FILES
.TP
.I ../share/benchdnn\-lite/inputs
beside the folder of the program: the batch files and graphs that come with it, found by their names
.SH ENVIRONMENT
.TP
.B JITNORM_MAX_CPU_ISA
the instruction sets to use at the most, AVX2 for instance
.TP
.B OMP_NUM_THREADS
how many threads execute
.TP
.B OMP_WAIT_POLICY
.I passive
where cores are shared with other programs
.SH EXIT STATUS
0: nothing failed; 1: something failed; 2: a mistake on the command line or in a file.
.SH EXAMPLES
.nf
benchdnn\-lite \-\-lnorm \-\-dt=f32,bf16 \-\-flags=,CH 128x768 256x1024
benchdnn\-lite \-\-lnorm \-\-mode=P \-\-dir=BWD_DW \-\-perf\-template=table \-\-batch=shapes_bert
benchdnn\-lite \-\-graph \-\-batch=test_graph_ci
.fi
.SH SEE ALSO
.BR benchdnn\-lite\-race (1)
)";

// The text for roff, written so that roff prints it unchanged: backslashes start no escapes, and - is no hyphen.
std::string literal(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\')
            result += "\\e";
        else
            result += c == '-' ? "\\-" : std::string(1, c);
    }
    return result;
}

std::string section(driver d) {
    std::string text = concat(".SH KNOBS OF ", literal(name_of(d)), "\nEach with an example of its value.\n");
    for (const knob &k : knobs_of(d)) {
        const std::string value = k.example.empty() ? "" : concat("=\\fI", literal(k.example));
        text += concat(".TP\n\\fB\\-\\-", literal(k.name), value, "\\fR\n\\&", literal(k.help), "\n");
    }
    return text;
}

} // namespace

std::string manual_page() {
    const std::string version =
        concat(std::to_string(JITNORM_VERSION_MAJOR), ".", std::to_string(JITNORM_VERSION_MINOR), ".",
               std::to_string(JITNORM_VERSION_PATCH));
    return concat(".\\\" SPDX-License-Identifier: Apache-2.0\n.\\\" Written by `benchdnn-lite --manual`.\n",
                  ".TH BENCHDNN\\-LITE 1 \"\" \"jitnorm ", version, "\"\n", BEFORE, section(driver::lnorm),
                  section(driver::graph), AFTER);
}

} // namespace benchdnn_lite
