/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/row_text.h"

#include <inttypes.h>
#include <string.h>

#include "tool/output.h"

void
vecwire__row_text_id(FILE *file, const struct vecwire_id *id)
{
    if (id->is_number)
        fprintf(file, "%" PRIu64, id->number);
    else
        vecwire__output_string(file, id->text, id->len);
}

static void
put_sparse(FILE *file, const struct vecwire_vector *vector)
{
    fputs("{\"indices\":[", file);
    for (size_t i = 0; i < vector->dim; i++)
        fprintf(file, "%s%" PRIu32, i == 0 ? "" : ",", vector->indices[i]);
    fputs("],\"values\":[", file);
    for (size_t i = 0; i < vector->dim; i++) {
        if (i > 0)
            putc(',', file);
        vecwire__output_float(file, vector->values[i]);
    }
    fputs("]}", file);
}

static void
put_vector(FILE *file, const struct vecwire_vector *vector)
{
    if (vector->indices != NULL) {
        put_sparse(file, vector);
        return;
    }
    if (vector->rows == 0) {
        vecwire__output_vector(file, vector->values, vector->dim);
        return;
    }
    putc('[', file);
    for (size_t i = 0; i < vector->rows; i++) {
        if (i > 0)
            putc(',', file);
        vecwire__output_vector(file, vector->values + i * vector->dim,
                               vector->dim);
    }
    putc(']', file);
}

void
vecwire__row_text_vectors(FILE *file, const struct vecwire_row *row)
{
    if (row->n_vectors == 0 && row->vector != NULL) {
        vecwire__output_vector(file, row->vector, row->dim);
        return;
    }
    if (row->n_vectors == 1 && row->vectors[0].name == NULL) {
        put_vector(file, &row->vectors[0]);
        return;
    }
    putc('{', file);
    for (size_t i = 0; i < row->n_vectors; i++) {
        const char *name = row->vectors[i].name;

        if (i > 0)
            putc(',', file);
        if (name == NULL)
            name = "";
        vecwire__output_string(file, name, strlen(name));
        putc(':', file);
        put_vector(file, &row->vectors[i]);
    }
    putc('}', file);
}

void
vecwire__row_text_payload(FILE *file, const char *payload, size_t len)
{
    const char *end;

    if (payload == NULL) {
        fputs("null", file);
        return;
    }
    end = payload + len;
    /* Line ends stand between values only: in a string they are escaped. */
    while (payload < end) {
        size_t part = 0;

        while (payload + part < end && payload[part] != '\n' &&
               payload[part] != '\r')
            part++;
        fwrite(payload, 1, part, file);
        payload += part;
        if (payload < end) {
            putc(' ', file);
            payload++;
        }
    }
}

void
vecwire__row_text(FILE *file, const struct vecwire_row *row, bool with_vector,
                  bool with_payload)
{
    fputs("{\"id\":", file);
    vecwire__row_text_id(file, &row->id);
    if (with_vector) {
        fputs(",\"vector\":", file);
        vecwire__row_text_vectors(file, row);
    }
    if (with_payload && row->payload != NULL) {
        fputs(",\"payload\":", file);
        vecwire__row_text_payload(file, row->payload, row->payload_len);
    }
    putc('}', file);
}
