// SPDX-License-Identifier: Apache-2.0
// Creates a primitive and tells whether the system regards this program as one that runs with another user's rights.
#include <sys/auxv.h>

#include "work.hpp"

int main() {
    jitnorm::tests::work w;
    std::printf("pid=%d secure=%lu implementation=%s\n", int(getpid()), getauxval(AT_SECURE), w.implementation());
    return 0;
}
