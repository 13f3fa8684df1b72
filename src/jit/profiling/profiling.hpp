// SPDX-License-Identifier: Apache-2.0
// profiling: makes generated code visible to tools on request, by environment variables or by the functions below,
// which take precedence. The functions may be called at any time and have an effect on code that is generated
// afterwards.
//   JITNORM_JIT_PROFILE=<flags> writes /tmp/perf-<pid>.map, which `perf report` reads, or jit-<pid>.dump in the folder
//                               of the dumps, which `perf inject` reads
//   JITNORM_JIT_DUMP=<folder>   writes <folder>/<name>.bin, for objdump -D -b binary -m i386:x86-64
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace jitnorm::impl::jit {

void set_profilers(unsigned flags); // JITNORM_JIT_PROFILE_*
void set_dump(bool wanted);
void set_dump_folder(std::string folder); // empty: the working folder

// Writes the files that are wanted for this code. A file that cannot be written is an error in the verbose log only,
// because a missing profile must not break the program: one line at the level of errors, a line for each file at the
// levels above.
void register_code(std::span<const uint8_t> code, const char *name) noexcept;

// ---- Files for the library's user, written safely. The user may be privileged, and in the folder other users may have
// put something under the file's name.

enum class write_mode { append, replace };

// Creates the file for this user alone (mode 0600), or writes to an existing one if it is a regular file of this user
// that has no other name. Does not follow symbolic links and does not wait for the reader of a pipe. Returns 0 or an
// errno: ELOOP for a symbolic link, EPERM for another user's file or something that is not a regular file.
int write_private_file(const std::string &path, write_mode mode, const void *bytes, size_t size);

// Maps a page of such a file as executable for as long as the process lives, because perf finds the file by this
// mapping. The page lies past the file's end, so that nothing in the file can be executed. Returns 0 or an errno.
int show_private_file(const std::string &path);

} // namespace jitnorm::impl::jit
