package org.tamanoir.services.cache;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.Commanded;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;

/** The service, with a note of each stream that a task of its own has ended: the test kit runs the tasks of all streams, and a node ends one stream alone. */
final class WatchedCache implements FlowSink, Inspected, Commanded {
    final Set<Long> cut = new HashSet<>();
    private final HttpCache cache;

    WatchedCache(LongSupplier clock) {
        cache = new HttpCache(clock);
    }

    @Override
    public void start(ServiceContext service) {
        cache.start(service);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return cache.open(watched(stream));
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        return cache.openSink(watched(stream));
    }

    private StreamContext watched(StreamContext stream) {
        return (StreamContext) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {StreamContext.class}, (proxy, method, arguments) -> {
            for (int i = 0; arguments != null && i < arguments.length; i++) {
                arguments[i] = arguments[i] instanceof Task task ? watched(task, stream.id()) : arguments[i];
            }
            try {
                return method.invoke(stream, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private Task watched(Task task, long stream) {
        return new Task() {
            @Override
            public void run(Output forward, Output back) throws Exception {
                try {
                    task.run(forward, back);
                } catch (AnepException e) {
                    cut.add(stream);
                }
            }

            @Override
            public void discarded() {
                task.discarded();
            }
        };
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        return cache.inspect(what, parameters);
    }

    @Override
    public Map<String, Object> command(String what, Map<String, String> parameters) {
        return cache.command(what, parameters);
    }
}
