// SPDX-License-Identifier: Apache-2.0
// quota: how many processors a container may keep busy, by control groups of version 2. If more threads run, the kernel
// stops them all until the next period, while each waits for the others.
#pragma once

#include <climits>
#include <string_view>

namespace jitnorm::impl {

constexpr int NO_QUOTA = INT_MAX;

// The quota in a file cpu.max, "QUOTA PERIOD" in microseconds or "max PERIOD", in processors, rounded up. NO_QUOTA for
// other texts.
int processors_in(std::string_view cpu_max);

// The least quota of the process's control group and of the groups above it. `membership` is /proc/self/cgroup, `root`
// the folder of all groups, /sys/fs/cgroup. A missing file sets no quota. Allocates nothing.
int processors_of_quota(const char *membership, std::string_view root);

} // namespace jitnorm::impl
