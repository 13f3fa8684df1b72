// SPDX-License-Identifier: Apache-2.0
// completion: scripts that complete benchdnn-lite's command line in a shell, written from the table of knobs.
#pragma once

#include <string>
#include <string_view>

namespace benchdnn_lite {

std::string completion_for(std::string_view shell); // bash or zsh

} // namespace benchdnn_lite
