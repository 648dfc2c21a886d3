/* SPDX-License-Identifier: Apache-2.0 */
/* Hundreds of millions of number texts, read by every reader.
 *
 *   exhaustive_decode [TEXTS [SEED]]   200 million, by the clock
 *
 * Two processes share the work. Exit status 1 when anything differs. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/float_texts.h"

static int
part_check(uint64_t texts, uint64_t seed)
{
    static struct texts t;

    t.state = seed;
    while (t.n < texts)
        texts_check(&t);
    printf("texts %" PRIu64 "  at midpoints %" PRIu64 "  failures %" PRIu64
           "  seed %" PRIu64 "\n",
           t.n, t.n_middles, t.failures, seed);
    fflush(stdout);
    return t.failures == 0 && t.n_middles > t.n / 5 ? EXIT_SUCCESS
                                                    : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
    uint64_t texts = 200000000, seed = (uint64_t)time(NULL);
    int status, own;
    pid_t child;

    if (argc >= 2)
        texts = strtoull(argv[1], NULL, 0);
    if (argc == 3)
        seed = strtoull(argv[2], NULL, 0);
    if (argc > 3 || texts == 0) {
        fprintf(stderr, "usage: %s [TEXTS [SEED]]\n", argv[0]);
        return 2;
    }
    printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (child == 0)
        _exit(part_check(texts / 2, ~seed));
    own = part_check(texts - texts / 2, seed);
    if (waitpid(child, &status, 0) != child || status != 0)
        return 1;
    return own;
}
