// SPDX-License-Identifier: Apache-2.0
// Creates a primitive and prints whether the system regards this program as running with another user's rights.
#include <sys/auxv.h>

#include "work.hpp"

int main() {
    jitnorm::tests::work w;
    std::printf("pid=%d secure=%lu implementation=%s\n", int(getpid()), getauxval(AT_SECURE), w.implementation());
    return 0;
}
