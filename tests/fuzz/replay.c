/* SPDX-License-Identifier: Apache-2.0 */
/* Runs files through a fuzz target, in place of libFuzzer:
 *   tests/fuzz_TARGET              the seeds of that target
 *   tests/fuzz_TARGET PATH...      these files, and the files in these
 *                                  directories */
#include <dirent.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static size_t n_files;

/* The whole file. To be freed. */
static uint8_t *
read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    uint8_t *bytes;

    FUZZ_REQUIRE(file != NULL && fstat(fileno(file), &info) == 0,
                 "%s cannot be read", path);
    *len = (size_t)info.st_size;
    bytes = malloc(*len == 0 ? 1 : *len);
    FUZZ_REQUIRE(bytes != NULL && fread(bytes, 1, *len, file) == *len,
                 "%s cannot be read", path);
    fclose(file);
    return bytes;
}

/* The name goes out before: the last one is that of the input at fault. */
static void
replay_file(const char *path)
{
    size_t len;
    uint8_t *bytes = read_file(path, &len), *exact;

    printf("%s\n", path);
    fflush(stdout);
    exact = (uint8_t *)fuzz_copy(bytes, len);
    free(bytes);
    LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    n_files++;
}

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void
replay(const char *path)
{
    struct dirent **entries;
    struct stat info;
    char file[4096];
    int n;

    FUZZ_REQUIRE(stat(path, &info) == 0, "%s cannot be read", path);
    if (!S_ISDIR(info.st_mode)) {
        replay_file(path);
        return;
    }
    n = scandir(path, &entries, is_visible, alphasort);
    FUZZ_REQUIRE(n >= 0, "%s cannot be read", path);
    for (int i = 0; i < n; i++) {
        snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
        replay_file(file);
        free(entries[i]);
    }
    free(entries);
}

/* The program is named after the target: fuzz_x. */
static void
replay_seeds(const char *program)
{
    const char *source = getenv("VECWIRE_SOURCE");
    const char *name = strrchr(program, '/');
    char seeds[4096];

    name = name == NULL ? program : name + 1;
    snprintf(seeds, sizeof(seeds), "%s/tests/fuzz/seeds/%s",
             source == NULL ? "." : source,
             strncmp(name, "fuzz_", 5) == 0 ? name + 5 : name);
    replay(seeds);
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (argc < 2)
        replay_seeds(argv[0]);
    printf("%zu inputs\n", n_files);
    return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
