// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <cstring>
#include <limits>

#include "../norm/row_groups.hpp"
#include "tensor_rows.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// ---- problems without elements

void fill_statistic(const problem &p, void *tensor, float value) {
    const reference::tensor_rows statistics(p[VARIANCE], p.row_ndims());
    reference::parallel_ranges(p.rows(), bytes(p[VARIANCE]), [&](range rows) {
        for (dim_t row = rows.begin; row < rows.end; ++row) statistics.write(tensor, row, 0, 1, &value);
    });
    zero_padding(p[VARIANCE], tensor);
}

class executor_without_elements final : public executor {
public:
    explicit executor_without_elements(const problem &p) : p_(p) {}

    // Even where all sizes are known, the strides of the statistics may be known at execution only.
    jitnorm_status_t execute(const arguments &args) const override {
        return execute_without_elements(args.sizes != nullptr ? *args.sizes : p_, args);
    }

private:
    problem p_;
};

// ---- the reference as an implementation

std::shared_ptr<const executor> create(const problem &p, const plan &);

// Each execution makes an executor for its sizes and runs it. This allocates.
class runtime_executor final : public executor {
public:
    jitnorm_status_t execute(const arguments &args) const override {
        return execute_each_group(*create(*args.sizes, {}), args);
    }
};

std::shared_ptr<const executor> create(const problem &p, const plan &) {
    if (!p.has_elements()) return create_without_elements(p);
    if (p.has_runtime_sizes()) return std::make_shared<runtime_executor>();
    return p.is_forward() ? reference::create_forward(p) : reference::create_backward(p);
}

} // namespace

jitnorm_status_t execute_without_elements(const problem &p, const arguments &args) {
    if (p.rows() != 0) { // the rows are empty
        for (const slot s : ROW_STATISTICS)
            if (p.writes(s)) fill_statistic(p, args[s], s == MEAN ? 0 : std::numeric_limits<float>::quiet_NaN());
        if (p.has_dynamic_scales()) // which are 0, as is the largest magnitude of no values
            for (dim_t i = 0; i < nelems(p[DST_SCALE]); ++i)
                store(0.0F, args[DST_SCALE], offset_of_index(p[DST_SCALE], i));
    } else if (!p.is_partial()) { // a partial problem without rows has no parts and so no gradients
        for (const slot s : {DIFF_SCALE, DIFF_SHIFT})
            if (const size_t gradient = p.writes(s) ? bytes(p.layout(s)) : 0; gradient != 0)
                std::memset(args[s], 0, gradient);
    }
    return jitnorm_success;
}

std::shared_ptr<const executor> create_without_elements(const problem &p) {
    return std::make_shared<const executor_without_elements>(p);
}

constinit const implementation reference_entry = {
    "ref:any", [](const problem &) { return std::string(); },
    [](const problem &, const machine &) { return plan(); }, // create() does not look at it
    create};

} // namespace jitnorm::impl::layer_norm
