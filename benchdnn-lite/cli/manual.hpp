// SPDX-License-Identifier: Apache-2.0
// manual: benchdnn-lite's manual page, written from the table of knobs.
#pragma once

#include <string>

namespace benchdnn_lite {

std::string manual_page(); // in roff, with the macros of man(7)

} // namespace benchdnn_lite
