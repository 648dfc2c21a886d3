/* SPDX-License-Identifier: Apache-2.0 */
#include <vecwire/vector.h>

#include "codec/float_dec.h"
#include "codec/float_enc.h"

size_t
vecwire_float_format(float value, char *text)
{
    if (vecwire__floats_first_bad(&value, 1) == 0)
        return 0;
    return vecwire__float_write(text, value);
}

enum vecwire_err
vecwire_float_parse(const char *text, size_t len, float *value)
{
    float read;
    int kind;

    if (len == 0)
        return VECWIRE_EINVAL;
    kind = vecwire__float_read(text, text + len, &read);
    if (kind == 0)
        return VECWIRE_EINVAL;
    *value = read;
    return kind == 1 ? VECWIRE_OK : VECWIRE_ETOOBIG;
}

enum vecwire_err
vecwire_vector_format(const float *vector, size_t dim, char *text, size_t *len)
{
    size_t bad = vecwire__floats_first_bad(vector, dim);

    if (dim == 0 || bad < dim) {
        *len = bad;
        return VECWIRE_EINVAL;
    }
    *len = (size_t)(vecwire__floats_write(text, vector, dim) - text);
    return VECWIRE_OK;
}

enum vecwire_err
vecwire_vector_parse(const char *text, size_t len, float *vector, size_t room,
                     size_t *dim)
{
    enum vecwire__floats_end end;
    const char *at;
    size_t n;

    *dim = 0;
    if (len == 0)
        return VECWIRE_EINVAL;
    end = vecwire__floats_read(text, text + len, vector, room, &n, &at);
    if (end == VECWIRE__FLOATS_OK) {
        *dim = n;
        return VECWIRE_OK;
    }
    *dim = (size_t)(at - text);
    return end == VECWIRE__FLOATS_BAD ? VECWIRE_EINVAL : VECWIRE_ETOOBIG;
}
