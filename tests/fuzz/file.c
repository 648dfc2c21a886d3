/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

const char *
fuzz_file(const void *bytes, size_t len)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        FUZZ_REQUIRE(fd >= 0, "no file in memory");
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    FUZZ_REQUIRE(ftruncate(fd, 0) == 0 &&
                     pwrite(fd, bytes, len, 0) == (ssize_t)len,
                 "%zu bytes cannot be written", len);
    return path;
}
