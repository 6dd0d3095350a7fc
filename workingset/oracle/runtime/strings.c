/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* Memory and strings: reads go as far as the function must look, no further. */
#include "trace.h"
#include "wrappers.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void read_string(const char *text)
{
    laxity_trace_read(text, strlen(text) + 1);
}

/* How far two strings must be read: the first difference or the end included, at most limit_bytes.
 */
static size_t compared_bytes(const char *a, const char *b, size_t limit_bytes)
{
    size_t i = 0;

    while (i < limit_bytes && a[i] == b[i] && a[i] != '\0') {
        i++;
    }
    return i < limit_bytes ? i + 1 : limit_bytes;
}

static int is_same_letter(char a, char b)
{
    const int left = (tolower)((unsigned char)a), right = (tolower)((unsigned char)b);

    return left == right;
}

/* The same where capital letters are as good as small ones. */
static size_t folded_bytes(const char *a, const char *b, size_t limit_bytes)
{
    size_t i = 0;

    while (i < limit_bytes && is_same_letter(a[i], b[i]) && a[i] != '\0') {
        i++;
    }
    return i < limit_bytes ? i + 1 : limit_bytes;
}

static void read_up_to(const char *text, size_t limit_bytes)
{
    size_t length = strnlen(text, limit_bytes);

    laxity_trace_read(text, length < limit_bytes ? length + 1 : limit_bytes);
}

void *laxity_traced_memcpy(void *to, const void *from, size_t size_bytes)
{
    laxity_trace_read(from, size_bytes);
    laxity_trace_write(to, size_bytes);
    return memcpy(to, from, size_bytes);
}

void *laxity_traced_memmove(void *to, const void *from, size_t size_bytes)
{
    laxity_trace_read(from, size_bytes);
    laxity_trace_write(to, size_bytes);
    return memmove(to, from, size_bytes);
}

void *laxity_traced_memset(void *to, int value, size_t size_bytes)
{
    laxity_trace_write(to, size_bytes);
    return memset(to, value, size_bytes);
}

int laxity_traced_memcmp(const void *a, const void *b, size_t size_bytes)
{
    const unsigned char *left = a, *right = b;
    size_t i = 0;

    while (i < size_bytes && left[i] == right[i]) {
        i++;
    }
    laxity_trace_read(a, i < size_bytes ? i + 1 : size_bytes);
    laxity_trace_read(b, i < size_bytes ? i + 1 : size_bytes);
    return memcmp(a, b, size_bytes);
}

int laxity_traced_bcmp(const void *a, const void *b, size_t size_bytes)
{
    return laxity_traced_memcmp(a, b, size_bytes);
}

void *laxity_traced_memchr(const void *memory, int value, size_t size_bytes)
{
    char *found = memchr(memory, value, size_bytes);

    laxity_trace_read(memory, found ? (size_t)(found - (const char *)memory) + 1 : size_bytes);
    return found;
}

size_t laxity_traced_strlen(const char *text)
{
    read_string(text);
    return strlen(text);
}

int laxity_traced_strcmp(const char *a, const char *b)
{
    size_t size_bytes = compared_bytes(a, b, SIZE_MAX);

    laxity_trace_read(a, size_bytes);
    laxity_trace_read(b, size_bytes);
    return strcmp(a, b);
}

int laxity_traced_strncmp(const char *a, const char *b, size_t limit_bytes)
{
    size_t size_bytes = compared_bytes(a, b, limit_bytes);

    laxity_trace_read(a, size_bytes);
    laxity_trace_read(b, size_bytes);
    return strncmp(a, b, limit_bytes);
}

char *laxity_traced_strcpy(char *to, const char *from)
{
    read_string(from);
    laxity_trace_write(to, strlen(from) + 1);
    /* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.strcpy): it is what the program called */
    return strcpy(to, from);
}

char *laxity_traced_strncpy(char *to, const char *from, size_t limit_bytes)
{
    size_t length = strnlen(from, limit_bytes);

    laxity_trace_read(from, length < limit_bytes ? length + 1 : limit_bytes);
    laxity_trace_write(to, limit_bytes);
    return strncpy(to, from, limit_bytes);
}

char *laxity_traced_strcat(char *to, const char *from)
{
    read_string(to);
    read_string(from);
    laxity_trace_write(to + strlen(to), strlen(from) + 1);
    /* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.strcpy): it is what the program called */
    return strcat(to, from);
}

char *laxity_traced_strncat(char *to, const char *from, size_t limit_bytes)
{
    size_t length = strnlen(from, limit_bytes);

    read_string(to);
    laxity_trace_read(from, length < limit_bytes ? length + 1 : limit_bytes);
    laxity_trace_write(to + strlen(to), length + 1);
    return strncat(to, from, limit_bytes);
}

char *laxity_traced_strchr(const char *text, int wanted)
{
    char *found = strchr(text, wanted);

    laxity_trace_read(text, found ? (size_t)(found - text) + 1 : strlen(text) + 1);
    return found;
}

char *laxity_traced_strrchr(const char *text, int wanted)
{
    read_string(text);
    return strrchr(text, wanted);
}

char *laxity_traced_strstr(const char *text, const char *wanted)
{
    read_string(text);
    read_string(wanted);
    return strstr(text, wanted);
}

char *laxity_traced_strdup(const char *text)
{
    size_t size_bytes = strlen(text) + 1;
    char *copy = malloc(size_bytes);

    if (copy) {
        laxity_trace_read(text, size_bytes);
        laxity_trace_allocate(copy, size_bytes);
        laxity_trace_write(copy, size_bytes);
        memcpy(copy, text, size_bytes);
    }
    return copy;
}

void *laxity_traced_mempcpy(void *to, const void *from, size_t size_bytes)
{
    return (char *)laxity_traced_memcpy(to, from, size_bytes) + size_bytes;
}

void laxity_traced_bzero(void *to, size_t size_bytes)
{
    (void)laxity_traced_memset(to, 0, size_bytes);
}

void laxity_traced_bcopy(const void *from, void *to, size_t size_bytes)
{
    (void)laxity_traced_memmove(to, from, size_bytes);
}

/* From the end to what is found. */
void *laxity_traced_memrchr(const void *memory, int value, size_t size_bytes)
{
    const char *bytes = memory;
    size_t first = size_bytes;

    while (first > 0 && bytes[first - 1] != (char)value) {
        first--;
    }
    first -= first > 0;
    laxity_trace_read(bytes + first, size_bytes - first);
    return size_bytes > 0 && bytes[first] == (char)value
               ? (void *)(uintptr_t)(bytes + first) /* NOLINT(performance-no-int-to-ptr) */
               : NULL;
}

size_t laxity_traced_strnlen(const char *text, size_t limit_bytes)
{
    read_up_to(text, limit_bytes);
    return strnlen(text, limit_bytes);
}

int laxity_traced_strcasecmp(const char *a, const char *b)
{
    size_t size_bytes = folded_bytes(a, b, SIZE_MAX);

    laxity_trace_read(a, size_bytes);
    laxity_trace_read(b, size_bytes);
    return strcasecmp(a, b);
}

int laxity_traced_strncasecmp(const char *a, const char *b, size_t limit_bytes)
{
    size_t size_bytes = folded_bytes(a, b, limit_bytes);

    laxity_trace_read(a, size_bytes);
    laxity_trace_read(b, size_bytes);
    return strncasecmp(a, b, limit_bytes);
}

char *laxity_traced_stpcpy(char *to, const char *from)
{
    return laxity_traced_strcpy(to, from) + strlen(from);
}

char *laxity_traced_index(const char *text, int wanted)
{
    return laxity_traced_strchr(text, wanted);
}

char *laxity_traced_rindex(const char *text, int wanted)
{
    return laxity_traced_strrchr(text, wanted);
}

/* Up to the first character that decides, that included. */
char *laxity_traced_strpbrk(const char *text, const char *wanted)
{
    char *found = strpbrk(text, wanted);

    laxity_trace_read(text, found ? (size_t)(found - text) + 1 : strlen(text) + 1);
    read_string(wanted);
    return found;
}

size_t laxity_traced_strspn(const char *text, const char *accepted)
{
    size_t length = strspn(text, accepted);

    laxity_trace_read(text, length + 1);
    read_string(accepted);
    return length;
}

size_t laxity_traced_strcspn(const char *text, const char *refused)
{
    size_t length = strcspn(text, refused);

    laxity_trace_read(text, length + 1);
    read_string(refused);
    return length;
}

char *laxity_traced_strndup(const char *text, size_t limit_bytes)
{
    size_t length = strnlen(text, limit_bytes);
    char *copy = malloc(length + 1);

    if (copy) {
        read_up_to(text, limit_bytes);
        laxity_trace_allocate(copy, length + 1);
        laxity_trace_write(copy, length + 1);
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

int laxity_traced_strcoll(const char *a, const char *b)
{
    read_string(a);
    read_string(b);
    return strcoll(a, b);
}

/* Ours, since where the C library's goes on is not told: from the start of what is looked at to the
 * separator behind the word, which becomes its end. */
char *laxity_traced_strtok(char *text, const char *separators)
{
    static char *rest;
    char *word, *end;

    read_string(separators);
    if (text) {
        rest = text;
    }
    if (!rest) {
        return NULL;
    }
    word = rest + strspn(rest, separators);
    end = word + strcspn(word, separators);
    laxity_trace_read(rest, (size_t)(end - rest) + 1);
    rest = *end ? end + 1 : end;
    if (word == end) {
        rest = NULL;
        return NULL;
    }
    if (*end) {
        laxity_trace_write(end, 1);
        *end = '\0';
    }
    return word;
}
