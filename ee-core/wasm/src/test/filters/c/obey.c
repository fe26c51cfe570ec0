/*
 * Does what the first octets that come downstream say, one word a call, and answers by a line in the log; whatever is not known passes. So a test
 * in another language can ask for each function of the host.
 */
#include "proxy_wasm.h"

static struct line line;
static uint32_t connection, ticks;
static int32_t delayed;

static int is(const char *data, size_t size, const char *word, size_t word_size)
{
    if (size < word_size)
        return 0;
    for (size_t i = 0; i < word_size; i++)
        if (data[i] != word[i])
            return 0;
    return 1;
}

#define IS(word) is(data, size, TEXT(word))

static void answer(int32_t status)
{
    line.size = 0;
    add_number(&line, status);
    say(&line);
}

EXPORT(proxy_on_vm_start) int32_t proxy_on_vm_start(uint32_t context, size_t size)
{
    (void)context;
    return size != 4; /* "no!!" */
}

EXPORT(proxy_on_configure) int32_t proxy_on_configure(uint32_t context, size_t size)
{
    char *text;
    (void)context;
    forget();
    return size == 0 || proxy_get_buffer_bytes(PLUGIN_CONFIGURATION, 0, 1, &text, &size) != OK || text[0] != '!';
}

EXPORT(proxy_on_new_connection) int32_t proxy_on_new_connection(uint32_t context)
{
    char *text;
    size_t size;
    connection = context;
    forget();
    proxy_get_buffer_bytes(PLUGIN_CONFIGURATION, 0, 16, &text, &size);
    if (is(text, size, TEXT("late"))) {
        proxy_set_tick_period_milliseconds(1);
        delayed = 2;
        return PAUSE;
    }
    return CONTINUE;
}

static void property(const char *path, size_t path_size)
{
    char *value;
    size_t size;
    int32_t status = proxy_get_property(path, path_size, &value, &size);
    line.size = 0;
    if (status)
        add_number(&line, status);
    else if (size == 8 && value[7] == 0)
        add_number(&line, *(uint64_t *)value);
    else
        add(&line, value, size);
    say(&line);
}

EXPORT(proxy_on_downstream_data) int32_t proxy_on_downstream_data(uint32_t context, size_t all, int32_t end)
{
    static char big[70000];
    char *data;
    size_t size;
    uint32_t number;
    uint64_t value;
    (void)context;
    forget();
    if (all == 0)
        return CONTINUE;
    proxy_get_buffer_bytes(DOWNSTREAM_DATA, 0, all, &data, &size);
    if (IS("append"))
        answer(proxy_set_buffer_bytes(DOWNSTREAM_DATA, 0xffffffff, 0, TEXT("-end")));
    else if (IS("prepend"))
        answer(proxy_set_buffer_bytes(DOWNSTREAM_DATA, 0, 0, TEXT("begin-")));
    else if (IS("replace"))
        answer(proxy_set_buffer_bytes(DOWNSTREAM_DATA, 0, all, TEXT("instead")));
    else if (IS("inject"))
        answer(proxy_set_buffer_bytes(DOWNSTREAM_DATA, 2, 2, TEXT("...")));
    else if (IS("empty"))
        answer(proxy_set_buffer_bytes(DOWNSTREAM_DATA, 0, all, big, 0));
    else if (IS("big"))
        answer(proxy_set_buffer_bytes(DOWNSTREAM_DATA, 0, 0, big, sizeof big));
    else if (IS("part")) {
        proxy_get_buffer_bytes(DOWNSTREAM_DATA, 1, 3, &data, &size);
        proxy_log(INFO, data, size);
    } else if (IS("beyond"))
        answer(proxy_get_buffer_bytes(DOWNSTREAM_DATA, all + 1, 1, &data, &size));
    else if (IS("header"))
        answer(proxy_get_buffer_bytes(0, 0, 1, &data, &size));
    else if (IS("unknown"))
        answer(proxy_get_buffer_bytes(99, 0, 1, &data, &size));
    else if (IS("address"))
        answer(proxy_log(INFO, (char *)0x7fffffff, 8));
    else if (IS("level"))
        answer(proxy_log(17, TEXT("x")));
    else if (IS("size")) {
        proxy_get_buffer_status(DOWNSTREAM_DATA, &size, &number);
        answer(size);
    } else if (IS("root")) {
        proxy_set_effective_context(1);
        answer(proxy_get_buffer_bytes(DOWNSTREAM_DATA, 0, 1, &data, &size));
    } else if (IS("foreign"))
        answer(proxy_set_effective_context(77));
    else if (IS("queue"))
        answer(proxy_register_shared_queue(TEXT("q"), &number));
    else if (IS("done"))
        answer(proxy_done());
    else if (IS("where"))
        property(data + 6, size - 6);
    else if (IS("cas")) {
        proxy_set_shared_data(TEXT("k"), TEXT("1"), 0);
        proxy_get_shared_data(TEXT("k"), &data, &size, &number);
        answer(proxy_set_shared_data(TEXT("k"), TEXT("2"), number));
        answer(proxy_set_shared_data(TEXT("k"), TEXT("3"), number));
    } else if (IS("metric")) {
        proxy_define_metric(HISTOGRAM, TEXT("obey.sizes"), &number);
        proxy_record_metric(number, 50);
        answer(proxy_increment_metric(number, 1));
        proxy_define_metric(COUNTER, TEXT("obey.count"), &number);
        answer(proxy_increment_metric(number, -1));
        proxy_increment_metric(number, 7);
        proxy_get_metric(number, &value);
        answer(value);
        answer(proxy_increment_metric(9999, 1));
        answer(proxy_define_metric(7, TEXT("x"), &number));
    } else if (IS("wait")) {
        proxy_set_tick_period_milliseconds(1);
        delayed = 3;
        return PAUSE;
    } else if (IS("close"))
        answer(proxy_close_stream(UPSTREAM));
    else if (IS("trap"))
        __builtin_trap();
    else if (IS("loop"))
        for (volatile int i = 0;; i++)
            ;
    else if (IS("hold"))
        return end ? CONTINUE : PAUSE;
    return CONTINUE;
}

EXPORT(proxy_on_upstream_data) int32_t proxy_on_upstream_data(uint32_t context, size_t all, int32_t end)
{
    char *data;
    size_t size;
    (void)context;
    (void)end;
    forget();
    if (all == 0)
        return CONTINUE;
    proxy_get_buffer_bytes(UPSTREAM_DATA, 0, all, &data, &size);
    if (IS("go on"))
        proxy_continue_stream(DOWNSTREAM);
    return CONTINUE;
}

EXPORT(proxy_on_tick) void proxy_on_tick(uint32_t context)
{
    (void)context;
    if (++ticks < (uint32_t)delayed)
        return;
    proxy_set_tick_period_milliseconds(0);
    proxy_set_effective_context(connection);
    answer(proxy_continue_stream(DOWNSTREAM));
}

EXPORT(proxy_on_downstream_connection_close) void proxy_on_downstream_connection_close(uint32_t context, int32_t peer)
{
    (void)context;
    line.size = 0;
    add(&line, TEXT("closed by "));
    add_number(&line, peer);
    say(&line);
}
