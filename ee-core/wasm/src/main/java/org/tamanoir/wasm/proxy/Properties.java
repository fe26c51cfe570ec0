package org.tamanoir.wasm.proxy;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.tamanoir.service.StreamContext;

/**
 * What a filter may know of its stream, by paths, and what it has noted there itself. Numbers have 64 bits, lower octets first, as Envoy writes
 * them.
 */
final class Properties {
    static final int MOST_NOTES = 64;
    static final int LONGEST = 4_096;

    private final String plugin;
    private final String root;
    private final StreamContext stream;
    private final Map<String, byte[]> notes = new HashMap<>();

    /** @param stream null where there is none */
    Properties(String plugin, String root, StreamContext stream) {
        this.plugin = plugin;
        this.root = root;
        this.stream = stream;
    }

    /**
     * The value of a property.
     *
     * @param path its parts with a zero octet between, perhaps one behind the last
     * @return null if there is none
     */
    byte[] get(String path) {
        String name = name(path);
        byte[] known = switch (name) {
            case "plugin_name", "plugin_vm_id" -> text(plugin);
            case "plugin_root_id" -> text(root);
            default -> stream == null ? null : ofStream(name);
        };
        return known != null ? known : notes.get(name);
    }

    private byte[] ofStream(String name) {
        return switch (name) {
            case "connection_id", "connection.id" -> number(stream.id());
            case "source.address" -> address(stream.source());
            case "source.port" -> number(stream.source().getPort());
            case "destination.address" -> address(stream.destination());
            case "destination.port" -> number(stream.destination().getPort());
            case "upstream.address" -> address(stream.next());
            case "upstream.port" -> number(stream.next().getPort());
            default -> null;
        };
    }

    Status set(String path, byte[] value) {
        String name = name(path);
        if (value.length > LONGEST || !notes.containsKey(name) && notes.size() == MOST_NOTES) {
            return Status.INTERNAL_FAILURE;
        }
        notes.put(name, value);
        return Status.OK;
    }

    private static String name(String path) {
        String dotted = path.replace('\0', '.');
        return dotted.endsWith(".") ? dotted.substring(0, dotted.length() - 1) : dotted;
    }

    private static byte[] address(InetSocketAddress address) {
        String host = address.getAddress() == null ? address.getHostString() : address.getAddress().getHostAddress();
        return text((host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort());
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array();
    }
}
