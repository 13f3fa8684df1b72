// SPDX-License-Identifier: Apache-2.0
// Runs a command line: creates operations, checks and times them, runs graphs, and adds all to the reports.
#include "run.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "../correctness/check.hpp"
#include "../error.hpp"
#include "../problem/memory_size.hpp"
#include "../problem/tag.hpp"
#include "../problem/threads.hpp"
#include "../stopwatch.hpp"
#include "command_line.hpp"
#include "exit_status.hpp"
#include "json_report.hpp"

namespace benchdnn_lite {

namespace {

constexpr int SHOWS_SKIPPED_IMPLEMENTATIONS = 2, SHOWS_IMPLEMENTATION = 5, SHOWS_MEMORY = 6, SHOWS_COMPARISONS = 99;

// Whether the tensors that share memory in place (src and dst, or diff_dst and diff_src) have one type and layout.
bool shares_memory_well(const problem &p) {
    const std::string tag = canonical_tag(p.tags.dst, p.ndims());
    const std::string other = canonical_tag(p.is_forward() ? p.src_tag() : p.diff_src_tag(), p.ndims());
    const data_type type = p.is_forward() ? p.types.src : p.types.diff_src;
    return type == p.types.dst && (tag == TAG_ANY || tag == other);
}

// Whether an output has values that are made from normalized ones, which the sum is not.
bool writes_normalized(const problem &p) {
    const std::vector<used_tensor> tensors = p.row_tensors();
    return std::any_of(tensors.begin(), tensors.end(),
                       [](const used_tensor &t) { return t.is_output && t.id != JITNORM_ARG_DST_1; });
}

// Why the library defines no such layer normalization; empty if it does.
std::string reason_not_to_ask(const problem &p) {
    const bool integers = is_integer(p.types.src) || is_integer(p.types.dst) || is_integer(p.types.diff_src);
    if (p.types.src == jitnorm_s32 || p.types.dst == jitnorm_s32) return "Data type not supported: s32";
    if (is_f8(p.types.src) || (!p.is_forward() && (is_f8(p.types.dst) || is_f8(p.types.diff_src))))
        return "Data type not supported: f8 is supported as forward's dst only";
    if (p.in_place && !shares_memory_well(p)) return "Invalid case: in place needs one data type and one layout";
    if (!p.has_dst() && (!p.statistics_are_outputs() || p.uses_scale() || p.uses_shift() || p.in_place ||
                         p.attr.scales != tensor_scales{} || !p.attr.post_ops.empty() || writes_normalized(p)))
        return "Invalid case: without dst forward training writes only statistics";
    const auto &found = p.attr.scales.found;
    if (found && found->group != 0 && p.row_length() % found->group != 0)
        return "Invalid case: the columns of a scale do not divide those of a row";
    if (p.is_forward()) return "";
    if (integers) return "Data type not supported: backward takes no integers";
    if (p.attr.scales != tensor_scales{} || !p.attr.post_ops.empty())
        return "Case not supported: backward takes neither scales nor post-operations";
    return "";
}

std::string memory_text(double needed, double available) {
    return concat("needs ", readable_bytes(needed), ", ", readable_bytes(available), " are free");
}

double bytes_needed(const job &j) {
    constexpr double CHECKING = 2, COMPARING_BITS = 5;
    return bytes_needed(j.prb, j.options.mode.bitwise ? COMPARING_BITS : CHECKING);
}

// Why the test `number` is not wanted; empty if it is.
std::string reason_not_to_start(const run_options &options, size_t number) {
    return number < size_t(options.start) ? concat("--start=", std::to_string(options.start)) : "";
}

// Why the problem cannot or shall not run here; empty if it can.
std::string reason_to_skip(const job &j, size_t number) {
    if (const std::string reason = reason_not_to_start(j.options, number); !reason.empty()) return reason;
    if (const std::string reason = reason_not_to_ask(j.prb); !reason.empty()) return reason;
    if (j.options.mode.init) return "";
    const double needed = bytes_needed(j), available = available_bytes();
    return needed > available ? concat("Not enough RAM: ", memory_text(needed, available)) : "";
}

// A job and its state.
struct work {
    job what;
    size_t number; // of the test
    lnorm_result result;
    std::shared_ptr<const operation> made; // null: the result is final, or it has not been created yet
    phase_times phases;
};

// Calls `step`. If it throws, the exception becomes the result, and the operation is given up.
template <typename Step>
void guarded(work &w, Step step) {
    outcome instead;
    try {
        return step();
    } catch (const api_error &error) {
        instead = outcome_without_elements(state_of(error.status), error.what());
    } catch (const filtered_out &reason) {
        instead = outcome_without_elements(state::skipped, reason.what());
        instead.filtered = true;
    } catch (const unsupported &reason) {
        instead = outcome_without_elements(state::skipped, reason.what());
    } catch (const std::bad_alloc &) {
        instead = outcome_without_elements(state::skipped, "Not enough RAM: an allocation failed");
    } catch (const std::exception &error) {
        instead = outcome_without_elements(state::failed, error.what());
    }
    instead.notes = std::move(w.result.what.notes);
    w.result.what = std::move(instead);
    w.made.reset();
}

void note(work &w, int verbosity, const std::string &text) {
    if (w.what.options.verbosity >= verbosity) w.result.what.notes.push_back(text);
}

// If the problem is timed, it is created twice: first with new kernels, then with kernels from the cache.
void make_operation(const session &s, work &w) {
    const problem &p = w.what.prb;
    const auto skipped = [&](const std::string &name) {
        note(w, SHOWS_SKIPPED_IMPLEMENTATIONS, concat("[IMPL_FILTER] Implementation skipped: ", name));
    };
    w.made = std::make_shared<const operation>(s, p, skipped);
    const creation_times first = w.made->times(), again = w.what.options.mode.time ? operation(s, p).times() : first;
    w.result.descriptor_ms = spread_of({first.descriptor, again.descriptor});
    w.result.primitive_ms = spread_of({first.primitive, again.primitive});
    w.result.implementation = w.made->implementation();
    note(w, SHOWS_IMPLEMENTATION, concat("[IMPL] ", w.result.implementation));
}

void create(const session &s, work &w) {
    const run_options &options = w.what.options;
    const stopwatch start;
    if (options.mode.list) {
        w.result.what.status = state::listed;
    } else if (std::string reason = reason_to_skip(w.what, w.number); !reason.empty()) {
        w.result.what = outcome_without_elements(state::skipped, std::move(reason));
    } else {
        guarded(w, [&] {
            note(w, SHOWS_MEMORY, concat("[CHECK_MEM] ", memory_text(bytes_needed(w.what), available_bytes())));
            const phase creating(&w.phases, &phase_times::create);
            const other_thread_count threads(w.what.prb.creation_threads);
            make_operation(s, w);
        });
    }
    w.result.milliseconds += start.ms();
}

void take_findings(work &w, const findings &found, fill_kind kind) {
    outcome &o = w.result.what;
    o.errors += found.errors;
    o.total += found.total;
    if (found.errors > 0) o.status = state::failed;
    const std::string data = concat("; ", name_of(kind), " data, seed ", std::to_string(w.what.options.seed));
    for (const std::string &line : found.details) o.details.push_back(line + data);
    for (const std::string &line : found.notes) note(w, SHOWS_COMPARISONS, line + data);
}

void check_results(const execution &e, work &w, const check_options &options) {
    for (const fill_kind kind : {fill_kind::random, fill_kind::adversarial, fill_kind::ties})
        if (kind != fill_kind::ties || has_ties(e.prb())) take_findings(w, check(e, kind, options), kind);
}

void execute_once(const execution &e, work &w) {
    const run_options &options = w.what.options;
    {
        const phase filling(&w.phases, &phase_times::fill);
        options.fills() ? fill(e, fill_kind::random, options.seed) : fill_with_constant(e);
    }
    if (!options.mode.run) return;
    const phase executing(&w.phases, &phase_times::execute);
    e.run();
}

void run_modes(work &w, const after_run &tamper) {
    const run_mode &mode = w.what.options.mode;
    const execution e(w.made);
    const other_thread_count threads(w.what.prb.execution_threads);
    const check_options options{w.what.options.seed, tamper, &w.phases};
    w.result.what.status = mode.check || mode.bitwise ? state::passed : state::executed;
    if (mode.check) check_results(e, w, options);
    if (mode.bitwise)
        for (const fill_kind kind : {fill_kind::random, fill_kind::adversarial})
            take_findings(w, check_bits(e, kind, options), kind);
    if (w.result.what.status == state::failed || !(mode.run || mode.time)) return;
    execute_once(e, w);
    if (!mode.time) return;
    const phase executing(&w.phases, &phase_times::execute);
    w.result.times = time(e, w.what.options);
    w.result.timed = true;
}

void run_made(work &w, const after_run &tamper) {
    if (!w.made) return;
    const stopwatch start;
    w.result.what.status = state::initialized;
    if (!w.what.options.mode.init) guarded(w, [&] { run_modes(w, tamper); });
    w.made.reset();
    w.result.milliseconds += start.ms();
}

// The jobs from `next` on that are created at the same time. `next` becomes the number of the job after them.
std::vector<work> group_from(const job_list &jobs, size_t &next) {
    std::vector<work> group;
    do {
        group.push_back({jobs[next], next, {}, {}, {}});
        ++next;
    } while (next < jobs.size() && group.size() < size_t(thread_count()) &&
             group.back().what.options.creates_in_parallel() && jobs.options_of(next).creates_in_parallel());
    return group;
}

void create_all(const session &s, std::vector<work> &group) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(int(group.size())) schedule(static, 1) if (group.size() > 1)
#endif
    for (size_t i = 0; i < group.size(); ++i) create(s, group[i]);
}

// The command line that runs the problem on the same data. It always names the seed, so that a later version with
// another default seed uses the same data.
std::string reproduction(job j) {
    const std::string seed = concat("--seed=", std::to_string(j.options.seed), " ");
    j.options.seed = run_options{}.seed;
    return concat("benchdnn-lite ", j.options.canonical ? "" : seed, j.line());
}

test_title title_of(const job &j) {
    const run_options &o = j.options;
    return {j.line(), j.prb.line(), reproduction(j), j.prb.size.name, o.seed, o.verbosity, o.mode.list};
}

// phases: the times of the tests are added to it.
void run_jobs(const job_list &jobs, const after_run &tamper, report &out, json_report &machines, phase_times &phases) {
    const session s;
    for (size_t next = 0; next < jobs.size();) {
        std::vector<work> group = group_from(jobs, next);
        create_all(s, group);
        for (work &w : group) {
            const test_title title = title_of(w.what);
            out.announce(title);
            run_made(w, tamper);
            out.add(title, w.result, performance_of(w.what, w.result, out.index()));
            machines.add(title, w.result);
            phases.create += w.phases.create;
            phases.fill += w.phases.fill;
            phases.execute += w.phases.execute;
            phases.compare += w.phases.compare;
        }
    }
}

test_title title_of(const graph_job &job) {
    const run_options &o = job.options;
    const std::string line = job.line();
    return {line, line, concat("benchdnn-lite ", line), job.file, o.seed, o.verbosity, o.mode.list};
}

std::string performance_line(const graph_job &job, const graph_times &t) {
    const std::string numbers =
        format("min(ms):%.6g,avg(ms):%.6g,GB/s:%.4g", t.us.least / 1e3, t.us.average / 1e3, t.gigabytes_per_second());
    return concat("perf,cpu,graph,", t.kind, ",", t.op, ",", job.line(), ",", numbers);
}

timed_lines performance_of(const graph_job &job, const graph_result &r) {
    timed_lines timed;
    for (const graph_times &t : r.times) {
        timed.lines.push_back(performance_line(job, t));
        timed.spreads.push_back(t.us);
        timed.least_ms += t.us.least / 1e3;
        timed.average_ms += t.us.average / 1e3;
    }
    return timed;
}

void run_graphs(const std::vector<graph_job> &graphs, report &out, json_report &machines) {
    for (const graph_job &job : graphs) {
        const test_title title = title_of(job);
        out.announce(title);
        graph_result result;
        const std::string unwanted = reason_not_to_start(job.options, out.index());
        if (job.options.mode.list)
            result.what.status = state::listed;
        else if (!unwanted.empty())
            result.what = outcome_without_elements(state::skipped, unwanted);
        else
            result = run_graph(job);
        out.add(title, result, performance_of(job, result));
        machines.add(title, result);
    }
}

// Whether no test ran, some of them because of --impl or --skip-impl. The run then fails, because a user who names
// implementations expects them to run.
bool left_without_implementations(const tally &counts) {
    if (counts.filtered == 0 || counts.skipped < counts.tests) return false;
    std::printf("nothing ran: --impl and --skip-impl leave no implementation of any problem (-v2 names those left "
                "out)\n");
    return true;
}

int run(const command &c, const after_run &tamper) {
    check_writable("json", c.json);
    for (const std::string &line : c.notes) std::printf("%s\n", line.c_str());
    tell("benchdnn-lite", c.warning);
    report out(c.jobs.size() + c.graphs.size(), c.summary);
    json_report machines(c.json);
    phase_times phases;
    run_jobs(c.jobs, tamper, out, machines, phases);
    run_graphs(c.graphs, out, machines);
    out.finish(phases);
    machines.finish(out.counts(), out.seconds());
    return out.counts().failed > 0 || left_without_implementations(out.counts()) ? 1 : 0;
}

} // namespace

int run_command_line(int argc, char **argv, const after_run &tamper) {
    return exit_status_of("benchdnn-lite", [&] {
        const command c = parse_command_line({argv + 1, argv + argc});
        if (c.text.empty()) return run(c, tamper);
        std::fputs(c.text.c_str(), stdout);
        return 0;
    });
}

} // namespace benchdnn_lite
