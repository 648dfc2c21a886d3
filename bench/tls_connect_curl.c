/* SPDX-License-Identifier: Apache-2.0 */
/* The same with libcurl: one easy handle, which has a cache of sessions.
 * usage: tls_connect_curl URL CA-FILE N */
#include "tls_connect.h"

#include <curl/curl.h>

static size_t
on_body(char *bytes, size_t size, size_t n, void *arg)
{
    (void)bytes;
    (void)arg;
    return size * n;
}

static void
ask(void *arg, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        CURLcode rc = curl_easy_perform(arg);

        if (rc != CURLE_OK)
            bench_die("%s", curl_easy_strerror(rc));
    }
}

int
main(int argc, char **argv)
{
    CURL *curl;
    uint64_t n;

    if (argc != 4 || !bench_number(argv[3], 1000000, &n))
        bench_die("usage: tls_connect_curl URL CA-FILE N");
    curl_global_init(CURL_GLOBAL_DEFAULT);
    curl = curl_easy_init();
    if (curl == NULL)
        bench_die("no memory");
    curl_easy_setopt(curl, CURLOPT_URL, argv[1]);
    curl_easy_setopt(curl, CURLOPT_CAINFO, argv[2]);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    tls_connect_measure(ask, curl, n);
    curl_easy_cleanup(curl);
    curl_global_cleanup();
    return 0;
}
