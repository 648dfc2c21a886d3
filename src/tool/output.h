/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_OUTPUT_H
#define VECWIRE_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A JSON string; what is not UTF-8 becomes U+FFFD. NULL text: null. */
void vecwire__output_string(FILE *file, const char *text, size_t len);

/* The shortest text of a float32; NaN and infinity: null. */
void vecwire__output_float(FILE *file, float value);

/* A double with `digits` behind the point; NaN and infinity: null. */
void vecwire__output_real(FILE *file, double value, int digits);

/* A JSON array of floats; NULL: null. */
void vecwire__output_vector(FILE *file, const float *vector, size_t dim);

/* Bytes of the control character that UTF-8 text begins with, 0: none. */
size_t vecwire__output_control(const char *text, size_t left);

/* Text for a terminal: control characters become blanks. */
void vecwire__output_plain(FILE *file, const char *text, size_t len);

/* Whether all of it is UTF-8. */
bool vecwire__output_is_text(const char *text, size_t len);

#endif
