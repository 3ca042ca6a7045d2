// What both programs need: an error ends them with its message.
#ifndef OURO_CHECK_H
#define OURO_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ouro.h"

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

// Ends the program when a call failed.
static inline void ok(OuroString error) {
    if (error != NULL) {
        fprintf(stderr, "%s\n", error);
        ouro_string_free(error);
        exit(1);
    }
}

// Ends the program when a call did not fail with this code.
static inline void fails(OuroString error, const char *code) {
    char expected[64];
    snprintf(expected, sizeof expected, "{\"code\":\"%s\"", code);
    CHECK(error != NULL);
    if (strncmp(error, expected, strlen(expected)) != 0) {
        fprintf(stderr, "not %s: %s\n", code, error);
        exit(1);
    }
    ouro_string_free(error);
}

#endif
