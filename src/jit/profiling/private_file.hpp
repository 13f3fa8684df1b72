// SPDX-License-Identifier: Apache-2.0
// private_file: writes files for the library's user safely. The user may be privileged, and in the folder other users
// may have put something under the file's name.
#pragma once

#include <cstddef>
#include <string>

namespace jitnorm::impl::jit {

enum class write_mode { append, replace };

// Creates the file for this user alone (mode 0600), or writes to an existing one if it is a regular file of this user
// that has no other name. Does not follow symbolic links and does not wait for the reader of a pipe. Returns 0 or an
// errno: ELOOP for a symbolic link, EPERM for another user's file or something that is not a regular file.
int write_private_file(const std::string &path, write_mode mode, const void *bytes, size_t size);

// Maps a page of such a file as executable for as long as the process lives, because perf finds the file by this
// mapping. The page lies past the file's end, so that nothing in the file can be executed. Returns 0 or an errno.
int show_private_file(const std::string &path);

} // namespace jitnorm::impl::jit
