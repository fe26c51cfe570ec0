package org.tamanoir.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.gateway.ProxySettings;
import org.tamanoir.identity.destination.DestinationRules;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A gateway whose programs say where they want to go: which of that they get, and who they have to be. */
final class ProxyOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--proxy", description = "Let each program request its destination, by SOCKS 5 or HTTP CONNECT. Destinations not named by --allow are refused.")
    private boolean proxy;

    @Option(names = "--transparent", description = "Take over connections that pass through this machine, as through a site's router, to the addresses and prefixes named by --allow. Sets "
            + "up nftables (TPROXY) and a route, and removes them at the end. Needs root or CAP_NET_ADMIN; --listen must be 127.0.0.1 with a port.")
    private boolean transparent;

    @Option(names = "--allow", paramLabel = "HOST[:PORT[-PORT]]", description = "An allowed destination for --proxy or --transparent: an address, a prefix such as 10.0.2.0/24 or [2001:db8::/32], a name, *.NAME for "
            + "all names below it, or * for all. Can be given several times.")
    private List<String> allow = List.of();

    @Option(names = "--deny", paramLabel = "HOST[:PORT[-PORT]]", description = "A forbidden destination, even if --allow matches it. Can be given several times.")
    private List<String> deny = List.of();

    @Option(names = "--users", paramLabel = "FILE", description = "File with the users of the proxy, NAME:PASSWORD on each line, readable only by its owner. Default: anyone who can connect.")
    private Path users;

    /** Null where the gateway has one destination. @throws AnepException EE-408 for a rule that cannot be read, EE-501 for a file of no use */
    ProxySettings settings() {
        if (!proxy && users != null || !proxy && !transparent && !(allow.isEmpty() && deny.isEmpty())) {
            throw new ParameterException(spec.commandLine(), "--allow and --deny are for --proxy and --transparent, --users is for --proxy");
        } else if ((proxy || transparent) && allow.isEmpty()) {
            throw new ParameterException(spec.commandLine(), (proxy ? "--proxy" : "--transparent") + " needs --allow: what no rule allows is refused");
        } else if (proxy && transparent) {
            throw new ParameterException(spec.commandLine(), "--proxy and --transparent exclude each other");
        }
        return proxy ? new ProxySettings(DestinationRules.of(allow, deny), users == null ? Map.of() : read(users)) : null;
    }

    /** What a transparent gateway takes; null for another one. @throws AnepException EE-408 for a rule that the kernel cannot be told */
    DestinationRules transparent() {
        DestinationRules rules = transparent ? DestinationRules.of(allow, deny) : null;
        if (rules != null) {
            rules.ranges();
        }
        return rules;
    }

    private static Map<String, String> read(Path file) {
        Map<String, String> byName = new HashMap<>();
        try {
            if (Files.getPosixFilePermissions(file).stream().anyMatch(ProxyOptions::isOfOthers)) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "others can read the passwords in " + file + ": chmod 600 " + file);
            }
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                int colon = line.indexOf(':');
                if (!line.isBlank() && (colon < 1 || colon == line.length() - 1)) {
                    throw new AnepException(ErrorCode.BAD_CONFIGURATION, "a line of " + file + " is not NAME:PASSWORD");
                } else if (!line.isBlank()) {
                    byName.put(line.substring(0, colon), line.substring(colon + 1));
                }
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the users' file " + file + " cannot be read: " + AnepException.reason(e), e);
        }
        if (byName.isEmpty()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "there are no users in " + file);
        }
        return byName;
    }

    private static boolean isOfOthers(PosixFilePermission permission) {
        return permission != PosixFilePermission.OWNER_READ && permission != PosixFilePermission.OWNER_WRITE && permission != PosixFilePermission.OWNER_EXECUTE;
    }
}
