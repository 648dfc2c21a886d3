/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that say whose they are. */
#include "tests/fault_state.h"

#include <assert.h>
#include <stdio.h>
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
fault_reply(const char *bytes, size_t *n)
{
    size_t line = strcspn(bytes, "\n"), body = *n - line - 1;
    size_t room = *n + 100;
    char *reply = malloc(room);
    int head;

    assert(reply != NULL);
    head = snprintf(reply, room,
                    "HTTP/1.1 %.*s\r\n" FAULT_MARK_HEADER ": " FAULT_MARK
                    "\r\nContent-Length: %zu\r\n\r\n",
                    (int)line, bytes, body);
    memcpy(reply + head, bytes + line + 1, body);
    *n = (size_t)head + body;
    return reply;
}

char *
fault_marked(const char *bytes, size_t n, const char *request)
{
    const char *mark = mark_of(request);
    char *copy = malloc(n + 1), *at;

    assert(copy != NULL);
    memcpy(copy, bytes, n);
    while (mark != NULL && (at = memmem(copy, n, FAULT_MARK, MARK_LEN)) != NULL)
        memcpy(at, mark, MARK_LEN);
    return copy;
}
