package org.tamanoir.benchmarks.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.GatewayProcess;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RandomFile;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/**
 * The service {@code cache} in three measurements: hits, one after the other through a gateway and a node with {@code cache}, and through the same gateway and a node
 * with {@code forward} from nginx and from Varnish that cache beside the node; many programs that want one file at once; and a node that is killed while it fetches.
 */
public final class CacheBench {
    private static final double LEAST_OF_NGINX = 0.9;
    private static final double MOST_OF_FILE = 1.02;
    private static final int MB = 1_000_000;
    private static final int HIT_MB = 16;
    private static final int SLOW_MB = 8;
    private static final int CONNECTIONS = 4;

    /**
     * What is measured.
     *
     * @param rounds   of hits
     * @param seconds  of each
     * @param programs that want one file
     * @param fileMb   its size
     * @param kills    of the node
     */
    public record Plan(int rounds, int seconds, int programs, int fileMb, int kills) {
        /** @throws IllegalArgumentException if it cannot be run */
        public void check() {
            if (rounds < 1 || seconds < 1 || programs < 1 || fileMb < 1 || kills < 0) {
                throw new IllegalArgumentException("the bench takes at least one round, second, program and MB");
            }
        }
    }

    /** Where hits come from. */
    private enum From {
        CACHE, NGINX, NGINX_SENDFILE, VARNISH, NGINX_ALONE;

        Key key(String metric, String unit) {
            return new Key("hits", toString(), 0, CONNECTIONS, metric, unit);
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Plan plan;
    private final Measurements measured;
    private final ExecutorService threads = Executors.newCachedThreadPool(run -> {
        Thread thread = new Thread(run, "program");
        thread.setDaemon(true);
        return thread;
    });

    public CacheBench(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.measured = new Measurements(progress);
    }

    private Key flight(String metric, String unit) {
        return new Key("flight", "cache", 0, plan.programs, metric, unit);
    }

    private static Key kills(String metric) {
        return new Key("kills", "cache", 0, 1, metric, "count");
    }

    /** @throws LabException if a program does not start */
    public Report run() {
        try (Workbench workbench = new Workbench()) {
            WebServers web = new WebServers(workbench);
            RandomFile.write(web.file("hit"), (long) HIT_MB * MB, 1);
            RandomFile.write(web.file("slow"), (long) SLOW_MB * MB, 2);
            RandomFile.write(web.file("large"), (long) plan.fileMb * MB, 3);
            RepositoryProcess repository = RepositoryProcess.start(workbench, workbench.folder("repository"));
            repository.push("cache");
            repository.push("forward");
            Place place = new Place(workbench, repository, plan.fileMb);
            measured.attemptAny("hits", () -> hits(place, web));
            measured.attemptAny("flight", () -> flight(place, web));
            measured.attemptAny("kills", () -> kills(place, web));
        } catch (IOException e) {
            throw new LabException("the bench: " + e.getMessage(), e);
        } finally {
            threads.shutdownNow();
        }
        return measured.report(List.of(
                Target.atLeast("hits of those of nginx with proxy_cache, at equal buffers in the same place", measured.samples().median(From.CACHE.key("of-nginx", "ratio")), LEAST_OF_NGINX),
                Target.atMost("octets of the origin for each octet of a file that " + plan.programs + " programs want", measured.samples().median(flight("of-file", "ratio")), MOST_OF_FILE),
                Target.atMost("answers with a wrong octet after " + plan.kills + " kills", measured.samples().median(kills("wrong")), 0)));
    }

    /** The node and how to reach it. */
    private static final class Place {
        private final Workbench workbench;
        private final RepositoryProcess repository;
        private final Path configuration;
        private NodeProcess node;

        Place(Workbench workbench, RepositoryProcess repository, int fileMb) throws IOException {
            this.workbench = workbench;
            this.repository = repository;
            long disk = 2L * fileMb + 500;
            configuration = Files.writeString(workbench.folder("configuration").resolve("node.yaml"),
                    "services: {cache: {disk-mb: %d, memory-mb: 128}}%npolicies: {cache: {blocks-bytes: %d}}%n".formatted(disk, 2 * disk * MB));
            node = start("127.0.0.1:0");
        }

        private NodeProcess start(String listen) {
            return NodeProcess.start(workbench, listen, workbench.folder("node"), "--config", configuration.toString(), "--repository", repository.url());
        }

        InetSocketAddress gateway(InetSocketAddress to, String service) {
            return GatewayProcess.start(Build.own(), workbench, node.address(), to, service).address();
        }

        void killAndStart() {
            String listen = "127.0.0.1:" + node.address().getPort();
            node.kill();
            node = start(listen);
        }
    }

    private void hits(Place place, WebServers web) throws Exception {
        Map<From, InetSocketAddress> entries = new EnumMap<>(From.class);
        entries.put(From.CACHE, place.gateway(web.origin(), "cache"));
        entries.put(From.NGINX, place.gateway(web.copying(), "forward"));
        entries.put(From.NGINX_SENDFILE, place.gateway(web.sending(), "forward"));
        entries.put(From.VARNISH, place.gateway(web.varnish(), "forward"));
        entries.put(From.NGINX_ALONE, web.copying());
        for (InetSocketAddress entry : entries.values()) {
            rate(entry, plan.seconds);
        }
        measured.rounds(0, plan.rounds, round -> measured.attemptAny(Measurements.name(round), () -> {
            Map<From, Double> rates = new EnumMap<>(From.class);
            for (From from : Measurements.turned(List.of(From.values()), round)) {
                rates.put(from, rate(entries.get(from), plan.seconds));
            }
            rates.forEach((from, rate) -> {
                measured.add(from.key("rate", "MB/s"), rate);
                measured.add(from.key("of-nginx", "ratio"), rate / rates.get(From.NGINX));
            });
        }));
    }

    /** MB of content a second, by some connections at once. */
    private double rate(InetSocketAddress entry, int seconds) {
        LongAdder octets = new LongAdder();
        long begin = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        together(CONNECTIONS, () -> {
            try (Browser browser = new Browser(entry)) {
                while (System.nanoTime() < end) {
                    browser.get("/hit", octets);
                }
            }
            return 0L;
        });
        return octets.sum() / 1e6 / ((System.nanoTime() - begin) / 1e9);
    }

    private interface Work {
        long done() throws IOException;
    }

    private List<Long> together(int many, Work work) {
        List<CompletableFuture<Long>> all = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            all.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return work.done();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, threads));
        }
        return all.stream().map(CompletableFuture::join).toList();
    }

    private void flight(Place place, WebServers web) throws Exception {
        measured.doing(plan.programs + " programs and one file of " + plan.fileMb + " MB");
        InetSocketAddress entry = place.gateway(web.origin(), "cache");
        long right = sum(web.file("large"));
        LongAdder octets = new LongAdder();
        long begin = System.nanoTime();
        List<Long> sums = together(plan.programs, () -> {
            try (Browser browser = new Browser(entry)) {
                return browser.get("/large", octets);
            }
        });
        double seconds = (System.nanoTime() - begin) / 1e9;
        long wrong = sums.stream().filter(sum -> sum != right).count();
        if (wrong > 0) {
            throw new LabException(wrong + " programs were given wrong octets");
        }
        measured.add(flight("of-file", "ratio"), (double) web.sent("large") / ((long) plan.fileMb * MB));
        measured.add(flight("rate", "MB/s"), octets.sum() / 1e6 / seconds);
    }

    private void kills(Place place, WebServers web) throws Exception {
        long right = sum(web.file("slow"));
        InetSocketAddress entry = place.gateway(web.origin(), "cache");
        Random random = new Random(1);
        long cut = 0;
        long wrong = 0;
        try {
            for (int kill = 1; kill <= plan.kills; kill++) {
                measured.doing("kill " + kill + " of " + plan.kills + ", " + cut + " fetches cut, " + wrong + " answers wrong");
                List<String> paths = List.of("/slow?" + kill + "a", "/slow?" + kill + "b");
                cut += cut(place, entry, paths, random.nextInt(SLOW_MB * MB * 9 / 10));
                for (String path : paths) {
                    try (Browser browser = new Browser(entry)) {
                        wrong += browser.get(path, new LongAdder()) == right ? 0 : 1;
                        wrong += browser.get(path, new LongAdder()) == right ? 0 : 1;
                    }
                }
            }
        } finally {
            measured.add(kills("fetches cut"), cut);
            measured.add(kills("wrong"), wrong);
        }
    }

    /** Kills the node when the first of some programs has got so many octets. @return fetches that were under way */
    private long cut(Place place, InetSocketAddress entry, List<String> paths, long point) throws InterruptedException {
        LongAdder come = new LongAdder();
        List<CompletableFuture<Void>> cut = new ArrayList<>();
        for (String path : paths) {
            LongAdder counted = cut.isEmpty() ? come : new LongAdder();
            cut.add(CompletableFuture.runAsync(() -> cut(entry, path, counted), threads));
        }
        while (come.sum() <= point && !cut.get(0).isDone()) {
            Thread.sleep(2);
        }
        long underWay = cut.stream().filter(each -> !each.isDone()).count();
        place.killAndStart();
        cut.forEach(CompletableFuture::join);
        return underWay;
    }

    private static void cut(InetSocketAddress entry, String path, LongAdder come) {
        try (Browser browser = new Browser(entry)) {
            browser.get(path, come);
        } catch (IOException | LabException e) {
            // As it should be: the node is killed.
        }
    }

    private static long sum(Path file) throws IOException {
        CRC32C sum = new CRC32C();
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                sum.update(buffer, 0, read);
            }
        }
        return sum.getValue();
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        new Table<From>("hits of " + HIT_MB + " MB, " + CONNECTIONS + " connections", From::toString).median("MB/s", "%.0f", measured.samples(), from -> from.key("rate", "MB/s"))
                .median("of nginx", "%.3f", measured.samples(), from -> from.key("of-nginx", "ratio")).print(out, List.of(From.values()));
        out.printf("%d programs, one file of %d MB: %s of it left the origin, %s MB/s to all%n", plan.programs, plan.fileMb,
                Samples.text("%.4f", measured.samples().median(flight("of-file", "ratio"))),
                Samples.text("%.0f", measured.samples().median(flight("rate", "MB/s"))));
        out.printf("%d kills, %s fetches cut by them: %s answers with a wrong octet%n", plan.kills,
                Samples.text("%.0f", measured.samples().median(kills("fetches cut"))), Samples.text("%.0f", measured.samples().median(kills("wrong"))));
    }
}
