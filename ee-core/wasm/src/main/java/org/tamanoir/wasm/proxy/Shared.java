package org.tamanoir.wasm.proxy;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.tamanoir.service.StreamContext;
import org.tamanoir.wasm.engine.HostFunction;

/**
 * What all instances of a filter have in common.
 *
 * @param plugin              its name
 * @param root                the identity of its plugin context, by which a module with several filters chooses one
 * @param vmConfiguration     for {@code proxy_on_vm_start}
 * @param pluginConfiguration for {@code proxy_on_configure}
 * @param logger              takes levels as {@code proxy_log_level_t} has them, bounded by who made it
 * @param logLevel            the lowest that is written
 * @param wasiFunctions       the functions of WASI for one instance
 */
record Shared(String plugin, String root, byte[] vmConfiguration, byte[] pluginConfiguration, SharedData data, FilterMetrics metrics,
        BiConsumer<Integer, String> logger, int logLevel, Supplier<List<HostFunction>> wasiFunctions) {
    Properties properties(StreamContext stream) {
        return new Properties(plugin, root, stream);
    }

    void log(int level, String text) {
        logger.accept(level, text);
    }

    List<HostFunction> wasi() {
        return wasiFunctions.get();
    }
}
