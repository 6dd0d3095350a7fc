/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* laxity_traced_NAME does what NAME does and says what it reads and writes. Called by instrumented
 * code only, by name (externals.def). */
#ifndef LAXITY_WORKINGSET_WRAPPERS_H
#define LAXITY_WORKINGSET_WRAPPERS_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* heap.c */
void *laxity_traced_malloc(size_t size_bytes);
void *laxity_traced_calloc(size_t count, size_t element_bytes);
void laxity_traced_free(void *block);
void *laxity_traced_realloc(void *block, size_t size_bytes);
void *laxity_traced__Znwm(size_t size_bytes);
void *laxity_traced__Znam(size_t size_bytes);
void laxity_traced__ZdlPv(void *block);
void laxity_traced__ZdaPv(void *block);
void laxity_traced__ZdlPvm(void *block, size_t size_bytes);
void laxity_traced__ZdaPvm(void *block, size_t size_bytes);

/* strings.c */
void *laxity_traced_memcpy(void *to, const void *from, size_t size_bytes);
void *laxity_traced_memmove(void *to, const void *from, size_t size_bytes);
void *laxity_traced_memset(void *to, int value, size_t size_bytes);
int laxity_traced_memcmp(const void *a, const void *b, size_t size_bytes);
int laxity_traced_bcmp(const void *a, const void *b, size_t size_bytes);
void *laxity_traced_memchr(const void *memory, int value, size_t size_bytes);
size_t laxity_traced_strlen(const char *text);
int laxity_traced_strcmp(const char *a, const char *b);
int laxity_traced_strncmp(const char *a, const char *b, size_t limit_bytes);
char *laxity_traced_strcpy(char *to, const char *from);
char *laxity_traced_strncpy(char *to, const char *from, size_t limit_bytes);
char *laxity_traced_strcat(char *to, const char *from);
char *laxity_traced_strncat(char *to, const char *from, size_t limit_bytes);
char *laxity_traced_strchr(const char *text, int wanted);
char *laxity_traced_strrchr(const char *text, int wanted);
char *laxity_traced_strstr(const char *text, const char *wanted);
char *laxity_traced_strdup(const char *text);
int laxity_traced_atoi(const char *text);
long laxity_traced_atol(const char *text);
double laxity_traced_atof(const char *text);
long laxity_traced_strtol(const char *text, char **out_end, int base);
unsigned long laxity_traced_strtoul(const char *text, char **out_end, int base);
double laxity_traced_strtod(const char *text, char **out_end);

/* output.c */
int laxity_traced_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int laxity_traced_fprintf(FILE *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int laxity_traced_sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int laxity_traced_snprintf(char *to, size_t size_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int laxity_traced_puts(const char *text);
int laxity_traced_fputs(const char *text, FILE *stream);
size_t laxity_traced_fwrite(const void *from, size_t element_bytes, size_t count, FILE *stream);
size_t laxity_traced_fread(void *to, size_t element_bytes, size_t count, FILE *stream);
char *laxity_traced_fgets(char *to, int size_bytes, FILE *stream);
FILE *laxity_traced_fopen(const char *path, const char *mode);

/* control.c */
void laxity_traced_qsort(
    void *base, size_t count, size_t element_bytes, int (*compare)(const void *a, const void *b)
);
void *laxity_traced_bsearch(
    const void *key,
    const void *base,
    size_t count,
    size_t element_bytes,
    int (*compare)(const void *a, const void *b)
);
int laxity_traced_atexit(void (*function)(void));
int laxity_traced___cxa_atexit(void (*destructor)(void *), void *object, void *library);
void laxity_traced_exit(int status) __attribute__((noreturn));
void laxity_traced__exit(int status) __attribute__((noreturn));
void laxity_traced_abort(void) __attribute__((noreturn));
void laxity_traced___assert_fail(
    const char *text, const char *file, unsigned line, const char *function
);
void laxity_traced_longjmp(struct __jmp_buf_tag *buffer, int value) __attribute__((noreturn));
double laxity_traced_frexp(double value, int *out_exponent);
double laxity_traced_modf(double value, double *out_whole);

/* exceptions.c */
void *laxity_traced___cxa_allocate_exception(size_t size_bytes);
void laxity_traced___cxa_free_exception(void *exception);
void laxity_traced___cxa_throw(
    void *exception, const void *type_info, void (*destructor)(void *exception)
) __attribute__((noreturn));
void laxity_traced___cxa_rethrow(void) __attribute__((noreturn));
void *laxity_traced___cxa_begin_catch(void *header);
void *laxity_traced___cxa_get_exception_ptr(void *header);
void laxity_traced___cxa_end_catch(void);
void laxity_traced__ZSt9terminatev(void) __attribute__((noreturn));
int laxity_traced___cxa_guard_acquire(int64_t *guard);
void laxity_traced___cxa_guard_release(int64_t *guard);
void laxity_traced___cxa_guard_abort(int64_t *guard);
void laxity_traced___cxa_pure_virtual(void) __attribute__((noreturn));

#endif
