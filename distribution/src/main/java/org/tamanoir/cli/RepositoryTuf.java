package org.tamanoir.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.tuf.MetadataServer;
import org.tamanoir.cli.tuf.PublisherRole;
import org.tamanoir.cli.tuf.SigningDirectory;
import org.tamanoir.trust.RevokedFile;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.RootDraft;
import org.tamanoir.tuf.sign.TargetsDraft;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir repository tuf}: signing what a repository publishes. */
@Command(name = "tuf", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = {"Manage the TUF metadata of a repository: who its publishers are, and which names belong to them.",
            "Root and targets are signed wherever their keys are, in a directory that contains no secrets; the running repository signs the rest. "
                    + "Changes are drafts until 'publish'; see docs/trust.md."},
        subcommands = {RepositoryTuf.Init.class, RepositoryTufStatus.class, RepositoryTuf.KeyCommand.class, RepositoryTuf.Threshold.class, RepositoryTuf.Delegate.class,
            RepositoryTuf.Revoke.class, RepositoryTuf.Sign.class, RepositoryTuf.Publish.class, RepositoryTuf.Renew.class},
        footer = {"", "Example:", "  tamanoir repository tuf init --keystore owner.p12 --repository http://repository.example:3325"})
final class RepositoryTuf {
    private static final String NEXT = "Next: tamanoir repository tuf ";

    /** {@code --directory}: where the drafts are. */
    static final class DirectoryOptions {
        @Option(names = "--directory", paramLabel = "DIRECTORY", defaultValue = "tuf", description = "Directory of root and targets. Default: ${DEFAULT-VALUE}.")
        private Path path;

        SigningDirectory directory() {
            return new SigningDirectory(path);
        }
    }

    /** {@code --days}: how long what is signed holds. */
    static final class LifeOptions {
        @Option(names = "--days", paramLabel = "DAYS", defaultValue = "365", description = "Lifetime in days, 1 to 3650. Default: ${DEFAULT-VALUE}.")
        private int days;

        /** @throws AnepException EE-501 */
        Duration life() {
            if (days < 1 || days > 3_650) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "metadata holds for 1 to 3650 days, not for " + days);
            }
            return Duration.ofDays(days);
        }
    }

    /** {@code --repository}, {@code --token}: where metadata is published. */
    static final class ServerOptions {
        @Mixin
        private RepositoryOptions repository;
        @Mixin
        private TokenOptions tokens;

        MetadataServer server() {
            return new MetadataServer(repository.fetch().token(tokens.token()));
        }
    }

    private RepositoryTuf() {
    }

    /** The key of a certificate. */
    static Key key(Path pem) {
        try {
            X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(Files.readAllBytes(pem)));
            return RoleSigner.key(certificate.getPublicKey());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the certificate " + pem + " cannot be read: " + AnepException.reason(e), e);
        } catch (CertificateException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, pem + " holds no certificate; keytool -exportcert -rfc prints one", e);
        }
    }

    /** {@code tamanoir repository tuf init}. */
    @Command(name = "init", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Create and sign the first root and targets of a repository, with one key of a keystore for both.",
                "The repository creates the keys of timestamp and snapshot; only their ids are printed. Compare these with the files in DATA/tuf/keys "
                        + "on its machine."},
            footer = {"", "Example:", "  tamanoir repository tuf init --keystore owner.p12", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Init implements Runnable {
        @Spec
        private CommandSpec spec;
        @Mixin
        private DirectoryOptions directories;
        @Mixin
        private KeystoreOptions keystore;
        @Mixin
        private ServerOptions servers;
        @Mixin
        private LifeOptions life;

        @Override
        public void run() {
            RoleSigner signer = PublisherRole.signer(keystore.key());
            Instant expires = Instant.now().plus(life.life());
            RootDraft root = new RootDraft(expires);
            root.addKey(RoleName.ROOT, signer.key());
            root.addKey(RoleName.TARGETS, signer.key());
            Map<String, Key> online = servers.server().makeKeys();
            online.forEach(root::addKey);
            root.sign(signer);
            TargetsDraft targets = new TargetsDraft(expires);
            targets.sign(signer);
            directories.directory().begin(root, targets);
            PrintWriter out = spec.commandLine().getOut();
            new Table("ROLE", "KEY").row(RoleName.ROOT, signer.key().id()).row(RoleName.TARGETS, signer.key().id())
                    .row(RoleName.TIMESTAMP, online.get(RoleName.TIMESTAMP).id()).row(RoleName.SNAPSHOT, online.get(RoleName.SNAPSHOT).id()).print(out);
            out.println(NEXT + "delegate, key add, or publish");
            out.flush();
        }
    }

    /** {@code tamanoir repository tuf key}. */
    @Command(name = "key", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = "Add and remove keys of roles.",
            subcommands = {KeyAdd.class, KeyRemove.class}, footer = {"", "Example:", "  tamanoir repository tuf key add root --pem second.pem"})
    static final class KeyCommand {
    }

    /** {@code tamanoir repository tuf key add}. */
    @Command(name = "add", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Add a key to a role, in the next draft of root or targets.", "ROLE is root, targets or a publisher's role, with --pem; or timestamp or snapshot, with --repository, which creates the key."},
            footer = {"", "Examples:", "  tamanoir repository tuf key add root --pem second.pem", "  tamanoir repository tuf key add timestamp --repository http://repository.example:3325",
                "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class KeyAdd implements Runnable {
        @Spec
        private CommandSpec spec;
        @Parameters(paramLabel = "ROLE", description = "The role.")
        private String role;
        @Option(names = "--pem", paramLabel = "FILE", description = "Certificate with the key.")
        private Path pem;
        @Mixin
        private ServerOptions servers;
        @Mixin
        private DirectoryOptions directories;

        @Override
        public void run() {
            boolean online = role.equals(RoleName.TIMESTAMP) || role.equals(RoleName.SNAPSHOT);
            if (online != (pem == null)) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, online ? "the repository makes the keys of " + role + ": leave --pem out" : "whose key is it? Give --pem FILE");
            }
            SigningDirectory directory = directories.directory();
            Key key = online ? servers.server().makeKeys().get(role) : key(pem);
            directory.change(role, draft -> draft.addKey(role, key));
            spec.commandLine().getOut().println(role + " gets the key " + key.id());
        }
    }

    /** {@code tamanoir repository tuf key remove}. */
    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Remove a key from a role, in the next draft of root or targets.",
            footer = {"", "Example:", "  tamanoir repository tuf key remove root a026ef11257d1881f209e55fda877230ce5c1a1b3e964a1ec7ce882a63d3dfce", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class KeyRemove implements Runnable {
        @Parameters(index = "0", paramLabel = "ROLE", description = "The role.")
        private String role;
        @Parameters(index = "1", paramLabel = "KEY", description = "The id of the key, as 'status' shows it.")
        private String key;
        @Mixin
        private DirectoryOptions directories;

        @Override
        public void run() {
            directories.directory().change(role, draft -> draft.removeKey(role, key));
        }
    }

    /** {@code tamanoir repository tuf threshold}. */
    @Command(name = "threshold", mixinStandardHelpOptions = true, description = "Set how many keys of a role must sign, in the next draft of root or targets.",
            footer = {"", "Example:", "  tamanoir repository tuf threshold root 2", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Threshold implements Runnable {
        @Parameters(index = "0", paramLabel = "ROLE", description = "The role.")
        private String role;
        @Parameters(index = "1", paramLabel = "NUMBER", description = "How many keys must sign.")
        private int threshold;
        @Mixin
        private DirectoryOptions directories;

        @Override
        public void run() {
            directories.directory().change(role, draft -> draft.threshold(role, threshold));
        }
    }

    /** {@code tamanoir repository tuf delegate}. */
    @Command(name = "delegate", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Delegate names of services to a publisher, in the next draft of the targets: nobody else can publish under them any more.",
                "With --remove, withdraw names, or the whole role if none is given; what the role has published under them is no longer a target."},
            footer = {"", "Examples:", "  tamanoir repository tuf delegate grid --pem grid-2026.pem monitoring compression", "  tamanoir repository tuf delegate grid --remove compression", "",
                "Exit codes: " + ExitCode.EXPLAINED})
    static final class Delegate implements Runnable {
        @Parameters(index = "0", paramLabel = "ROLE", description = "Name of the publisher's role.")
        private String role;
        @Parameters(index = "1..*", paramLabel = "NAME", description = "Names of services.")
        private List<String> names = List.of();
        @ArgGroup
        private Change change;
        @Mixin
        private DirectoryOptions directories;

        private static final class Change {
            @Option(names = "--pem", paramLabel = "FILE", description = "The publisher's certificate; required for a new role.")
            private Path pem;
            @Option(names = "--remove", description = "Withdraw the names.")
            private boolean remove;
        }

        @Override
        public void run() {
            SigningDirectory directory = directories.directory();
            TargetsDraft targets = directory.targets();
            List<String> paths = names.stream().map(ServiceTarget::paths).toList();
            if (change != null && change.remove) {
                if (paths.isEmpty()) {
                    targets.removeDelegation(role);
                } else {
                    targets.removePaths(role, paths);
                }
            } else {
                if (paths.isEmpty()) {
                    throw new AnepException(ErrorCode.BAD_CONFIGURATION, "which names are to be the publisher's?");
                }
                targets.delegate(role, change == null ? null : key(change.pem), paths);
            }
            directory.write(RoleName.TARGETS, targets);
        }
    }

    /** {@code tamanoir repository tuf revoke}. */
    @Command(name = "revoke", mixinStandardHelpOptions = true,
            description = {"Add a revocation list to the next draft of the targets: nodes that follow the repository apply it like their own.",
                "It has the format of the nodes' --revoked file; see docs/trust.md."},
            footer = {"", "Example:", "  tamanoir repository tuf revoke revoked.txt", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Revoke implements Runnable {
        @Parameters(paramLabel = "FILE", description = "The list.")
        private Path list;
        @Mixin
        private DirectoryOptions directories;

        @Override
        public void run() {
            RevokedFile.check(list);
            try {
                directories.directory().revoke(Files.readAllBytes(list));
            } catch (IOException e) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the list " + list + " cannot be read: " + AnepException.reason(e), e);
            }
        }
    }

    /** {@code tamanoir repository tuf sign}. */
    @Command(name = "sign", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Sign the drafts of root and targets with a key of these roles.", "If several keys must sign, pass the directory from one holder to the next."},
            footer = {"", "Examples:", "  tamanoir repository tuf sign --keystore owner.p12", "  tamanoir repository tuf sign --keystore owner.p12 --renew", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Sign implements Runnable {
        @Spec
        private CommandSpec spec;
        @Mixin
        private KeystoreOptions keystore;
        @Option(names = "--renew", description = "First create drafts of both that are valid for --days from now.")
        private boolean renew;
        @Mixin
        private LifeOptions life;
        @Mixin
        private DirectoryOptions directories;

        @Override
        public void run() {
            SigningDirectory directory = directories.directory();
            RoleSigner signer = PublisherRole.signer(keystore.key());
            if (renew) {
                directory.renew(Instant.now().plus(life.life()));
            }
            List<String> signed = directory.sign(signer);
            if (signed.isEmpty()) {
                throw new AnepException(ErrorCode.NOT_FOUND, "there is no draft in " + directory + " of a role that has the key " + signer.key().id());
            }
            spec.commandLine().getOut().println("signed: " + String.join(", ", signed));
        }
    }

    /** {@code tamanoir repository tuf publish}. */
    @Command(name = "publish", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Publish the drafts of root and targets in a repository, once enough keys have signed them.",
            footer = {"", "Example:", "  tamanoir repository tuf publish --repository http://repository.example:3325", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Publish implements Runnable {
        @Spec
        private CommandSpec spec;
        @Mixin
        private ServerOptions servers;
        @Mixin
        private DirectoryOptions directories;
        @Option(names = "--json", description = "Print one JSON object: published, with the version by the role.")
        private boolean json;

        @Override
        public void run() {
            Map<String, Long> done = directories.directory().publish(servers.server());
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                Json.print(out, Map.of("published", done));
                return;
            }
            done.forEach((role, version) -> out.println("published: version " + version + " of " + role));
            out.println(done.isEmpty() ? "nothing has changed" : "Nodes follow with the first root: " + directories.path.resolve("1.root.json"));
            out.flush();
        }
    }

    /** {@code tamanoir repository tuf renew}. */
    @Command(name = "renew", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Sign a publisher's role again to extend its lifetime.", "'service push' does this too."},
            footer = {"", "Example:", "  tamanoir repository tuf renew --keystore publisher.p12 --repository http://repository.example:3325", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Renew implements Runnable {
        @Spec
        private CommandSpec spec;
        @Mixin
        private KeystoreOptions keystore;
        @Mixin
        private ServerOptions servers;
        @Mixin
        private RootOption root;
        @Mixin
        private LifeOptions life;

        @Override
        public void run() {
            List<String> renewed = new PublisherRole(servers.server(), keystore.key(), root.octets(), life.life()).renew();
            spec.commandLine().getOut().println("renewed: " + String.join(", ", renewed));
        }
    }

    /** {@code --root}: what a publisher trusts. */
    static final class RootOption {
        @Option(names = "--root", paramLabel = "FILE", description = "A root of the repository; required if another key signed the role last.")
        private Path root;

        /** Null if it is not given. */
        byte[] octets() {
            try {
                return root == null ? null : Files.readAllBytes(root);
            } catch (IOException e) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the root " + root + " cannot be read: " + AnepException.reason(e), e);
            }
        }
    }
}
