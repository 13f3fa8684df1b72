// SPDX-License-Identifier: Apache-2.0
#include "tensor_regions.hpp"

#include <algorithm>

#include "run_one.hpp"

namespace jitnorm::fuzz {

size_t tensor_regions::add(size_t bytes, jitnorm_data_type_t type, bool is_read, bool is_written) {
    region own;
    own.bytes = bytes;
    own.type = type;
    own.is_written = is_written;
    tensors_.push_back({bytes, type, is_read, is_written, regions_.size(), 0, false});
    regions_.push_back(std::move(own));
    return tensors_.size() - 1;
}

void tensor_regions::share(size_t one, size_t other, size_t offset, bool in_place) {
    const size_t target = tensors_[one].region, left = tensors_[other].region;
    if (target == left) return;
    region &to = regions_[target], &from = regions_[left];
    for (tensor &t : tensors_) {
        if (t.region != left) continue;
        t.region = target;
        t.offset += offset;
        to.bytes = std::max(to.bytes, t.offset + t.bytes);
    }
    if (from.is_written) to.type = from.type;
    to.is_written |= from.is_written;
    is_comparable_ = is_comparable_ && (in_place || !to.is_written);
    from = {};
}

void tensor_regions::share_hostile(byte_stream &choices) {
    if (tensors_.empty() || !choices.hostile()) return;
    const size_t one = choices.below(tensors_.size()), other = choices.below(tensors_.size());
    share(one, other, choices.coin() ? 0 : choices.below(64), false);
}

void tensor_regions::allocate(byte_stream &choices) {
    const contents kind = choose_contents(choices);
    for (region &r : regions_) r.memory.emplace(choices, r.bytes);
    for (const tensor &t : tensors_)
        if (t.is_read)
            regions_[t.region].memory->fill(t.type, choices.one_in(4) ? choose_contents(choices) : kind,
                                            uint64_t(choices.byte()), t.is_positive);
    for (region &r : regions_) {
        if (r.is_written)
            r.memory->remember();
        else
            r.memory->make_read_only();
    }
}

unsigned char *tensor_regions::data(size_t number) const {
    return regions_[tensors_[number].region].memory->data() + tensors_[number].offset;
}

void tensor_regions::restore() {
    for (region &r : regions_)
        if (r.is_written) r.memory->restore();
}

run_result tensor_regions::result(int status) const {
    run_result result{status, {}};
    for (const region &r : regions_) {
        require(r.memory->surroundings_untouched(), "nothing is written around a tensor");
        if (!r.is_written) continue;
        if (status != 0) require(r.memory->is_as_remembered(), "an error leaves outputs untouched");
        result.written.push_back(r.memory->content());
    }
    return result;
}

void tensor_regions::require_equal(const run_result &a, const run_result &b, const std::string &whose) const {
    require(a.status == b.status, "all implementations answer the same status",
            whose + ": " + std::to_string(a.status) + " and " + std::to_string(b.status));
    if (!is_comparable_) return;
    size_t written = 0;
    for (size_t i = 0; i < regions_.size(); ++i) {
        if (!regions_[i].is_written) continue;
        const ptrdiff_t at = first_difference(regions_[i].type, a.written[written], b.written[written]);
        require(at < 0, "all implementations give the same bits",
                whose + ", tensor " + std::to_string(i) + ", element " + std::to_string(at));
        ++written;
    }
}

} // namespace jitnorm::fuzz
