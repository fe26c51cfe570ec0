package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cli.Units.Size;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.repository.mirror.MirrorSettings;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir repository}. */
@Command(name = "repository", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Run and manage the service repository.",
        subcommands = {RepositoryCommand.Run.class, RepositoryImportCommand.class, RepositoryTuf.class}, footer = {"", "Example:", "  tamanoir repository run --data /var/lib/tamanoir --trust /etc/tamanoir/publishers.pem"})
final class RepositoryCommand {
    /** {@code tamanoir repository run}. */
    @Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Serve service bundles to nodes, and accept new ones.",
                "Prints one READY line with its address when it is ready; SIGTERM stops it. Users of this machine may publish and retire; all others "
                        + "need the token. With --mirror it follows another repository and nobody may. With --database several processes serve one repository; "
                        + "with --bundles a registry keeps the bundles."},
            footer = {"", "Examples:",
                "  tamanoir repository run --listen 0.0.0.0:3325 --data /var/lib/tamanoir --trust /etc/tamanoir/publishers.pem",
                "  tamanoir repository run --data /tmp/tamanoir/repository --development",
                "  tamanoir repository run --data /var/lib/tamanoir --trust /etc/tamanoir/publishers.pem \\",
                "      --mirror http://repository.example:3325",
                "  tamanoir repository run --data /var/cache/tamanoir --trust /etc/tamanoir/publishers.pem \\",
                "      --database 'jdbc:postgresql://db/repository?user=ada' --database-password-file db.password",
                "  tamanoir repository run --data /var/lib/tamanoir --trust /etc/tamanoir/publishers.pem \\",
                "      --bundles oci://registry.example/grid/services --registry-credentials /etc/tamanoir/registry.json", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Run implements Runnable {
        @Spec
        private CommandSpec spec;
        @Option(names = "--listen", paramLabel = "HOST:PORT", converter = HostPort.class, defaultValue = "127.0.0.1:3325",
                description = "Address to listen on; port 0 picks a free one. Default: ${DEFAULT-VALUE}.")
        private InetSocketAddress listen;
        @Option(names = "--data", paramLabel = "DIRECTORY", required = true, description = "Directory for the bundles; created if missing. With --database it is only a cache.")
        private Path data;
        @Mixin
        private DatabaseOptions database;
        @Mixin
        private RegistryOptions registry;
        @Option(names = "--cache", paramLabel = "SIZE", converter = Size.class, defaultValue = "2G",
                description = "Size of the cache of bundles in --data, with --database or --bundles. Default: ${DEFAULT-VALUE}.")
        private long cache;
        @Option(names = "--max-bundle", paramLabel = "SIZE", converter = Size.class, defaultValue = "64M",
                description = "Size limit for a bundle. Default: ${DEFAULT-VALUE}.")
        private long maxBundle;
        @Option(names = "--timestamp", paramLabel = "TIME", converter = Time.class, defaultValue = "24h",
                description = "Lifetime of a TUF timestamp, 10s to 720h: an attacker can withhold news for that long. It is signed again after an eighth of it. "
                        + "Default: ${DEFAULT-VALUE}.")
        private Duration timestamp;
        @Mixin
        private MirrorOptions mirrors;
        @Mixin
        private TrustOptions trusts;
        @Mixin
        private GuestOptions guests;
        @Mixin
        private TokenOptions tokens;
        @Mixin
        private TlsOptions tls;

        @Override
        public void run() {
            String token = tokens.token();
            RepositorySettings settings = RepositorySettings.of(listen, data).withToken(token).withMaxBundle(maxBundle)
                    .withTrust(trusts.trust(data)).withIdentity(tls.server()).withTimestampLife(timestamp).withGuests(guests.quotas());
            if (database.url() != null) {
                settings = settings.withDatabase(PostgresStore.Settings.of(database.url(), database.password(), cache));
            }
            settings = settings.withRegistry(registry.settings(cache));
            RepositoryServer server = RepositoryServer.start(settings, mirrors.settings(maxBundle));
            if (trusts.isDevelopment()) {
                spec.commandLine().getErr().println("Development mode: unsigned bundles are accepted.");
            }
            if (token == null && !mirrors.isGiven() && !server.address().getAddress().isLoopbackAddress()) {
                spec.commandLine().getErr().println("Without a token only this machine can publish.");
            }
            try {
                ServerExit.untilStopped(spec.commandLine().getOut(), "READY repository " + server.url(), server::close);
            } catch (InterruptedException e) {
                server.close();
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@code --mirror URL [--mirror-every TIME] [--mirror-max SIZE]}: the repository that is followed. */
    static final class MirrorOptions {
        @ArgGroup(exclusive = false)
        private Given given;

        private static final class Given {
            @Option(names = "--mirror", paramLabel = "URL", required = true, description = "Follow another repository: fetch what it publishes, retire what it retires, and keep serving when it is gone.")
            private String upstream;
            @Option(names = "--mirror-every", paramLabel = "TIME", converter = Time.class, defaultValue = "60s",
                    description = "How often to check the other repository, 1s to 24h. Default: ${DEFAULT-VALUE}.")
            private Duration every;
            @Option(names = "--mirror-max", paramLabel = "SIZE", converter = Size.class, defaultValue = "16G",
                    description = "Size limit for all bundles together; nothing beyond it is fetched. Default: ${DEFAULT-VALUE}.")
            private long maxOctets;
        }

        boolean isGiven() {
            return given != null;
        }

        /**
         * Null if nobody is followed.
         *
         * @throws AnepException EE-408 if it is no URL, EE-501 if a time or size is out of range
         */
        MirrorSettings settings(long maxBundle) {
            return given == null ? null : MirrorSettings.of(given.upstream, maxBundle).withEvery(given.every).withMaxOctets(given.maxOctets);
        }
    }
}
