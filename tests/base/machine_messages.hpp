// SPDX-License-Identifier: Apache-2.0
// machine_messages: machines in the messages of tests.
#pragma once

#include <ostream>

#include "base/machine.hpp"

namespace jitnorm::impl {

inline std::ostream &operator<<(std::ostream &out, const machine &m) { return out << describe(m); }

} // namespace jitnorm::impl
