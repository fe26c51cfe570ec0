package org.tamanoir.node.manage.configuration;

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
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.BadSetting;

/**
 * {@code cluster:} of the configuration: the node is a back end of a cluster; see {@link ClusterSettings}.
 *
 * @param name      of the back end, in all its cluster once
 * @param address   where directors send streams to; null for the host of {@code listen}
 * @param pool      whose streams it takes
 * @param frontends URLs of front-ends
 * @param token     what front-ends ask for; when the section has been read, that of {@code tokenFile} too. Null for none
 * @param tokenFile a file whose first line it is; null when the section has been read
 * @param health    where checks are answered; null for {@code address}, four ports above the one of streams
 * @param replyVia  router by which answers from virtual addresses leave; null for whatever the machine's routes say
 * @param virtualAddresses where front-ends may place virtual addresses on this machine
 */
public record ClusterSection(String name, InetAddress address, String pool, List<String> frontends, String token, Path tokenFile,
                             InetSocketAddress health, InetAddress replyVia, List<Prefix> virtualAddresses) {
    /** The check's port is that much above the one of streams: 3326 for 3322. */
    private static final int HEALTH_ABOVE = 4;
    private static final int MOST_TOKEN = 4096;

    public ClusterSection {
        pool = ConfigurationValues.or(pool, Report.DEFAULT_POOL);
        if (!ReportReader.NAME.matcher(pool).matches()) {
            throw new BadSetting("pool", "it is '" + pool + "'; it must be " + ReportReader.NAME_FORM);
        }
        frontends = urls(frontends);
        virtualAddresses = ConfigurationValues.all("virtual-addresses", virtualAddresses);
        token = secret(token, tokenFile);
        tokenFile = null;
    }

    /** @throws BadSetting if something is missing, or does not go with where streams come in */
    ClusterSettings settings(InetSocketAddress streams) {
        if (name == null || !ReportReader.NAME.matcher(name).matches()) {
            throw new BadSetting(List.of("cluster", "name"), "it is '" + name + "'; it must be " + ReportReader.NAME_FORM);
        }
        if (frontends.isEmpty()) {
            throw new BadSetting(List.of("cluster", "frontends"), "it must have 1 to " + ClusterSettings.MOST_FRONTENDS + " URLs");
        }
        InetAddress own = own(streams.getAddress());
        if (health != null && !health.getAddress().isAnyLocalAddress() && !health.getAddress().equals(own)) {
            throw new BadSetting(List.of("cluster", "health"), "directors ask at " + own.getHostAddress() + ", so it must be there");
        }
        return new ClusterSettings(name, own, pool, frontends, token,
                health != null ? health : Endpoint.above(new InetSocketAddress(own, streams.getPort()), HEALTH_ABOVE),
                replyVia, virtualAddresses);
    }

    private InetAddress own(InetAddress listen) {
        if (address == null && listen.isAnyLocalAddress()) {
            throw new BadSetting(List.of("cluster", "address"),
                    "it is missing; it must be the node's own, where directors send streams to, because listen takes every address");
        }
        InetAddress own = address == null ? listen : address;
        if (!listen.isAnyLocalAddress() && !listen.equals(own)) {
            throw new BadSetting(List.of("cluster", "address"), "it is " + own.getHostAddress() + ", but streams come in at "
                    + listen.getHostAddress() + " alone; let listen have that address, or every one");
        }
        return own;
    }

    /** Never a name: what it stands for could be another address tomorrow. */
    static InetAddress literal(String text) {
        InetAddress address = Addresses.literal(text);
        if (address != null && !address.isAnyLocalAddress() && !address.isMulticastAddress()) {
            return address;
        }
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, "it is '" + text + "'; it must be an IP address of one host");
    }

    private static List<String> urls(List<String> frontends) {
        if (frontends == null) {
            return List.of();
        }
        if (frontends.size() > ClusterSettings.MOST_FRONTENDS) {
            throw new BadSetting("frontends", "it has " + frontends.size() + " entries; it must have 1 to " + ClusterSettings.MOST_FRONTENDS + " URLs");
        }
        Set<String> seen = new HashSet<>();
        return frontends.stream().map(text -> {
            try {
                String url = HttpFetch.of(String.valueOf(text), ErrorCode.NO_FRONTEND).base().toString();
                if (seen.add(url)) {
                    return url;
                }
            } catch (AnepException e) {
                throw new BadSetting("frontends", e.text());
            }
            throw new BadSetting("frontends", "it has " + text + " twice");
        }).toList();
    }

    /** What proves who the node is, from either. @throws BadSetting */
    static String secret(String token, Path file) {
        if (token != null && file != null) {
            throw new BadSetting("token", "token and token-file exclude each other");
        }
        String secret = token;
        try {
            if (file != null) {
                secret = Files.readString(file).lines().findFirst().orElse("").strip();
            }
        } catch (IOException e) {
            throw new BadSetting("token-file", "cannot read " + file + ": " + AnepException.reason(e));
        }
        if (secret != null && (secret.isEmpty() || secret.length() > MOST_TOKEN || !secret.chars().allMatch(each -> each > ' ' && each < 0x7F))) {
            throw new BadSetting(token != null ? "token" : "token-file", "it must hold 1 to " + MOST_TOKEN
                    + " printable characters of ASCII without spaces");
        }
        return secret;
    }

    /** Without the token. */
    @Override
    public String toString() {
        return name + " of " + pool + ", front-ends " + frontends;
    }
}
