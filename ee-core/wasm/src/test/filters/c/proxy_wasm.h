/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of the proxy-wasm ABI 0.2.1 that filters of TCP streams need, for clang without a library; names and types are those of the specification
 * (github.com/proxy-wasm/spec, abi-versions/v0.2.1). Include it in one source file of a module.
 */
#ifndef PROXY_WASM_H
#define PROXY_WASM_H

#include <stddef.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

enum { OK = 0, NOT_FOUND = 1, BAD_ARGUMENT = 2, INVALID_MEMORY_ACCESS = 6, CAS_MISMATCH = 8, INTERNAL_FAILURE = 10, UNIMPLEMENTED = 12 };
enum { CONTINUE = 0, PAUSE = 1 };
enum { DOWNSTREAM_DATA = 2, UPSTREAM_DATA = 3, VM_CONFIGURATION = 6, PLUGIN_CONFIGURATION = 7 };
enum { DOWNSTREAM = 2, UPSTREAM = 3 };
enum { COUNTER = 0, GAUGE = 1, HISTOGRAM = 2 };
enum { INFO = 2, WARN = 3, ERROR = 4 };

IMPORT(proxy_log) int32_t proxy_log(int32_t level, const char *text, size_t size);
IMPORT(proxy_done) int32_t proxy_done(void);
IMPORT(proxy_set_effective_context) int32_t proxy_set_effective_context(uint32_t context);
IMPORT(proxy_set_tick_period_milliseconds) int32_t proxy_set_tick_period_milliseconds(uint32_t period);
IMPORT(proxy_get_current_time_nanoseconds) int32_t proxy_get_current_time_nanoseconds(uint64_t *time);
IMPORT(proxy_get_buffer_bytes) int32_t proxy_get_buffer_bytes(int32_t buffer, size_t start, size_t most, char **data, size_t *size);
IMPORT(proxy_set_buffer_bytes) int32_t proxy_set_buffer_bytes(int32_t buffer, size_t start, size_t size, const char *data, size_t data_size);
IMPORT(proxy_get_buffer_status) int32_t proxy_get_buffer_status(int32_t buffer, size_t *size, uint32_t *unused);
IMPORT(proxy_continue_stream) int32_t proxy_continue_stream(int32_t stream);
IMPORT(proxy_close_stream) int32_t proxy_close_stream(int32_t stream);
IMPORT(proxy_set_shared_data) int32_t proxy_set_shared_data(const char *key, size_t key_size, const char *data, size_t size, uint32_t cas);
IMPORT(proxy_get_shared_data) int32_t proxy_get_shared_data(const char *key, size_t key_size, char **data, size_t *size, uint32_t *cas);
IMPORT(proxy_define_metric) int32_t proxy_define_metric(int32_t kind, const char *name, size_t size, uint32_t *metric);
IMPORT(proxy_increment_metric) int32_t proxy_increment_metric(uint32_t metric, int64_t delta);
IMPORT(proxy_record_metric) int32_t proxy_record_metric(uint32_t metric, uint64_t value);
IMPORT(proxy_get_metric) int32_t proxy_get_metric(uint32_t metric, uint64_t *value);
IMPORT(proxy_get_property) int32_t proxy_get_property(const char *path, size_t path_size, char **data, size_t *size);
IMPORT(proxy_set_property) int32_t proxy_set_property(const char *path, size_t path_size, const char *data, size_t size);
IMPORT(proxy_register_shared_queue) int32_t proxy_register_shared_queue(const char *name, size_t size, uint32_t *queue);

EXPORT(proxy_abi_version_0_2_1) void proxy_abi_version_0_2_1(void)
{
}

/* What the host gives lies here until the callback returns: `forget` begins anew. */
static char given[512 << 10];
static size_t used;

static inline void forget(void)
{
    used = 0;
}

EXPORT(proxy_on_memory_allocate) void *proxy_on_memory_allocate(size_t size)
{
    size_t at = used;
    if (size > sizeof given - used)
        return NULL;
    used += (size + 7) & ~(size_t)7;
    return given + at;
}

#define TEXT(literal) (literal), sizeof(literal) - 1

/* A line that is put together. */
struct line {
    size_t size;
    char text[4096];
};

static inline void add(struct line *line, const char *text, size_t size)
{
    for (size_t i = 0; i < size && line->size < sizeof line->text; i++)
        line->text[line->size++] = text[i];
}

static inline void add_number(struct line *line, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = '0' + number % 10;
    while (number /= 10);
    add(line, digits + at, sizeof digits - at);
}

static inline void say(const struct line *line)
{
    proxy_log(INFO, line->text, line->size);
}

#endif
