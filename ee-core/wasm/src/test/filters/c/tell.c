/* Tells what it is shown: what the filter of filters/go does, word by word. */
#include "proxy_wasm.h"

static uint32_t connections, open;
static struct line line;

EXPORT(proxy_on_context_create) void proxy_on_context_create(uint32_t context, uint32_t parent)
{
    (void)context;
    if (parent)
        return;
    proxy_define_metric(COUNTER, TEXT("tell.connections"), &connections);
    proxy_define_metric(GAUGE, TEXT("tell.open"), &open);
}

EXPORT(proxy_on_configure) int32_t proxy_on_configure(uint32_t context, size_t size)
{
    char *text = "";
    (void)context;
    forget();
    proxy_get_buffer_bytes(PLUGIN_CONFIGURATION, 0, size, &text, &size);
    line.size = 0;
    add(&line, TEXT("configuration: "));
    add(&line, text, size);
    say(&line);
    return 1;
}

EXPORT(proxy_on_new_connection) int32_t proxy_on_new_connection(uint32_t context)
{
    (void)context;
    proxy_increment_metric(connections, 1);
    proxy_increment_metric(open, 1);
    proxy_set_property(TEXT("tell\0last"), TEXT("nothing"));
    proxy_log(INFO, TEXT("new connection"));
    return CONTINUE;
}

EXPORT(proxy_on_downstream_data) int32_t proxy_on_downstream_data(uint32_t context, size_t size, int32_t end)
{
    char *data, *last, *kept;
    size_t last_size, kept_size;
    uint32_t cas = 0;
    (void)context;
    (void)end;
    if (size == 0)
        return CONTINUE;
    forget();
    if (proxy_get_buffer_bytes(DOWNSTREAM_DATA, 0, size, &data, &size) || proxy_get_property(TEXT("tell\0last"), &last, &last_size)) {
        proxy_log(ERROR, TEXT("no data"));
        return CONTINUE;
    }
    line.size = 0;
    add(&line, TEXT("downstream "));
    add(&line, data, size);
    add(&line, TEXT(" after "));
    add(&line, last, last_size);
    say(&line);
    proxy_set_property(TEXT("tell\0last"), data, size);
    proxy_get_shared_data(TEXT("tell"), &kept, &kept_size, &cas);
    if (proxy_set_shared_data(TEXT("tell"), data, size, cas))
        proxy_log(ERROR, TEXT("not kept"));
    return data[size - 1] == '\n' ? CONTINUE : PAUSE; /* until the line is whole */
}

EXPORT(proxy_on_upstream_data) int32_t proxy_on_upstream_data(uint32_t context, size_t size, int32_t end)
{
    char *data, *kept = "";
    size_t kept_size = 0;
    uint32_t cas;
    (void)context;
    (void)end;
    if (size == 0)
        return CONTINUE;
    forget();
    if (proxy_get_buffer_bytes(UPSTREAM_DATA, 0, size, &data, &size)) {
        proxy_log(ERROR, TEXT("no data"));
        return CONTINUE;
    }
    if (proxy_get_shared_data(TEXT("tell"), &kept, &kept_size, &cas))
        proxy_log(WARN, TEXT("nothing kept"));
    line.size = 0;
    add(&line, TEXT("upstream "));
    add(&line, data, size);
    add(&line, TEXT(" to "));
    add(&line, kept, kept_size);
    say(&line);
    return CONTINUE;
}

EXPORT(proxy_on_downstream_connection_close) void proxy_on_downstream_connection_close(uint32_t context, int32_t peer)
{
    (void)context;
    (void)peer;
    proxy_log(INFO, TEXT("downstream close"));
}

EXPORT(proxy_on_upstream_connection_close) void proxy_on_upstream_connection_close(uint32_t context, int32_t peer)
{
    (void)context;
    (void)peer;
    proxy_log(INFO, TEXT("upstream close"));
}

EXPORT(proxy_on_log) void proxy_on_log(uint32_t context)
{
    (void)context;
    proxy_increment_metric(open, -1);
    proxy_log(INFO, TEXT("done"));
}
