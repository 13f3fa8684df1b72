// SPDX-License-Identifier: Apache-2.0
// uncancellable: while such an object lives, a pthread_cancel() of the calling thread has no effect yet. A cancelled
// thread ends in calls that open or write files, by an exception, and no exception may leave the C interface. So all
// code that opens or writes files has such an object.
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
