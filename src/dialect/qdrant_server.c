/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: lists of aliases and snapshots, pages about the server. */
#include "dialect/qdrant_server.h"

#include <stdio.h>
#include <string.h>

static enum vecwire_err
encode(const struct vecwire__settings *settings, struct vecwire__encoding *enc,
       struct vecwire_refusal *refusal,
       const struct vecwire__qdrant_route *route)
{
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, route, NULL, 0);
    return vecwire__qdrant_end(&w);
}

VECWIRE__QDRANT_ENCODER(list_aliases)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/aliases",
        .global = true,
        .method = VECWIRE__GET,
        .class = VECWIRE__READ,
        .decoding = &vecwire__qdrant_aliases_decoding,
    };

    (void)request;
    return encode(settings, enc, refusal, &route);
}

VECWIRE__QDRANT_ENCODER(collection_aliases)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/aliases",
        .method = VECWIRE__GET,
        .class = VECWIRE__READ,
        .decoding = &vecwire__qdrant_aliases_decoding,
    };

    (void)request;
    return encode(settings, enc, refusal, &route);
}

VECWIRE__QDRANT_ENCODER(list_snapshots)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/snapshots",
        .method = VECWIRE__GET,
        .class = VECWIRE__READ,
        .decoding = &vecwire__qdrant_snapshots_decoding,
    };

    (void)request;
    return encode(settings, enc, refusal, &route);
}

VECWIRE__QDRANT_ENCODER(create_snapshot)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/snapshots",
        .method = VECWIRE__POST,
        .class = VECWIRE__NEVER,
        .decoding = &vecwire__qdrant_snapshot_decoding,
        .takes = VECWIRE__QDRANT_NO_WAIT,
    };

    (void)request;
    return encode(settings, enc, refusal, &route);
}

/* --- pages --- */

static const char *const paths[] = {
    [VECWIRE_QDRANT_ROOT] = "/",
    [VECWIRE_QDRANT_HEALTHZ] = "/healthz",
    [VECWIRE_QDRANT_LIVEZ] = "/livez",
    [VECWIRE_QDRANT_READYZ] = "/readyz",
    [VECWIRE_QDRANT_METRICS] = "/metrics",
    [VECWIRE_QDRANT_TELEMETRY] = "/telemetry",
};

static void
put_parameter(struct vecwire__qdrant_writer *w, const char *name,
              const char *value)
{
    if (w->err != VECWIRE_OK)
        return;
    vecwire__qdrant_put(
        w, memchr(w->text->bytes, '?', w->text->len) == NULL ? "?" : "&");
    vecwire__qdrant_put(w, name);
    vecwire__qdrant_put(w, value);
}

/* Behind the path and its NUL: what the page has of its own. */
static void
put_own_parameters(struct vecwire__qdrant_writer *w,
                   const struct vecwire_qdrant_page_request *page)
{
    char number[16];

    if (w->err != VECWIRE_OK)
        return;
    w->text->len--;
    if (page->anonymize)
        put_parameter(w, "anonymize=", "true");
    if (page->per_collection)
        put_parameter(w, "per_collection=", "true");
    if (page->details_level != 0) {
        snprintf(number, sizeof(number), "%u", (unsigned)page->details_level);
        put_parameter(w, "details_level=", number);
    }
    if (w->err == VECWIRE_OK && !vecwire__buf_byte(w->text, '\0'))
        w->err = VECWIRE_ENOMEM;
}

VECWIRE__QDRANT_ENCODER(page)
{
    const struct vecwire_qdrant_page_request *page = request;
    struct vecwire__qdrant_route route = {
        .global = true,
        .method = VECWIRE__GET,
        .class = VECWIRE__READ,
    };
    struct vecwire__qdrant_writer w = {
        .refusal = refusal, .row = SIZE_MAX, .settings = settings};
    bool is_report = page->page == VECWIRE_QDRANT_METRICS ||
                     page->page == VECWIRE_QDRANT_TELEMETRY;

    if (page->page < VECWIRE_QDRANT_ROOT ||
        page->page > VECWIRE_QDRANT_TELEMETRY)
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "page is %u, expected "
                                      "VECWIRE_QDRANT_ROOT or another",
                                      (unsigned)page->page);
    if (!is_report && (page->anonymize || page->per_collection))
        return vecwire__qdrant_refuse(
            &w, VECWIRE_EINVAL, "%s: this page has none",
            page->anonymize ? "anonymize" : "per_collection");
    if (page->details_level != 0 && page->page != VECWIRE_QDRANT_TELEMETRY)
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "details_level: this page has none");
    route.path = paths[page->page];
    if (is_report)
        route.takes = VECWIRE__QDRANT_TIMEOUT;
    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, NULL, 0);
    put_own_parameters(&w, page);
    return vecwire__qdrant_end(&w);
}
