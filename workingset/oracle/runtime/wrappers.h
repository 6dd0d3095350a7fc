/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* laxity_traced_NAME does what NAME does and says what it reads and writes. Called by instrumented
 * code only, by name (externals.def). */
#ifndef LAXITY_WORKINGSET_WRAPPERS_H
#define LAXITY_WORKINGSET_WRAPPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

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
void *laxity_traced_memalign(size_t alignment_bytes, size_t size_bytes);
void *laxity_traced_valloc(size_t size_bytes);
void *laxity_traced_reallocarray(void *block, size_t count, size_t element_bytes);
void *laxity_traced_aligned_alloc(size_t alignment_bytes, size_t size_bytes);
int laxity_traced_posix_memalign(void **out_block, size_t alignment_bytes, size_t size_bytes);
void *laxity_traced__Znwj(size_t size_bytes);
void *laxity_traced__Znaj(size_t size_bytes);
void laxity_traced__ZdlPvj(void *block, size_t size_bytes);
void laxity_traced__ZdaPvj(void *block, size_t size_bytes);

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
void *laxity_traced_mempcpy(void *to, const void *from, size_t size_bytes);
size_t laxity_traced_strnlen(const char *text, size_t limit_bytes);
int laxity_traced_strcasecmp(const char *a, const char *b);
int laxity_traced_strncasecmp(const char *a, const char *b, size_t limit_bytes);
char *laxity_traced_stpcpy(char *to, const char *from);
size_t laxity_traced_strspn(const char *text, const char *accepted);
size_t laxity_traced_strcspn(const char *text, const char *refused);
char *laxity_traced_strndup(const char *text, size_t limit_bytes);
void laxity_traced_bzero(void *to, size_t size_bytes);
void laxity_traced_bcopy(const void *from, void *to, size_t size_bytes);
void *laxity_traced_memrchr(const void *memory, int value, size_t size_bytes);
char *laxity_traced_index(const char *text, int wanted);
char *laxity_traced_rindex(const char *text, int wanted);
char *laxity_traced_strpbrk(const char *text, const char *wanted);
int laxity_traced_strcoll(const char *a, const char *b);
char *laxity_traced_strtok(char *text, const char *separators);

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
FILE *laxity_traced_fdopen(int fd, const char *mode);
FILE *laxity_traced_freopen(const char *path, const char *mode, FILE *stream);
int laxity_traced_dprintf(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
int laxity_traced_vprintf(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));
int laxity_traced_vfprintf(FILE *stream, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
int laxity_traced_vsprintf(char *to, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
int laxity_traced_vsnprintf(char *to, size_t size_bytes, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* numbers.c */
double laxity_traced_modf(double value, double *out_whole);
double laxity_traced_frexp(double value, int *out_exponent);
double laxity_traced_strtod(const char *text, char **out_end);
unsigned long laxity_traced_strtoul(const char *text, char **out_end, int base);
long laxity_traced_strtol(const char *text, char **out_end, int base);
double laxity_traced_atof(const char *text);
long laxity_traced_atol(const char *text);
int laxity_traced_atoi(const char *text);
long long laxity_traced_atoll(const char *text);
long long laxity_traced_strtoll(const char *text, char **out_end, int base);
unsigned long long laxity_traced_strtoull(const char *text, char **out_end, int base);
float laxity_traced_strtof(const char *text, char **out_end);
double laxity_traced_nan(const char *payload);
float laxity_traced_nanf(const char *payload);
float laxity_traced_frexpf(float value, int *out_exponent);
float laxity_traced_modff(float value, float *out_whole);
void laxity_traced_sincos(double angle, double *out_sine, double *out_cosine);
void laxity_traced_sincosf(float angle, float *out_sine, float *out_cosine);
double laxity_traced_remquo(double dividend, double divisor, int *out_quotient);

/* input.c */
int laxity_traced_scanf(const char *format, ...) __attribute__((format(scanf, 1, 2)));
int laxity_traced_fscanf(FILE *stream, const char *format, ...)
    __attribute__((format(scanf, 2, 3)));
int laxity_traced_sscanf(const char *text, const char *format, ...)
    __attribute__((format(scanf, 2, 3)));
int laxity_traced___isoc99_scanf(const char *format, ...) __attribute__((format(scanf, 1, 2)));
int laxity_traced___isoc99_fscanf(FILE *stream, const char *format, ...)
    __attribute__((format(scanf, 2, 3)));
int laxity_traced___isoc99_sscanf(const char *text, const char *format, ...)
    __attribute__((format(scanf, 2, 3)));

/* system.c */
time_t laxity_traced_time(time_t *out_time);
int laxity_traced_gettimeofday(struct timeval *out_time, void *out_zone);
int laxity_traced_clock_gettime(clockid_t clock, struct timespec *out_time);
char *laxity_traced_getenv(const char *name);
int laxity_traced_remove(const char *path);
int laxity_traced_rename(const char *from, const char *to);
int laxity_traced_open(const char *path, int flags, ...);
ssize_t laxity_traced_read(int fd, void *to, size_t size_bytes);
ssize_t laxity_traced_write(int fd, const void *from, size_t size_bytes);
void laxity_traced_perror(const char *text);
int laxity_traced_unlink(const char *path);
int laxity_traced_access(const char *path, int mode);
int laxity_traced_chmod(const char *path, mode_t mode);
int laxity_traced_stat(const char *path, struct stat *out_status);
int laxity_traced_lstat(const char *path, struct stat *out_status);
int laxity_traced_fstat(int fd, struct stat *out_status);
char *laxity_traced_setlocale(int category, const char *name);
int laxity_traced_getopt(int word_count, char *const *words, const char *letters);

/* dates.c */
time_t laxity_traced_mktime(struct tm *date);
struct tm *laxity_traced_localtime(const time_t *moment);
struct tm *laxity_traced_gmtime(const time_t *moment);
char *laxity_traced_ctime(const time_t *moment);
struct tm *laxity_traced_localtime_r(const time_t *moment, struct tm *out_date);
struct tm *laxity_traced_gmtime_r(const time_t *moment, struct tm *out_date);
size_t
laxity_traced_strftime(char *to, size_t size_bytes, const char *format, const struct tm *date);

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
void laxity_traced__Exit(int status) __attribute__((noreturn));
void laxity_traced___stack_chk_fail(void) __attribute__((noreturn));
void laxity_traced__longjmp(struct __jmp_buf_tag *buffer, int value) __attribute__((noreturn));
void laxity_traced_siglongjmp(struct __jmp_buf_tag *buffer, int value) __attribute__((noreturn));

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
