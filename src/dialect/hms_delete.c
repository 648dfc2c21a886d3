/* SPDX-License-Identifier: Apache-2.0 */
/* HMS: deleting, one row a request. */
#include "dialect/hms.h"

#include <string.h>

enum vecwire_err
vecwire__hms_lacks(struct vecwire_refusal *refusal, const char *what)
{
    return vecwire__refuse(refusal, VECWIRE_EUNSUPPORTED, SIZE_MAX, SIZE_MAX,
                           "%s: hms does not offer this", what);
}

/* The writer knows what UTF-8 is: what it wrote is taken back. */
static enum vecwire_err
check_utf8(struct vecwire__buf *text, const char *id,
           struct vecwire_refusal *refusal)
{
    size_t len = text->len;
    enum vecwire_err err = vecwire__put_text(text, id, 0, "id", refusal);

    text->len = len;
    return err;
}

/* One segment: a "/" in the id is encoded like all else. "batch" and "stream"
 * would be taken for routes of the server. */
static bool
put_id(struct vecwire__buf *text, const char *id)
{
    static const char *const plain[] = {"batch", "stream"};
    static const char *const encoded[] = {"%62atch", "%73tream"};

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (strcmp(id, plain[i]) == 0)
            return vecwire__buf_str(text, encoded[i]);
    }
    return vecwire__put_segment(text, id);
}

enum vecwire_err
vecwire__hms_encode_delete(const struct vecwire__settings *settings,
                           const void *request, struct vecwire__encoding *enc,
                           struct vecwire_refusal *refusal)
{
    const struct vecwire_delete_request *del = request;
    enum vecwire_err err;

    if (del->numbers != NULL)
        return vecwire__hms_lacks(refusal, "numbers: ids that are numbers");
    if (del->filter != NULL || del->filter_tree != NULL || del->everything)
        return vecwire__hms_lacks(refusal, "deleting by filter");
    if (del->rows == 0 || del->ids == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "no ids, expected 1");
    if (del->rows > 1)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                               "%zu ids, HMS deletes 1 a call", del->rows);
    err = vecwire__hms_check_id(del->ids[0], 0, refusal);
    if (err == VECWIRE_OK)
        err = check_utf8(&enc->text, del->ids[0], refusal);
    if (err != VECWIRE_OK)
        return err;
    enc->method = VECWIRE__DELETE;
    enc->class = VECWIRE__IDEMPOTENT;
    enc->decoding = &vecwire__hms_delete_decoding;
    if (!vecwire__hms_begin(settings, enc, "/api/v1/documents/",
                            (size_t)3 * VECWIRE__HMS_MAX_ID) ||
        !put_id(&enc->text, del->ids[0]))
        return VECWIRE_ENOMEM;
    return vecwire__buf_byte(&enc->text, '\0') ? VECWIRE_OK : VECWIRE_ENOMEM;
}
