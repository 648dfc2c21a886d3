/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that say whose they are. */
#include "tests/fault_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MARK_LEN (sizeof(FAULT_MARK) - 1)

const struct fault_step fault_serving[] = {
    {FAULT_READ, NULL, 0}, {FAULT_ANSWER, NULL, 0}, {FAULT_AGAIN, NULL, 0}};

static const char *
mark_of(const char *request)
{
    const char *header =
        request == NULL ? NULL : strcasestr(request, FAULT_MARK_HEADER ": ");

    return header == NULL ? NULL : header + sizeof(FAULT_MARK_HEADER ": ") - 1;
}

char *
fault_marked(const char *bytes, size_t n, const char *request)
{
    const char *mark = mark_of(request);
    char *copy, *at;

    if (mark == NULL || n == 0 ||
        memmem(bytes, n, FAULT_MARK, MARK_LEN) == NULL)
        return NULL;
    copy = malloc(n);
    assert(copy != NULL);
    memcpy(copy, bytes, n);
    while ((at = memmem(copy, n, FAULT_MARK, MARK_LEN)) != NULL)
        memcpy(at, mark, MARK_LEN);
    return copy;
}
