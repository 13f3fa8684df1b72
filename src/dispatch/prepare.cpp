// SPDX-License-Identifier: Apache-2.0
#include "prepare.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <system_error>

#include "../base/environment.hpp"
#include "../base/parallel.hpp"
#include "../base/process.hpp"
#include "../base/verbose.hpp"
#include "../jit/isa.hpp"
#include "../norm/gate_gradients.hpp"
#include "../norm/row_groups.hpp"
#include "../reference/reference.hpp"
#include "../run/implementations.hpp"

namespace jitnorm::impl::layer_norm {

// ---- the choice of an implementation

namespace {

struct ranking {
    std::array<implementation, 3> best_first = {on_kernels[0], on_kernels[1], reference_entry};
};

constinit process_wide<const ranking> the_ranking;

// The name that set_forced_implementation() has set, which is a literal. Null if it was never called: then the
// environment counts.
constinit std::atomic<const char *> forced = nullptr;

} // namespace

std::span<const implementation> implementations() { return the_ranking.get().best_first; }

name_list implementation_names() {
    name_list names;
    for (const implementation &entry : implementations()) names.add(entry.name);
    return names;
}

bool set_forced_implementation(std::string_view name) {
    const auto all = implementations();
    const auto found = std::ranges::find(all, name, &implementation::name);
    if (found == all.end() && !name.empty()) return false;
    forced.store(name.empty() ? "" : found->name, std::memory_order_relaxed);
    return true;
}

std::string_view forced_implementation() {
    const char *set = forced.load(std::memory_order_relaxed);
    return set != nullptr ? set : the_environment().implementation;
}

const implementation *choose(const problem &p, const implementation *from, std::span<const implementation> list,
                             std::string_view forced_name) {
    const auto may_be = [&](const implementation &entry) { return forced_name.empty() || entry.name == forced_name; };
    if (std::ranges::none_of(list, may_be) && verbose_level() >= 1)
        log_line("error", [&] { return "unknown implementation in JITNORM_IMPL: " + std::string(forced_name); });
    for (const implementation &entry : list.subspan(from == nullptr ? 0 : size_t(from - list.data()))) {
        if (!may_be(entry)) continue;
        const std::string reason = entry.refusal(p);
        if (reason.empty()) return &entry;
        if (verbose_level() >= 2)
            log_line("refuse", [&] { return std::string(entry.name) + "," + reason + "," + describe(p); });
    }
    return nullptr;
}

// ---- executors of problems that are solved as several: rows in groups with their own scale, shift or gate, one after
// the other; backward with a gate, in two steps

namespace {

// Executes a problem whose scale, shift or gate have row dimensions, as an execution for each group of rows
// (src/norm/row_groups.hpp).
class grouped_executor final : public executor {
public:
    // `one` is an executor for one_group(p). So many threads at the most take groups, each of them whole groups; with 1
    // all threads work on one group after the other. Each of these threads has `scratchpad_bytes` of scratchpad.
    grouped_executor(const problem &p, std::shared_ptr<const executor> one, int groups_at_once, size_t scratchpad_bytes)
        : one_(std::move(one)), one_has_sizes_(!one_group(p).has_runtime_sizes()), groups_at_once_(groups_at_once),
          scratchpad_bytes_(dim_t(scratchpad_bytes)) {
        if (!p.has_runtime_sizes()) groups_.emplace(p);
    }

    jitnorm_status_t execute(const arguments &args) const override {
        if (groups_) return share_groups(args);
        if (!args.sizes->has_elements()) return execute_without_elements(*args.sizes, args); // however many groups
        const row_groups groups(*args.sizes);
        if (one_has_sizes_) return groups.execute(*one_, {0, groups.count()}, args);
        const problem sizes = one_group(*args.sizes);
        arguments all = args;
        all.sizes = &sizes;
        all.groups = &groups;
        return one_->execute(all);
    }

private:
    jitnorm_status_t share_groups(const arguments &args) const {
        const int threads = groups_at_once_ == 1 ? 1 : std::min(groups_at_once_, max_threads());
        std::atomic<jitnorm_status_t> result = jitnorm_success;
        parallel_parts(threads, [&](int thread) {
            arguments all = args;
            all.set(SCRATCHPAD, static_cast<std::byte *>(args[SCRATCHPAD]) + thread * scratchpad_bytes_);
            const jitnorm_status_t code = groups_->execute(*one_, split(groups_->count(), threads, thread), all);
            if (code != jitnorm_success) result = code;
        });
        return result;
    }

    std::shared_ptr<const executor> one_;
    bool one_has_sizes_;               // known ones, as where only the number of groups is left to the execution
    std::optional<row_groups> groups_; // empty: the problem has run-time sizes
    int groups_at_once_;
    dim_t scratchpad_bytes_;
};

// Executes backward with a gate as its two steps (src/norm/gate_gradients.hpp). Both use the scratchpad, one after the
// other.
class gate_executor final : public executor {
public:
    gate_executor(std::shared_ptr<const executor> first, std::shared_ptr<const executor> second)
        : first_(std::move(first)), second_(std::move(second)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const jitnorm_status_t code = first_->execute(without_gate(args));
        return code == jitnorm_success ? second_->execute(gate_product(args)) : code;
    }

private:
    std::shared_ptr<const executor> first_, second_;
};

// ---- solutions

// From so many groups on, threads that take whole groups have nearly equal work.
constexpr dim_t ENOUGH_GROUPS = 64;

// Without elements, no implementation asks how many groups there are.
bool goes_by_groups(const implementation &by, const problem &p) {
    return p.has_row_groups() && p.has_elements() && (by.takes_groups == nullptr || !by.takes_groups(p));
}

// The caches are cut into as many pieces as there are groups, because the plan of a group asks whether the data of all
// groups stay in a cache. Groups that are not worth a second thread are executed at once, if their number makes it
// worth while; so are groups that are many.
solution solution_for_groups(const implementation &by, const problem &p) {
    const problem one = one_group(p);
    machine m = the_machine();
    const dim_t groups = p.has_runtime_sizes() ? 1 : row_groups(p).count();
    if (groups > 1) m.l2 /= groups, m.last_level /= groups;
    solution made = {&by, by.make_plan(one, m)};
    if (groups <= 1 || (made.plan.row_threads > 1 && groups < ENOUGH_GROUPS)) return made;
    problem all = p;
    all[SCALE] = all[SHIFT] = {};
    const dim_t threads = std::min<dim_t>(by.make_plan(all, the_machine()).row_threads, MAX_SHARES);
    made.groups_at_once = int(std::min(threads, groups));
    if (made.groups_at_once > 1) made.plan.give_up_threads();
    return made;
}

solution solution_by(const implementation &by, const problem &p) {
    if (p.has_gate_gradients()) {
        solution made = solution_by(by, without_gate(p));
        made.gate = std::make_shared<const solution>(solution_by(by, gate_product(p)));
        return made;
    }
    const solution made =
        goes_by_groups(by, p) ? solution_for_groups(by, p) : solution{&by, by.make_plan(p, the_machine())};
    if (verbose_level() >= 2) {
        log_machine_once();
        log_line("plan", [&] {
            const std::string groups = made.groups_at_once == 1 ? "" : ",groups:" + std::to_string(made.groups_at_once);
            return std::string(by.name) + "," + describe(made.plan) + groups + "," + describe(p);
        });
    }
    return made;
}

std::shared_ptr<const executor> create(const problem &p, const solution &how) {
    if (p.has_gate_gradients())
        return std::make_shared<const gate_executor>(create(without_gate(p), how), create(gate_product(p), *how.gate));
    if (!goes_by_groups(*how.by, p)) return how.by->create(p, how.plan);
    return std::make_shared<const grouped_executor>(p, how.by->create(one_group(p), how.plan), how.groups_at_once,
                                                    how.plan.scratchpad.bytes());
}

} // namespace

status prepare(const problem &p, solution &chosen) {
    if (!jit::isa_cap_is_valid())
        return {jitnorm_runtime_error, explain("unknown instruction set '%s' in JITNORM_MAX_CPU_ISA; known: %s",
                                               the_environment().max_cpu_isa, jit::isa_cap_names().text())};
    JITNORM_TRY(validate(p));
    const std::string_view name = forced_implementation(); // another thread may set another one meanwhile
    if (const implementation *first = choose(p, nullptr, implementations(), name)) {
        chosen = solution_by(*first, p);
        return {};
    }
    // A name is asked for, since the reference refuses nothing.
    for (const implementation &entry : implementations())
        if (entry.name == name)
            return unsupported(
                explain("%s, which JITNORM_IMPL or jitnorm_set_implementation asks for, does not do it: %s", entry.name,
                        entry.refusal(p).c_str()));
    return {jitnorm_runtime_error, explain("unknown implementation '%s' in JITNORM_IMPL; known: %s",
                                           the_environment().implementation, implementation_names().text())};
}

bool move_to_next(const problem &p, solution &chosen) {
    const implementation *next = choose(p, chosen.by + 1);
    if (next == nullptr) return false;
    chosen = solution_by(*next, p);
    return true;
}

std::shared_ptr<const executor> make_executor(const problem &p, solution &chosen) {
    for (;;) {
        try {
            return create(p, chosen);
        } catch (const std::system_error &error) {
            const char *refused = chosen.by->name;
            if (!move_to_next(p, chosen)) throw;
            if (verbose_level() >= 1)
                log_line("fallback",
                         [&] { return std::string(refused) + "," + error.what() + ",taking " + chosen.by->name; });
        }
    }
}

plan plan_for_sizes(const solution &chosen, const problem &sizes, size_t scratchpad_bytes) {
    plan planned = chosen.by->make_plan(sizes.has_row_groups() ? one_group(sizes) : sizes, the_machine());
    if (planned.scratchpad.bytes() > scratchpad_bytes) planned.give_up_chunks();
    return planned;
}

} // namespace jitnorm::impl::layer_norm
