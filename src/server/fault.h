/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a request: the status and the text of the answer. */
#ifndef VECWIRE_SERVER_FAULT_H
#define VECWIRE_SERVER_FAULT_H

struct vecwire__fault {
    int status;     /* of HTTP */
    char text[320]; /* one line of UTF-8, cut when it is longer */
};

/* Set both; the text as printf(). */
__attribute__((format(printf, 3, 4))) void
vecwire__fault_set(struct vecwire__fault *fault, int status, const char *format,
                   ...);

/* 500: no memory. */
void vecwire__fault_memory(struct vecwire__fault *fault);

#endif
