# SPDX-License-Identifier: Apache-2.0
# What setup and run agree on: the folder with the kernel and the guest's init.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${JITNORM_EMULATOR_CACHE:-$(cd "$here/../.." && pwd)/build/emulator}
kernel=$cache/vmlinuz
init=$cache/init

die() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit "${2:-125}"
}
