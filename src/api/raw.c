/* SPDX-License-Identifier: Apache-2.0 */
#include "api/raw.h"

#include <string.h>

#include "call/headers.h"

static const char *const methods[] = {
    [VECWIRE__GET] = "GET",        [VECWIRE__HEAD] = "HEAD",
    [VECWIRE__POST] = "POST",      [VECWIRE__PUT] = "PUT",
    [VECWIRE__PATCH] = "PATCH",    [VECWIRE__DELETE] = "DELETE",
    [VECWIRE__OPTIONS] = "OPTIONS"};

#define N_METHODS (sizeof(methods) / sizeof(methods[0]))

static enum vecwire_err
check_path(const char *path, struct vecwire_refusal *refusal)
{
    if (path == NULL || path[0] != '/')
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "path: expected to begin with \"/\"");
    for (size_t i = 0; path[i] != '\0'; i++) {
        if (path[i] < 0x21 || path[i] > 0x7e)
            return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                                   "path: byte %zu is not one of 0x21 to 0x7e",
                                   i);
    }
    return VECWIRE_OK;
}

static enum vecwire_err
check_body(const struct vecwire_raw_request *raw,
           struct vecwire_refusal *refusal)
{
    const char *fault;

    if (raw->body == NULL && raw->body_len > 0)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "body is NULL, body_len is %zu", raw->body_len);
    fault = raw->content_type == NULL
                ? NULL
                : vecwire__header_value_fault(raw->content_type);
    if (fault != NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "content_type has %s", fault);
    return VECWIRE_OK;
}

/* Path, content type and body, one behind the other. */
static enum vecwire_err
write_raw(const struct vecwire__settings *settings,
          const struct vecwire_raw_request *raw, struct vecwire__encoding *enc)
{
    const char *type = raw->content_type;
    struct vecwire__buf *text = &enc->text;

    if (!vecwire__buf_reserve(
            text, strlen(settings->prefix) + strlen(raw->path) + 1 +
                      (type == NULL ? 0 : strlen(type) + 1) + raw->body_len) ||
        !vecwire__buf_str(text, settings->prefix) ||
        !vecwire__buf_add(text, raw->path, strlen(raw->path) + 1))
        return VECWIRE_ENOMEM;
    if (raw->body == NULL)
        return VECWIRE_OK;
    enc->has_body = true;
    enc->content_type = "application/json";
    if (type != NULL) {
        enc->content_type_at = text->len;
        if (!vecwire__buf_add(text, type, strlen(type) + 1))
            return VECWIRE_ENOMEM;
    }
    enc->body_at = text->len;
    return vecwire__buf_add(text, raw->body, raw->body_len) ? VECWIRE_OK
                                                            : VECWIRE_ENOMEM;
}

enum vecwire_err
vecwire__encode_raw(const struct vecwire__settings *settings,
                    const struct vecwire_raw_request *raw,
                    struct vecwire__encoding *enc,
                    struct vecwire_refusal *refusal)
{
    const char *method = raw->method == NULL ? "GET" : raw->method;
    enum vecwire_err err;
    size_t m = 0;

    while (m < N_METHODS && strcmp(method, methods[m]) != 0)
        m++;
    if (m == N_METHODS)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "method: expected GET HEAD POST PUT PATCH "
                               "DELETE or OPTIONS");
    err = check_path(raw->path, refusal);
    if (err == VECWIRE_OK)
        err = check_body(raw, refusal);
    if (err != VECWIRE_OK)
        return err;
    enc->method = (enum vecwire__method)m;
    enc->class = m == VECWIRE__GET || m == VECWIRE__HEAD ? VECWIRE__READ
                                                         : VECWIRE__NEVER;
    return write_raw(settings, raw, enc);
}
