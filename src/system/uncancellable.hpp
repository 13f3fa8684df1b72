// SPDX-License-Identifier: Apache-2.0
// uncancellable: while it lives, pthread_cancel() of the calling thread waits. Writing is where a cancelled thread
// ends, by an exception that may not pass the C interface: around all that opens or writes files.
#pragma once

#include <pthread.h>

namespace jitnorm::impl {

class uncancellable {
public:
    uncancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    uncancellable(const uncancellable &) = delete;
    uncancellable &operator=(const uncancellable &) = delete;
    ~uncancellable() { pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace jitnorm::impl
