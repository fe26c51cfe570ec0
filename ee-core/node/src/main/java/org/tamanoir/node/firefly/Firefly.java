package org.tamanoir.node.firefly;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * One message: a header of syslog (RFC 5424) and an object of JSON, as {@code firefly.schema.json} version 1.0.0 of scitags.org has it. Collectors take the object to begin
 * after the seventh space.
 */
final class Firefly {
    /** Facility local0, severity informational. */
    private static final String HEADER = "<134>1 %s %s tamanoir - firefly-json - ";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final String HOST = host();
    private static final String APPLICATION = application();

    private Firefly() {
    }

    static byte[] start(Flow flow, FireflySettings settings) {
        return message(json(flow, "start", flow.start(), settings), flow.start());
    }

    /** @param sent octets to the next hop @param received octets from it */
    static byte[] end(Flow flow, Instant now, long sent, long received, FireflySettings settings) {
        ObjectNode root = json(flow, "end", now, settings);
        ((ObjectNode) root.get("flow-lifecycle")).put("end-time", TIME.format(now));
        root.putObject("usage").put("received", received).put("sent", sent);
        return message(root, now);
    }

    private static ObjectNode json(Flow flow, String state, Instant now, FireflySettings settings) {
        ObjectNode root = JsonNodeFactory.instance.objectNode().put("version", 1);
        root.putObject("flow-lifecycle").put("state", state).put("current-time", TIME.format(now)).put("start-time", TIME.format(flow.start()));
        root.putObject("flow-id").put("afi", flow.to().getAddress() instanceof Inet4Address ? "ipv4" : "ipv6")
                .put("src-ip", text(flow.from().getAddress())).put("dst-ip", text(flow.to().getAddress())).put("protocol", flow.transport().name().toLowerCase(Locale.ROOT))
                .put("src-port", flow.from().getPort()).put("dst-port", flow.to().getPort());
        root.putObject("context").put("experiment-id", settings.experiment()).put("activity-id", settings.activity()).put("application", APPLICATION);
        return root;
    }

    /** Without the interface of a link-local address. */
    private static String text(InetAddress address) {
        String text = address.getHostAddress();
        int scope = text.indexOf('%');
        return scope < 0 ? text : text.substring(0, scope);
    }

    private static byte[] message(ObjectNode root, Instant now) {
        return (String.format(Locale.ROOT, HEADER, TIME.format(now), HOST) + root).getBytes(StandardCharsets.UTF_8);
    }

    /** The kernel's name of this machine: the JDK would ask a name server. */
    private static String host() {
        try {
            String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            return name.matches("[!-~]{1,255}") ? name : "-";
        } catch (IOException e) {
            return "-";
        }
    }

    private static String application() {
        String version = Firefly.class.getPackage().getImplementationVersion();
        return version == null ? "tamanoir" : "tamanoir v" + version;
    }
}
