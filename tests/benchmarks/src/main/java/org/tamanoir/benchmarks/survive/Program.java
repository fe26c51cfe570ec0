package org.tamanoir.benchmarks.survive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PostgresServer;

/** A program that knows nothing of nodes, and the server that it fetches from. Both are Debian's, as they come. */
abstract class Program {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private final String name;

    private Program(String name) {
        this.name = name;
    }

    static List<Program> all() {
        return List.of(new Curl(), new Rsync(), new Psql(), new Scp(), new Git(), new Xrdcp());
    }

    static Program named(String name) {
        return all().stream().filter(each -> each.name.equals(name)).findFirst().orElseThrow();
    }

    String name() {
        return name;
    }

    /**
     * Starts a server on loopback of the site's server.
     *
     * @param folder for its files; {@code big} in it is what is fetched
     * @param port   where it may listen
     * @return where it listens
     */
    abstract int serve(SurviveSite site, Path folder, int port) throws IOException;

    /** The command line that fetches. @param to the file, or the folder, that it makes */
    abstract List<String> fetch(Path folder, int port, Path to);

    /** What it has fetched. */
    Path fetched(Path to) {
        return to;
    }

    /** What that must be like. */
    Path original(Path folder) {
        return folder.resolve("big");
    }

    private static final class Curl extends Program {
        Curl() {
            super("curl");
        }

        @Override
        int serve(SurviveSite site, Path folder, int port) {
            Host host = site.server.host();
            DebianPackages.require("curl", "curl");
            DebianPackages.require("python3", "python3");
            host.start("http.server", "python3", "-m", "http.server", String.valueOf(port), "--bind", "127.0.0.1", "--directory", folder.toString());
            return port;
        }

        @Override
        List<String> fetch(Path folder, int port, Path to) {
            return List.of("curl", "-sSf", "-o", to.toString(), "http://127.0.0.1:" + port + "/big");
        }
    }

    private static final class Rsync extends Program {
        Rsync() {
            super("rsync");
        }

        @Override
        int serve(SurviveSite site, Path folder, int port) throws IOException {
            Host host = site.server.host();
            DebianPackages.require("rsync", "rsync", "rsync");
            Path configuration = Files.writeString(folder.resolve("rsyncd.conf"), "use chroot = no\nuid = root\ngid = root\n[files]\npath = " + folder + "\n");
            host.start("rsync", "rsync", "--daemon", "--no-detach", "--address=127.0.0.1", "--port=" + port, "--config=" + configuration);
            return port;
        }

        @Override
        List<String> fetch(Path folder, int port, Path to) {
            return List.of("rsync", "--port=" + port, "127.0.0.1::files/big", to.toString());
        }
    }

    /** A table of as many octets, which COPY writes to a file. */
    private static final class Psql extends Program {
        Psql() {
            super("psql");
        }

        @Override
        int serve(SurviveSite site, Path folder, int port) throws IOException {
            Host host = site.server.host();
            String missing = PostgresServer.missing();
            if (!missing.isEmpty()) {
                throw new LabException(missing);
            }
            int own = site.closing(new PostgresServer(host)).port();
            StringBuilder rows = new StringBuilder();
            byte[] octets = Files.readAllBytes(folder.resolve("big"));
            for (int at = 0; at + 512 <= octets.length; at += 512) {
                rows.append(at).append('\t');
                for (int i = at; i < at + 512; i++) {
                    rows.append((char) ('a' + (octets[i] & 15)));
                }
                rows.append('\n');
            }
            Path table = Files.writeString(folder.resolve("rows"), rows);
            Command.Result made = host.tryRun(PATIENCE, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", String.valueOf(own), "-U", "tester", "-d", "postgres",
                    "-c", "CREATE TABLE big (id int, octets text)", "-c", "\\copy big FROM '" + table + "'");
            if (made.exit() != 0) {
                throw new LabException("psql: " + made.errors());
            }
            return own;
        }

        @Override
        List<String> fetch(Path folder, int port, Path to) {
            return List.of("psql", "-X", "-q", "-h", "127.0.0.1", "-p", String.valueOf(port), "-U", "tester", "-d", "postgres", "-c", "\\copy big TO '" + to + "'");
        }

        @Override
        Path original(Path folder) {
            return folder.resolve("rows");
        }
    }

    private static final class Scp extends Program {
        Scp() {
            super("scp");
        }

        @Override
        int serve(SurviveSite site, Path folder, int port) throws IOException {
            Host host = site.server.host();
            DebianPackages.require("sshd", "openssh-server", "ssh");
            DebianPackages.require("scp", "openssh-client");
            Path key = folder.resolve("key");
            host.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString());
            Files.createDirectories(Path.of("/run/sshd"));
            host.start("sshd", "/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-h", key.toString(), "-p", String.valueOf(port), "-o", "ListenAddress=127.0.0.1",
                    "-o", "AuthorizedKeysFile=" + key + ".pub", "-o", "StrictModes=no", "-o", "UsePAM=no", "-o", "PidFile=none", "-o", "PermitRootLogin=yes",
                    "-o", "Subsystem=sftp internal-sftp");
            return port;
        }

        @Override
        List<String> fetch(Path folder, int port, Path to) {
            return List.of("scp", "-q", "-F", "/dev/null", "-P", String.valueOf(port), "-i", folder.resolve("key").toString(), "-o", "StrictHostKeyChecking=no",
                    "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "127.0.0.1:" + folder.resolve("big"), to.toString());
        }
    }

    private static final class Git extends Program {
        Git() {
            super("git");
        }

        @Override
        int serve(SurviveSite site, Path folder, int port) {
            Host host = site.server.host();
            DebianPackages.require("git", "git");
            Path work = folder.resolve("repository");
            for (List<String> step : List.of(List.of("init", "-q", work.toString()), List.of("-C", work.toString(), "add", "big"),
                    List.of("-C", work.toString(), "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "big"))) {
                host.run(Command.append(List.of("git"), step).toArray(String[]::new));
                if (step.get(0).equals("init")) {
                    host.run("cp", folder.resolve("big").toString(), work.toString());
                }
            }
            host.start("git daemon", "git", "daemon", "--export-all", "--reuseaddr", "--base-path=" + folder, "--listen=127.0.0.1", "--port=" + port);
            return port;
        }

        @Override
        List<String> fetch(Path folder, int port, Path to) {
            return List.of("git", "clone", "-q", "git://127.0.0.1:" + port + "/repository", to.toString());
        }

        @Override
        Path fetched(Path to) {
            return to.resolve("big");
        }
    }

    private static final class Xrdcp extends Program {
        Xrdcp() {
            super("xrdcp");
        }

        @Override
        int serve(SurviveSite site, Path folder, int port) throws IOException {
            Host host = site.server.host();
            DebianPackages.require("xrootd", "xrootd-server", "xrootd");
            DebianPackages.require("xrdcp", "xrootd-client");
            Path own = Files.createDirectories(folder.resolve("xrootd"));
            Path configuration = Files.writeString(own.resolve("xrootd.cfg"), "xrd.port " + port + "\nall.export " + folder + "\nall.adminpath " + own + "\nall.pidpath " + own
                    + "\nxrd.protocol xrootd *\n");
            // It refuses to be root, and others may not look into a folder of root.
            host.run("chmod", "a+x", folder.getParent().toString());
            host.run("chmod", "-R", "a+rX", folder.toString());
            host.run("chown", "-R", "nobody", own.toString());
            host.start("xrootd", "setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "xrootd", "-c", configuration.toString(), "-l", own.resolve("log").toString());
            return port;
        }

        @Override
        List<String> fetch(Path folder, int port, Path to) {
            return List.of("xrdcp", "-f", "-s", "root://127.0.0.1:" + port + "/" + folder.resolve("big"), to.toString());
        }
    }
}
