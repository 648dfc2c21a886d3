/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/args.h"
#include "tool/output.h"

static char *
copy_text(const char *text)
{
    size_t len = strlen(text);
    char *copy = vecwire__args_alloc(len + 1, 1);

    memcpy(copy, text, len + 1);
    return copy;
}

void
vecwire__tally_fail(struct tally *tally, uint64_t row, const char *id,
                    enum vecwire_err code, const char *text)
{
    struct tally_error *error;

    tally->failed++;
    if (tally->n_errors == TALLY_MAX_ERRORS)
        return;
    if (tally->n_errors == tally->room) {
        size_t room = tally->room == 0 ? 16 : tally->room * 2;
        struct tally_error *larger = vecwire__args_alloc(room, sizeof(*larger));

        if (tally->n_errors > 0)
            memcpy(larger, tally->errors, tally->n_errors * sizeof(*larger));
        free(tally->errors);
        tally->errors = larger;
        tally->room = room;
    }
    error = &tally->errors[tally->n_errors++];
    error->row = row;
    error->id = id == NULL ? NULL : copy_text(id);
    error->text = copy_text(text);
    error->code = code;
}

void
vecwire__tally_print(const struct tally *tally)
{
    printf("{\"rows_done\":%llu,\"rows_failed\":%llu,\"errors\":[",
           (unsigned long long)tally->done, (unsigned long long)tally->failed);
    for (size_t i = 0; i < tally->n_errors; i++) {
        const struct tally_error *error = &tally->errors[i];

        printf("%s{\"row\":%llu,\"id\":", i == 0 ? "" : ",",
               (unsigned long long)error->row);
        vecwire__output_string(stdout, error->id,
                               error->id == NULL ? 0 : strlen(error->id));
        printf(",\"code\":\"%s\",\"text\":", vecwire_err_name(error->code));
        vecwire__output_string(stdout, error->text, strlen(error->text));
        putchar('}');
    }
    putchar(']');
    if (tally->failed > tally->n_errors)
        printf(",\"errors_left_out\":%llu",
               (unsigned long long)(tally->failed - tally->n_errors));
    puts("}");
}

void
vecwire__tally_fini(struct tally *tally)
{
    for (size_t i = 0; i < tally->n_errors; i++) {
        free(tally->errors[i].id);
        free(tally->errors[i].text);
    }
    free(tally->errors);
    memset(tally, 0, sizeof(*tally));
}
