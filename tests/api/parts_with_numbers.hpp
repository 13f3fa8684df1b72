// SPDX-License-Identifier: Apache-2.0
// parts_with_numbers: guarded memory for a problem that is split, with random numbers.
#pragma once

#include "row_tensors.hpp"
#include "support/split_problem.hpp"

namespace jitnorm::tests {

class parts_with_numbers : public split_memory {
public:
    // src: its values; random ones if there are none.
    explicit parts_with_numbers(const std::vector<split_tensor> &tensors, const std::vector<double> &src = {}) {
        for (const split_tensor &t : tensors) {
            const size_t size = size_t(t.where.elements()) * jitnorm_data_type_size(t.where.type);
            whole_[t.arg] = guarded_buffer(size);
            if (t.is_written)
                parts_[t.arg] = guarded_buffer(size);
            else
                fill(t, t.arg == JITNORM_ARG_SRC && !src.empty() ? src : random_numbers(t));
        }
    }

    void *data(int arg, bool of_parts) const override { return (of_parts ? parts_ : whole_).at(arg).data(); }
    jitnorm_stream_t stream() override { return stream_; }

private:
    static std::vector<double> random_numbers(const split_tensor &t) {
        std::vector<double> values = normal(t.where.elements(), 0, 1, unsigned(t.arg));
        if (t.arg == JITNORM_ARG_VARIANCE)
            for (double &value : values) value = value * value + 0.25;
        return values;
    }
    void fill(const split_tensor &t, const std::vector<double> &values) const {
        const bytes dense = as(t.where.type, values);
        std::copy(dense.begin(), dense.end(), whole_.at(t.arg).as<std::byte>());
        whole_.at(t.arg).make_read_only();
    }

    owned_stream stream_ = make_stream();
    std::map<int, guarded_buffer> whole_, parts_; // parts: of what they write
};

} // namespace jitnorm::tests
