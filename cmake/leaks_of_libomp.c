/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into every program of a clang build with the address sanitizer: clang's OpenMP runtime does not free what it
 * keeps for threads that have ended, and only that is not reported. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void) { return "leak:libomp.so\n"; }
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
