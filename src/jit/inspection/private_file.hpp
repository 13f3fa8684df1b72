// SPDX-License-Identifier: Apache-2.0
// private_file: a file that the library writes for its user, who may be privileged, in a folder where others may have
// planted something under its name.
#pragma once

#include <cstddef>
#include <string>

namespace jitnorm::impl::jit {

enum class write_mode { append, replace };

// Creates the file for this user alone (mode 0600), or takes one that is there if it is a regular file of this user
// with no other name. Symbolic links are not followed, and nothing waits for the reader of a pipe. Answers 0 or an
// errno: ELOOP for a link, EPERM for another's file or something else than a file.
int write_private_file(const std::string &path, write_mode mode, const void *bytes, size_t size);

// Has such a file show up among the executable mappings of the process, for as long as that lives: a page far behind
// the file's end, so that nothing in it can be executed. Answers as above.
int show_private_file(const std::string &path);

} // namespace jitnorm::impl::jit
