/* SPDX-License-Identifier: Apache-2.0 */
#include "api/home.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifdef MADV_WIPEONFORK

/* NULL: an old kernel, or no memory. */
static unsigned char *
wiped_page(size_t bytes)
{
    unsigned char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        return NULL;
    if (madvise(page, bytes, MADV_WIPEONFORK) == 0)
        return page;
    (void)munmap(page, bytes);
    return NULL;
}

#else

static unsigned char *
wiped_page(size_t bytes)
{
    (void)bytes;
    return NULL;
}

#endif

void
vecwire__home_init(struct vecwire__home *home)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *page = wiped_page(bytes);

    if (page != NULL)
        *page = 1;
    *home =
        (struct vecwire__home){.mark = page, .bytes = bytes, .pid = getpid()};
}

void
vecwire__home_fini(struct vecwire__home *home)
{
    if (home->mark != NULL)
        (void)munmap((void *)(uintptr_t)home->mark, home->bytes);
    home->mark = NULL;
}
