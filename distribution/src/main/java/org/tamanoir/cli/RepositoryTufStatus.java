package org.tamanoir.cli;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.RepositoryTuf.DirectoryOptions;
import org.tamanoir.cli.tuf.MetadataServer;
import org.tamanoir.cli.tuf.SigningDirectory;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.format.DelegatedRole;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.PathPattern;
import org.tamanoir.tuf.format.RoleKeys;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Signed;
import org.tamanoir.tuf.format.Targets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir repository tuf status}. */
@Command(name = "status", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Show the roles of a repository: what is published, what is a draft, who has signed it, and when it expires.",
            "With --from, ask the repository, verify its metadata starting from the first root, and take over what others have published in the "
                    + "meantime."},
        footer = {"", "Examples:", "  tamanoir repository tuf status", "  tamanoir repository tuf status --from http://repository.example:3325", "", "Exit codes: " + ExitCode.EXPLAINED})
final class RepositoryTufStatus implements Runnable {
    @Spec
    private CommandSpec spec;
    @Option(names = "--from", paramLabel = "URL", description = "The repository to ask. Default: none.")
    private String url;
    @Mixin
    private TlsOptions tls;
    @Mixin
    private DirectoryOptions directories;
    @Option(names = "--json", description = "Print one JSON object: roles, a list with role, version, state (published, draft), expires, threshold, signers, keys, names.")
    private boolean json;

    @Override
    public void run() {
        SigningDirectory directory = directories.directory();
        Catalogue published = url == null ? null : directory.follow(new MetadataServer(tls.of(HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE))));
        List<Map<String, Object>> roles = new ArrayList<>();
        for (String role : new String[] {RoleName.ROOT, RoleName.TARGETS}) {
            directory.published(role).ifPresent(octets -> roles.add(described(role, "published", read(role, octets), directory.currentRoot().role(role))));
            directory.next(role).ifPresent(octets -> directory.signers(role).forEach(keys -> roles.add(described(role, "draft", read(role, octets), keys))));
        }
        if (published != null) {
            for (String role : new String[] {RoleName.TIMESTAMP, RoleName.SNAPSHOT}) {
                roles.add(described(role, "published", published.trusted().files().get(role), published.trusted().root().role(role)));
            }
        }
        Optional<byte[]> targets = directory.next(RoleName.TARGETS).or(() -> directory.published(RoleName.TARGETS));
        targets.map(octets -> Metadata.targets(octets).signed()).ifPresent(each -> each.delegations().forEach(role -> roles.add(described(role, published))));
        print(roles);
    }

    private static Metadata<?> read(String role, byte[] octets) {
        return role.equals(RoleName.ROOT) ? Metadata.root(octets) : Metadata.targets(octets);
    }

    private static Map<String, Object> described(String role, String state, Metadata<? extends Signed> metadata, RoleKeys keys) {
        Map<String, Object> described = described(role, state, metadata.signed().version(), metadata.signed().expires(), keys);
        described.put("signers", keys.signers(metadata));
        return described;
    }

    private static Map<String, Object> described(String role, String state, Long version, Instant expires, RoleKeys keys) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("role", role);
        described.put("state", state);
        described.put("version", version);
        described.put("expires", expires == null ? null : expires.toString());
        described.put("threshold", keys.threshold());
        described.put("signers", null);
        described.put("keys", keys.keys().stream().map(Key::id).toList());
        return described;
    }

    private static Map<String, Object> described(DelegatedRole role, Catalogue published) {
        Metadata<?> metadata = published == null ? null : published.trusted().files().get(role.name());
        Targets targets = metadata == null ? null : (Targets) metadata.signed();
        Map<String, Object> described = described(role.name(), "delegated", targets == null ? null : targets.version(), targets == null ? null : targets.expires(), role.keys());
        described.put("signers", metadata == null ? null : role.keys().signers(metadata));
        described.put("names", role.paths() == null ? List.of() : role.paths().stream().map(PathPattern::toString).map(path -> path.replaceFirst("/\\*$", "")).toList());
        return described;
    }

    private void print(List<Map<String, Object>> roles) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, Map.of("roles", roles));
            return;
        }
        Table table = new Table("ROLE", "STATE", "VERSION", "EXPIRES", "SIGNED", "NAMES");
        for (Map<String, Object> role : roles) {
            Object signers = role.get("signers");
            table.row(role.get("role"), role.get("state"), role.get("version"), role.get("expires"), (signers == null ? "?" : signers) + " of " + role.get("threshold"),
                    role.get("names") instanceof List<?> names ? String.join(" ", names.stream().map(Object::toString).toList()) : null);
            ((List<?>) role.get("keys")).forEach(key -> table.note("    key " + key));
        }
        table.print(out);
        out.flush();
    }
}
