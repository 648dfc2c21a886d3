/* SPDX-License-Identifier: Apache-2.0 */
#include "server/dot.h"

#if defined(__x86_64__) && !defined(VECWIRE_NO_SIMD)
#define DOT_X86 1
#include <immintrin.h>
#else
#define DOT_X86 0
#endif

double
vecwire__dot_exact(const float *a, const float *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Four sums, so that an addition need not wait for the one before. */
static float
dot_scalar(const float *a, const float *b, size_t n)
{
    float sum[4] = {0, 0, 0, 0};
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        sum[0] += a[i] * b[i];
        sum[1] += a[i + 1] * b[i + 1];
        sum[2] += a[i + 2] * b[i + 2];
        sum[3] += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#if DOT_X86
static float
sum_of_four(__m128 all)
{
    __m128 high = _mm_add_ps(all, _mm_movehl_ps(all, all));

    return _mm_cvtss_f32(
        _mm_add_ss(high, _mm_shuffle_ps(high, high, _MM_SHUFFLE(1, 1, 1, 1))));
}

/* The sums have names of their own, not an array's, so that gcc 12 keeps them
 * in registers without being told to unroll. */
static float
dot_sse2(const float *a, const float *b, size_t n)
{
    __m128 s0 = _mm_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;

#define STEP(sum, at)                                                          \
    sum = _mm_add_ps(sum, _mm_mul_ps(_mm_loadu_ps(a + i + (at)),               \
                                     _mm_loadu_ps(b + i + (at))))
    for (; i + 16 <= n; i += 16) {
        STEP(s0, 0);
        STEP(s1, 4);
        STEP(s2, 8);
        STEP(s3, 12);
    }
#undef STEP
    return sum_of_four(_mm_add_ps(_mm_add_ps(s0, s1), _mm_add_ps(s2, s3))) +
           dot_scalar(a + i, b + i, n - i);
}

__attribute__((target("avx2,fma"))) static float
dot_avx2(const float *a, const float *b, size_t n)
{
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    __m128 half;
    size_t i = 0;

#define STEP(sum, at)                                                          \
    sum = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + (at)),                       \
                          _mm256_loadu_ps(b + i + (at)), sum)
    for (; i + 32 <= n; i += 32) {
        STEP(s0, 0);
        STEP(s1, 8);
        STEP(s2, 16);
        STEP(s3, 24);
    }
#undef STEP
    s0 = _mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3));
    half = _mm_add_ps(_mm256_castps256_ps128(s0), _mm256_extractf128_ps(s0, 1));
    /* Left to itself gcc 12 emits none here, and then all SSE code that runs
     * afterwards takes up to three times as long. */
    _mm256_zeroupper();
    return sum_of_four(half) + dot_scalar(a + i, b + i, n - i);
}
#endif

static const struct vecwire__dot_kernel kernels[] = {
#if DOT_X86
    {"avx2", dot_avx2},
    {"sse2", dot_sse2},
#endif
    {"scalar", dot_scalar},
};

const struct vecwire__dot_kernel *
vecwire__dot_kernels(size_t *n)
{
    size_t skipped = 0;

#if DOT_X86
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        skipped = 1;
#endif
    *n = sizeof(kernels) / sizeof(kernels[0]) - skipped;
    return kernels + skipped;
}
