// SPDX-License-Identifier: Apache-2.0
// One job from its problem to its line in the report.
#include "run.hpp"

#include <cstdio>
#include <new>
#include <optional>

#include "command_line.hpp"
#include "error.hpp"
#include "memory_size.hpp"
#include "tag.hpp"

namespace benchdnn_lite {

namespace {

using clock = std::chrono::steady_clock;

double milliseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

// What shares memory in place, dst with src or diff_src with diff_dst, is of one type and layout.
bool shares_memory_well(const problem &p) {
    const std::string tag = canonical_tag(p.tags.dst, p.ndims());
    const std::string other = canonical_tag(p.is_forward() ? p.src_tag() : p.diff_src_tag(), p.ndims());
    const data_type type = p.is_forward() ? p.types.src : p.types.diff_src;
    return type == p.types.dst && (tag == TAG_ANY || tag == other);
}

// Why the problem cannot run here; empty if it can.
std::string reason_to_skip(const problem &p) {
    if (p.in_place && !shares_memory_well(p)) return "in place needs one data type and one layout";
    const double needed = bytes_needed(p), available = machine_memory().available;
    if (needed > available)
        return concat("needs ", readable_bytes(needed), " of memory, ", readable_bytes(available), " are free");
    return "";
}

outcome check_both_fills(const execution &e, uint64_t seed, const after_run &tamper) {
    outcome result;
    size_t errors = 0, total = 0;
    for (const fill_kind kind : {fill_kind::random, fill_kind::adversarial}) {
        const check_result checked = check(e, kind, seed, tamper);
        errors += checked.errors;
        total += checked.total;
        for (const std::string &line : checked.lines)
            result.lines.push_back(concat(line, "; ", name_of(kind), " data, seed ", std::to_string(seed)));
    }
    if (errors == 0) return result;
    result.status = state::failed;
    result.reason =
        concat("errors:", std::to_string(errors), " total:", std::to_string(total), " ", e.implementation());
    return result;
}

outcome outcome_of(const api_error &error) {
    if (error.status == jitnorm_unimplemented) return {state::skipped, "not implemented by the library", {}};
    return {state::failed, error.what(), {}};
}

struct job_result {
    outcome result;
    std::optional<timing> times;
    std::string implementation;
};

job_result run_now(const session &s, const job &j, const after_run &tamper) {
    const execution e(s, j.prb);
    job_result done{{}, {}, e.implementation()};
    if (j.options.check) done.result = check_both_fills(e, j.options.seed, tamper);
    if (!j.options.time || done.result.status == state::failed) return done;
    if (!j.options.check) done.result.status = state::executed;
    fill(e, fill_kind::random, j.options.seed);
    done.times = time(e, j.options);
    return done;
}

job_result run_guarded(const session &s, const job &j, const after_run &tamper) {
    if (j.options.list) return {{state::listed, "", {}}, {}, ""};
    if (const std::string reason = reason_to_skip(j.prb); !reason.empty())
        return {{state::skipped, reason, {}}, {}, ""};
    try {
        return run_now(s, j, tamper);
    } catch (const api_error &error) {
        return {outcome_of(error), {}, ""};
    } catch (const std::bad_alloc &) {
        return {{state::skipped, "out of memory", {}}, {}, ""};
    }
}

} // namespace

void run(const session &s, const job &j, report &out, const after_run &tamper) {
    out.progress(j.prb);
    const auto start = clock::now();
    const job_result done = run_guarded(s, j, tamper);
    if (done.times)
        out.add_timed(j, done.result, *done.times, done.implementation);
    else
        out.add(j, done.result, milliseconds_since(start));
}

int run_command_line(int argc, char **argv, const after_run &tamper) {
    try {
        const command c = parse_command_line({argv + 1, argv + argc});
        if (c.help) {
            std::fputs(help_text().c_str(), stdout);
            return 0;
        }
        const session s;
        report out(c.jobs.size());
        for (const job &j : c.jobs) run(s, j, out, tamper);
        out.finish();
        return out.any_failed() ? 1 : 0;
    } catch (const input_error &error) {
        std::fprintf(stderr, "benchdnn-lite: %s\n", error.what());
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "benchdnn-lite: %s\n", error.what());
        return 1;
    }
}

} // namespace benchdnn_lite
