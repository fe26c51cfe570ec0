package org.tamanoir.wasm.proxy;

import org.tamanoir.service.StreamContext;

/**
 * What all instances of a filter have in common.
 *
 * @param plugin              its name
 * @param root                the identity of its plugin context, by which a module with several filters chooses one
 * @param vmConfiguration     for {@code proxy_on_vm_start}
 * @param pluginConfiguration for {@code proxy_on_configure}
 */
record Shared(String plugin, String root, byte[] vmConfiguration, byte[] pluginConfiguration, SharedData data, FilterMetrics metrics) {
    Properties properties(StreamContext stream) {
        return new Properties(plugin, root, stream);
    }
}
