package org.tamanoir.node.manage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.node.cluster.ClusterSettings;

/** {@code cluster:} of the configuration: the node is a back end of a cluster; see {@link ClusterSettings}. */
public final class ClusterSection {
    /** The check's port is that much above the one of streams: 3326 for 3322. */
    private static final int HEALTH_ABOVE = 4;
    private static final int MOST_TOKEN = 4096;

    /** Of the back end, in all its cluster once. */
    public String name;
    /** Where directors send streams to; null for the host of {@code listen}. */
    public String address;
    /** Whose streams it takes. */
    public String pool = Report.DEFAULT_POOL;
    /** URLs of front-ends. */
    public List<String> frontends = List.of();
    /** What front-ends ask for. This or {@code token-file}. */
    public String token;
    /** A file whose first line it is. */
    public Path tokenFile;
    /** {@code HOST:PORT} of the check; null for {@code address}, four ports above the one of streams. */
    public String health;
    /** Router by which answers from virtual addresses leave; null for whatever the machine's routes say. */
    public String replyVia;

    /** @throws AnepException EE-501 that names the key */
    ClusterSettings settings(InetSocketAddress streams) {
        if (name == null || !ReportReader.NAME.matcher(name).matches()) {
            throw bad("name is '" + name + "'; it must be " + ReportReader.NAME_FORM);
        }
        if (pool == null || !ReportReader.NAME.matcher(pool).matches()) {
            throw bad("pool is '" + pool + "'; it must be " + ReportReader.NAME_FORM);
        }
        InetAddress own = own(streams.getAddress());
        return new ClusterSettings(name, own, pool, urls(), secret(), check(own, streams.getPort()), replyVia == null ? null : literal("reply-via", replyVia));
    }

    private InetAddress own(InetAddress listen) {
        if (address == null && listen.isAnyLocalAddress()) {
            throw bad("address is missing; it must be the node's own, where directors send streams to, because listen takes every address");
        }
        InetAddress own = address == null ? listen : literal("address", address);
        if (!listen.isAnyLocalAddress() && !listen.equals(own)) {
            throw bad("address is " + own.getHostAddress() + ", but streams come in at " + listen.getHostAddress() + " alone; let listen have that address, or every one");
        }
        return own;
    }

    /** Never a name: what it stands for could be another address tomorrow. */
    private static InetAddress literal(String key, String text) {
        InetAddress address = Addresses.literal(text);
        if (address != null && !address.isAnyLocalAddress() && !address.isMulticastAddress()) {
            return address;
        }
        throw bad(key + " is '" + text + "'; it must be an IP address of one host");
    }

    private List<String> urls() {
        if (frontends.isEmpty() || frontends.size() > ClusterSettings.MOST_FRONTENDS) {
            throw bad("frontends has " + frontends.size() + " entries; it must have 1 to " + ClusterSettings.MOST_FRONTENDS + " URLs");
        }
        Set<String> seen = new HashSet<>();
        return frontends.stream().map(text -> {
            try {
                String url = HttpFetch.of(String.valueOf(text), ErrorCode.NO_FRONTEND).base().toString();
                if (seen.add(url)) {
                    return url;
                }
            } catch (AnepException e) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "cluster: frontends: " + e.text(), e);
            }
            throw bad("frontends has " + text + " twice");
        }).toList();
    }

    private String secret() {
        if (token != null && tokenFile != null) {
            throw bad("token and token-file exclude each other");
        }
        String secret = token;
        try {
            if (tokenFile != null) {
                secret = Files.readString(tokenFile).lines().findFirst().orElse("").strip();
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "cluster: token-file: cannot read " + tokenFile + ": " + AnepException.reason(e), e);
        }
        if (secret != null && (secret.isEmpty() || secret.length() > MOST_TOKEN || !secret.chars().allMatch(each -> each > ' ' && each < 0x7F))) {
            throw bad((token != null ? "token" : "token-file") + " must hold 1 to " + MOST_TOKEN + " printable characters of ASCII without spaces");
        }
        return secret;
    }

    private InetSocketAddress check(InetAddress own, int port) {
        if (health == null) {
            return new InetSocketAddress(own, port == 0 || port > 0xFFFF - HEALTH_ABOVE ? 0 : port + HEALTH_ABOVE);
        }
        InetSocketAddress at = NodeConfiguration.address("cluster: health", health);
        if (!at.getAddress().isAnyLocalAddress() && !at.getAddress().equals(own)) {
            throw bad("health is " + health + "; directors ask at " + own.getHostAddress() + ", so it must be there");
        }
        return at;
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "cluster: " + what);
    }
}
