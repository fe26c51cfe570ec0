package org.tamanoir.benchmarks.copy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;

/**
 * A program that copies a file from a server, and that server. Peers are Debian's, with the options that give them eight streams where they can have so many;
 * their servers run as nobody.
 */
abstract class Copier {
    static final int STREAMS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name;
    private final String debianPackage;
    private final Set<Can> can;

    /** What not all of them can: have as many streams as they are told to, and copy what is in a directory. */
    enum Can { ANY_STREAMS, TREES }

    /** @param debianPackage null for our own */
    private Copier(String name, String debianPackage, Can... can) {
        this.name = name;
        this.debianPackage = debianPackage;
        this.can = Set.of(can);
    }

    static List<Copier> all() {
        return List.of(new Own(), new OwnByNodes(), new GlobusUrlCopy(), new Aria2(), new Xrdcp(), new Rclone(), new Rsync(), new Curl());
    }

    String name() {
        return name;
    }

    boolean isPeer() {
        return debianPackage != null;
    }

    /** Of Debian's package, which is installed by then. */
    String version() {
        Command.Result installed = Command.tryRun(List.of("dpkg-query", "--show", "--showformat=${Version}", debianPackage), null, PATIENCE);
        return debianPackage + " " + (installed.exit() == 0 ? installed.output() : "unknown");
    }

    /** Installs what is missing, and starts the server of the files that the site serves; it ends with the site. */
    abstract void serve(CopySite site);

    /** The command line that copies a file. @param file its name at the server @param to the file that it makes @param streams at most, where that can be chosen */
    abstract List<String> copy(CopySite site, String file, Path to, int streams);

    boolean can(Can what) {
        return can.contains(what);
    }

    /** The command line that copies what is in a directory, of one that can. @param to the directory that it comes into, which is not there yet */
    List<String> copyTree(CopySite site, String directory, Path to, int streams) {
        throw new IllegalStateException(name + " copies no trees");
    }

    private static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code tamanoir copy}, straight to a mover. */
    private static class Own extends Copier {
        private static final int MOVER = 3335;

        Own() {
            this("tamanoir");
        }

        Own(String name) {
            super(name, null, Can.ANY_STREAMS, Can.TREES);
        }

        int port() {
            return MOVER;
        }

        @Override
        void serve(CopySite site) {
            site.serve("mover", CommandLineTool.command("mover", "run", "--listen", site.address() + ":" + port(), "--root", site.served().toString(), "--open", "--read-only"))
                    .awaitLine("READY mover ", PATIENCE);
        }

        List<String> way() {
            return List.of();
        }

        @Override
        List<String> copy(CopySite site, String file, Path to, int streams) {
            List<String> arguments = new ArrayList<>(List.of("copy", "--json", "--streams", String.valueOf(streams)));
            arguments.addAll(way());
            arguments.addAll(List.of("tam://" + site.address() + ":" + port() + "/" + file, to.toString()));
            return CommandLineTool.command(arguments.toArray(String[]::new));
        }

        @Override
        List<String> copyTree(CopySite site, String directory, Path to, int streams) {
            return copy(site, directory, to, streams);
        }
    }

    /** The same by two nodes, one beside each end of the link. */
    private static final class OwnByNodes extends Own {
        private static final int NODE = 3322;
        private static final String SERVICE = "forward";

        OwnByNodes() {
            super("tamanoir-nodes");
        }

        @Override
        int port() {
            return super.port() + 1;
        }

        @Override
        void serve(CopySite site) {
            super.serve(site);
            String to = site.address() + "/32";
            NodeProcess far = NodeProcess.start(site.far().host(), site.folder("far-node"),
                    "listen: '" + site.address() + ":" + NODE + "'\nkernel: {use: off}\nroutes: {'" + to + "': direct}\n");
            NodeProcess here = NodeProcess.start(site.here().host(), site.folder("here-node"),
                    "listen: '127.0.0.1:" + NODE + "'\nkernel: {use: off}\nroutes: {'" + to + "': '" + site.address() + ":" + NODE + "'}\n");
            List.of(far, here).forEach(node -> node.deploy(CommandLineTool.bundle(SERVICE)));
        }

        @Override
        List<String> way() {
            return List.of("--via", "127.0.0.1:" + NODE, "--service", SERVICE);
        }
    }

    private static final class GlobusUrlCopy extends Copier {
        private static final int PORT = 2811;

        GlobusUrlCopy() {
            super("globus-url-copy", "globus-gass-copy-progs", Can.ANY_STREAMS, Can.TREES);
        }

        @Override
        void serve(CopySite site) {
            DebianPackages.require("globus-gridftp-server", "globus-gridftp-server-progs", "globus-gridftp-server", "globus-gridftp-sshftp");
            DebianPackages.require("globus-url-copy", "globus-gass-copy-progs");
            site.serveAsNobody("globus-gridftp-server", PORT, "env", "GLOBUS_HOSTNAME=far", "globus-gridftp-server", "-no-detach", "-p", String.valueOf(PORT), "-control-interface", site.address(),
                    "-data-interface", site.address(), "-aa", "-disable-usage-stats", "-no-chdir");
        }

        @Override
        List<String> copy(CopySite site, String file, Path to, int streams) {
            return site.named("env", "GLOBUS_HOSTNAME=here", "globus-url-copy", "-p", String.valueOf(streams), url(site, file), "file://" + to);
        }

        private static String url(CopySite site, String file) {
            return "ftp://" + site.address() + ":" + PORT + site.served().resolve(file);
        }

        /** With as many files at a time, pipelined and over connections that stay, as its guide has it for small files. */
        @Override
        List<String> copyTree(CopySite site, String directory, Path to, int streams) {
            return site.named("env", "GLOBUS_HOSTNAME=here", "globus-url-copy", "-r", "-cd", "-fast", "-pp", "-cc", String.valueOf(streams),
                    url(site, directory) + "/", "file://" + to + "/");
        }
    }

    /** What nginx serves. */
    private abstract static class OfHttp extends Copier {
        OfHttp(String name, String debianPackage) {
            super(name, debianPackage);
        }

        abstract int port();

        String url(CopySite site) {
            return "http://" + site.address() + ":" + port();
        }

        @Override
        void serve(CopySite site) {
            DebianPackages.require(name(), version().split(" ")[0]);
            DebianPackages.require("nginx", "nginx-light", "nginx");
            Path own = site.folderOfNobody("nginx-" + name());
            Path configuration = write(own.resolve("nginx.conf"), "daemon off;\npid " + own + "/pid;\nworker_processes 1;\nevents {}\nhttp {\n  access_log off;\n  sendfile on;\n"
                    + "  client_body_temp_path " + own + "/body;\n  proxy_temp_path " + own + "/proxy;\n  fastcgi_temp_path " + own + "/fastcgi;\n  uwsgi_temp_path " + own
                    + "/uwsgi;\n  scgi_temp_path " + own + "/scgi;\n  server {\n    listen " + site.address() + ":" + port() + ";\n    root " + site.served() + ";\n  }\n}\n");
            site.serveAsNobody("nginx", port(), "nginx", "-e", "stderr", "-p", own.toString(), "-c", configuration.toString());
        }
    }

    private static final class Aria2 extends OfHttp {
        Aria2() {
            super("aria2c", "aria2");
        }

        @Override
        int port() {
            return 8081;
        }

        @Override
        List<String> copy(CopySite site, String file, Path to, int streams) {
            // With its preset of 20 MB it would use fewer connections for a file of less than 160 MB.
            return List.of("aria2c", "--no-conf", "--quiet", "--allow-overwrite", "--file-allocation=none", "-x", String.valueOf(streams), "-s", String.valueOf(streams),
                    "-k", "1M", "-d", to.getParent().toString(), "-o", to.getFileName().toString(), url(site) + "/" + file);
        }
    }

    private static final class Rclone extends OfHttp {
        Rclone() {
            super("rclone", "rclone");
        }

        @Override
        int port() {
            return 8082;
        }

        @Override
        List<String> copy(CopySite site, String file, Path to, int streams) {
            return List.of("rclone", "--config", "/dev/null", "copyto", "--http-url", url(site), "--multi-thread-streams", String.valueOf(streams), "--multi-thread-cutoff", "1M",
                    ":http:" + file, to.toString());
        }
    }

    private static final class Curl extends OfHttp {
        Curl() {
            super("curl", "curl");
        }

        @Override
        int port() {
            return 8083;
        }

        @Override
        List<String> copy(CopySite site, String file, Path to, int streams) {
            return List.of("curl", "-sSf", "-o", to.toString(), url(site) + "/" + file);
        }
    }

    private static final class Xrdcp extends Copier {
        private static final int PORT = 1094;
        private static final int MOST_STREAMS = 15;

        Xrdcp() {
            super("xrdcp", "xrootd-client");
        }

        @Override
        void serve(CopySite site) {
            DebianPackages.require("xrootd", "xrootd-server", "xrootd");
            DebianPackages.require("xrdcp", "xrootd-client");
            Path own = site.folderOfNobody("xrootd");
            Path configuration = write(own.resolve("xrootd.cfg"), "xrd.port " + PORT + "\nxrd.network nodnr\nall.export " + site.served() + "\nall.adminpath " + own + "\nall.pidpath "
                    + own + "\nxrd.protocol xrootd *\n");
            site.serveAsNobody("xrootd", PORT, "xrootd", "-c", configuration.toString(), "-l", own.resolve("log").toString());
        }

        @Override
        List<String> copy(CopySite site, String file, Path to, int streams) {
            return List.of("xrdcp", "-f", "-s", "-S", String.valueOf(Math.min(MOST_STREAMS, streams)), "root://" + site.address() + ":" + PORT + "/" + site.served().resolve(file),
                    to.toString());
        }
    }

    private static final class Rsync extends Copier {
        private static final int PORT = 8730;

        Rsync() {
            super("rsync", "rsync", Can.TREES);
        }

        @Override
        void serve(CopySite site) {
            DebianPackages.require("rsync", "rsync", "rsync");
            Path own = site.folderOfNobody("rsync");
            Path configuration = write(own.resolve("rsyncd.conf"), "use chroot = no\nreverse lookup = no\nlog file = " + own + "/log\nport = " + PORT + "\naddress = " + site.address()
                    + "\n[files]\npath = " + site.served() + "\n");
            site.serveAsNobody("rsync", PORT, "rsync", "--daemon", "--no-detach", "--config=" + configuration);
        }

        @Override
        List<String> copy(CopySite site, String file, Path to, int streams) {
            return List.of("rsync", "--port=" + PORT, site.address() + "::files/" + file, to.toString());
        }

        @Override
        List<String> copyTree(CopySite site, String directory, Path to, int streams) {
            return List.of("rsync", "-r", "--port=" + PORT, site.address() + "::files/" + directory + "/", to + "/");
        }
    }
}
