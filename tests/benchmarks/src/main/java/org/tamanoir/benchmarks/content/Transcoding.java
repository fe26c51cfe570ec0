package org.tamanoir.benchmarks.content;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.Delivery;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabException;

/**
 * A film of 1080 lines in three sizes: through a node, and through the same commands of ffmpeg in pipes, on the same processors, as nice, in turn. As fast as it goes, to say how
 * many pictures a second come out at all sizes; and as a camera makes them, to say how long a picture is under way. One ffmpeg that makes all three sizes is the limit.
 */
final class Transcoding extends MeasuredOutcome {
    private static final int FRAMES_A_SECOND = 30;
    private static final double LEAST_OF_PIPE = 0.9;
    private static final double MOST_MILLIS = 1000;
    private static final double LEAST_SEEN = 0.95;
    private static final int PIECE = 32 * 188;
    private static final String FAST = "as fast as it goes";
    private static final String PACED = "as a camera";
    private static final long PATIENCE_SECONDS = 180;

    /** Who makes the three sizes. */
    private enum Way { TRANSCODE, PIPES, ONE_FFMPEG }

    /** As {@code Rung} of the service has them: lines, and kilobits a second. */
    private enum Size {
        LARGE(720, 2400), MIDDLE(480, 1066), SMALL(360, 600);

        private final int lines;
        private final int kilobits;

        Size(int lines, int kilobits) {
            this.lines = lines;
            this.kilobits = kilobits;
        }

        List<String> output(String to) {
            return List.of("-map", "0:v:0", "-map", "0:a:0?", "-c:a", "copy", "-sn", "-dn", "-vf", "scale=-2:" + lines, "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency",
                    "-pix_fmt", "yuv420p", "-b:v", kilobits + "k", "-maxrate", kilobits + "k", "-bufsize", kilobits + "k", "-force_key_frames", "expr:if(isnan(prev_forced_t),1,gte(t,prev_forced_t+1))",
                    "-f", "mpegts", "-muxdelay", "0", "-muxpreload", "0", "-flush_packets", "1", to);
        }

        /** As nice as a worker of a node is, since others may be busy on the machine. */
        static List<String> input(boolean live) {
            List<String> all = new ArrayList<>(List.of("nice", "-n", "10", "ffmpeg", "-hide_banner", "-nostdin", "-nostats", "-loglevel", "error"));
            if (live) {
                all.addAll(List.of("-copyts", "-threads", "1", "-flags", "low_delay", "-probesize", "500000", "-analyzeduration", "500000", "-f", "mpegts"));
            }
            all.addAll(List.of("-i", "pipe:0"));
            return all;
        }
    }

    private Transcoding(Measurements measured) {
        super("transcode", measured);
    }

    private static Key key(String benchCase, Way way, String metric, String unit) {
        return new Key(benchCase, way.name().toLowerCase(Locale.ROOT), 0, Size.values().length, metric, unit);
    }

    static Outcome run(ContentPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.attemptAny("a film in three sizes", () -> {
            DebianPackages.require("bwrap", "bubblewrap");
            DebianPackages.require("ffmpeg", "ffmpeg");
            try (Workbench workbench = new Workbench(); Site site = new Site(workbench, Math.max(2, (int) Math.ceil(plan.rounds().seconds() * 2)))) {
                measured.rounds(1, plan.rounds().count(), round -> measured.attemptAny(Measurements.name(round), () -> round(site, measured, round)));
            }
        });
        return new Transcoding(measured);
    }

    private static void round(Site site, Measurements measured, int round) throws Exception {
        Map<Way, Whole> films = new EnumMap<>(Way.class);
        for (Way way : Measurements.turned(List.of(Way.values()), Math.max(0, round))) {
            measured.doing(FAST + ": " + way);
            Whole film = site.fast(way);
            films.put(way, film);
            measured.add(key(FAST, way, "pictures at all sizes", "1/s"), film.rate());
            measured.add(key(FAST, way, "until the first at all sizes", "ms"), film.beginMillis());
            measured.add(key(FAST, way, "from the last to the end", "ms"), film.endMillis());
        }
        measured.add(key(FAST, Way.TRANSCODE, "of pipes", "ratio"), films.get(Way.TRANSCODE).rate() / films.get(Way.PIPES).rate());
        for (Way way : Measurements.turned(List.of(Way.TRANSCODE, Way.PIPES), Math.max(0, round))) {
            measured.doing(PACED + ": " + way);
            Paced paced = site.paced(way);
            measured.add(key(PACED, way, "under way, p50", "ms"), paced.part(0.5));
            measured.add(key(PACED, way, "under way, p99", "ms"), paced.part(0.99));
            measured.add(key(PACED, way, "pictures that came", "ratio"), paced.seen());
        }
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("pictures a second, of the same commands in pipes", samples().median(key(FAST, Way.TRANSCODE, "of pipes", "ratio")), LEAST_OF_PIPE),
                Target.atMost("milliseconds that 99 of 100 pictures of a camera are under way", samples().median(key(PACED, Way.TRANSCODE, "under way, p99", "ms")), MOST_MILLIS),
                Target.atLeast("pictures of a camera that come, of those that it has made", samples().median(key(PACED, Way.TRANSCODE, "pictures that came", "ratio")), LEAST_SEEN));
    }

    /** A film that went as fast as it could. @param rate pictures a second, of which all sizes are there, from the start of programs and streams to the end of the last */
    private record Whole(double rate, double beginMillis, double endMillis) {
    }

    /** How long pictures were under way, in milliseconds in order, and how many came of those that could. */
    private record Paced(List<Double> millis, double seen) {
        double part(double of) {
            return millis.get(Math.min(millis.size() - 1, (int) (millis.size() * of)));
        }
    }

    /** Takes octets of a film; closed behind the last. */
    private interface Feeding extends AutoCloseable {
        void give(byte[] octets, int from, int length) throws Exception;

        @Override
        void close() throws IOException;
    }

    private static final class Site implements AutoCloseable {
        private final byte[] film;
        private final int frames;
        /** At which octet each picture ends. */
        private final List<Integer> ends;
        private final NodeProcess node;
        private final TamanoirClient client = new TamanoirClient();
        private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "transcoding");
            thread.setDaemon(true);
            return thread;
        });
        private int channels;

        Site(Workbench workbench, int seconds) throws IOException {
            Path folder = workbench.folder("node");
            Path file = folder.resolve("film.ts");
            Command.run(List.of("ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=" + FRAMES_A_SECOND + ":duration=" + seconds,
                    "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-b:v", "6M", "-force_key_frames", "expr:gte(t,n_forced)", "-f", "mpegts", "-y", file.toString()), null,
                    Duration.ofSeconds(PATIENCE_SECONDS));
            film = Files.readAllBytes(file);
            frames = seconds * FRAMES_A_SECOND;
            ends = ends(film);
            if (ends.size() != frames) {
                throw new LabException("the film has " + ends.size() + " pictures and not " + frames);
            }
            Path yaml = Files.writeString(folder.resolve("node.yaml"), "routes: {127.0.0.0/8: direct}\npolicies: {transcode: {workers: {programs: [ffmpeg], count: 8}}}\n");
            node = NodeProcess.start(workbench, "127.0.0.1:0", folder.resolve("data"), "--config", yaml.toString());
            node.deploy(CommandLineTool.bundle("transcode"));
        }

        private static List<Integer> ends(byte[] film) {
            List<Integer> ends = new ArrayList<>();
            Frames seen = new Frames();
            for (int at = 0; at < film.length; at += 188) {
                int before = seen.count();
                seen.take(Arrays.copyOfRange(film, at, at + 188), 188, at);
                if (seen.count() > before && before > 0) {
                    ends.add(at);
                }
            }
            ends.add(film.length);
            return ends;
        }

        Whole fast(Way way) throws Exception {
            List<Frames> seen = new ArrayList<>();
            List<CompletableFuture<Void>> under = new ArrayList<>();
            long begin = System.nanoTime();
            List<List<Size>> programs = way == Way.ONE_FFMPEG ? List.of(List.of(Size.values())) : Arrays.stream(Size.values()).map(List::of).toList();
            for (List<Size> sizes : programs) {
                for (int i = 0; i < sizes.size(); i++) {
                    seen.add(new Frames());
                }
                List<Frames> own = seen.subList(seen.size() - sizes.size(), seen.size());
                Feeding to = way == Way.TRANSCODE ? file(sizes.get(0), own.get(0), under) : pipe(sizes, false, List.copyOf(own), under);
                under.add(doing(() -> {
                    try (to) {
                        for (int at = 0; at < film.length; at += PIECE) {
                            to.give(film, at, Math.min(PIECE, film.length - at));
                        }
                    }
                }));
            }
            CompletableFuture.allOf(under.toArray(CompletableFuture[]::new)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            long end = System.nanoTime();
            for (Frames each : seen) {
                if (each.count() != frames) {
                    throw new LabException(way + " has made " + each.count() + " of " + frames + " pictures");
                }
            }
            long first = seen.stream().mapToLong(Frames::first).max().orElseThrow();
            long last = seen.stream().mapToLong(Frames::last).max().orElseThrow();
            return new Whole(frames / ((end - begin) / 1e9), (first - begin) / 1e6, (end - last) / 1e6);
        }

        /** A camera, and how long its pictures are under way until they are there, at all sizes together. */
        Paced paced(Way way) throws Exception {
            List<Frames> seen = Arrays.stream(Size.values()).map(size -> new Frames()).toList();
            List<CompletableFuture<Void>> under = new ArrayList<>();
            List<Feeding> feeding = way == Way.TRANSCODE ? List.of(channel(seen, under)) : pipes(seen, under);
            long[] left = new long[frames];
            long begin = System.nanoTime();
            for (int frame = 0, at = 0; frame < frames; at = ends.get(frame), frame++) {
                long due = begin + frame * 1_000_000_000L / FRAMES_A_SECOND;
                while (due - System.nanoTime() > 0) {
                    TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                }
                left[frame] = System.nanoTime();
                for (Feeding each : feeding) {
                    each.give(film, at, ends.get(frame) - at);
                }
            }
            for (Feeding each : feeding) {
                each.close();
            }
            CompletableFuture.allOf(under.toArray(CompletableFuture[]::new)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            List<Double> millis = new ArrayList<>();
            for (Frames each : seen) {
                TreeMap<Long, Long> came = each.byNumber(FRAMES_A_SECOND);
                // The first second is what a program needs to begin.
                came.tailMap((long) FRAMES_A_SECOND).forEach((number, when) -> millis.add((when - left[(int) Math.min(frames - 1, number)]) / 1e6));
            }
            if (millis.isEmpty()) {
                throw new LabException(way + " has made no picture");
            }
            Collections.sort(millis);
            return new Paced(millis, millis.size() / (double) ((frames - FRAMES_A_SECOND) * seen.size()));
        }

        private interface Step {
            void run() throws Exception;
        }

        private CompletableFuture<Void> doing(Step step) {
            return CompletableFuture.runAsync(() -> {
                try {
                    step.run();
                } catch (Exception e) {
                    throw new LabException(e.toString(), e);
                }
            }, threads);
        }

        private List<Feeding> pipes(List<Frames> seen, List<CompletableFuture<Void>> under) throws IOException {
            List<Feeding> all = new ArrayList<>();
            for (Size size : Size.values()) {
                all.add(pipe(List.of(size), true, List.of(seen.get(size.ordinal())), under));
            }
            return all;
        }

        /** One ffmpeg; where it makes more than one size, all but the first go by named pipes. */
        private Feeding pipe(List<Size> sizes, boolean live, List<Frames> seen, List<CompletableFuture<Void>> under) throws IOException {
            List<String> command = new ArrayList<>(Size.input(live));
            List<Path> named = new ArrayList<>();
            for (Size size : sizes) {
                if (size == sizes.get(0)) {
                    command.addAll(size.output("pipe:1"));
                } else {
                    Path path = Files.createTempDirectory("tamanoir").resolve("pipe");
                    Command.run(List.of("mkfifo", path.toString()));
                    named.add(path);
                    command.add("-y");
                    command.addAll(size.output(path.toString()));
                }
            }
            Process ffmpeg = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            under.add(doing(() -> read(ffmpeg.getInputStream(), seen.get(0))));
            for (int i = 0; i < named.size(); i++) {
                Path path = named.get(i);
                Frames own = seen.get(i + 1);
                under.add(doing(() -> {
                    try (InputStream in = Files.newInputStream(path)) {
                        read(in, own);
                    }
                    Files.delete(path);
                    Files.delete(path.getParent());
                }));
            }
            OutputStream to = ffmpeg.getOutputStream();
            return new Feeding() {
                @Override
                public void give(byte[] octets, int from, int length) throws IOException {
                    to.write(octets, from, length);
                    to.flush();
                }

                @Override
                public void close() throws IOException {
                    to.close();
                }
            };
        }

        private static void read(InputStream in, Frames seen) throws IOException {
            byte[] piece = new byte[PIECE];
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                seen.take(piece, length, System.nanoTime());
            }
        }

        /** A file through the node, to a server that looks at it. */
        private Feeding file(Size size, Frames seen, List<CompletableFuture<Void>> under) throws Exception {
            ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            under.add(doing(() -> {
                try (server; Socket socket = server.accept()) {
                    read(socket.getInputStream(), seen);
                }
            }));
            ClientStream stream = client.open(request(new InetSocketAddress("127.0.0.1", server.getLocalPort())).delivery(Delivery.RAW)
                    .parameter("transcode", "size", size.lines + "p"));
            return feeding(stream);
        }

        private static Feeding feeding(ClientStream stream) {
            return new Feeding() {
                @Override
                public void give(byte[] octets, int from, int length) throws InterruptedException {
                    stream.send(Arrays.copyOfRange(octets, from, from + length));
                }

                @Override
                public void close() throws IOException {
                    try (stream) {
                        stream.complete();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
            };
        }

        private StreamRequest request(InetSocketAddress to) {
            return new StreamRequest().via(node.address()).to(to).services(BundledServices.typeId("transcode"));
        }

        /** A channel, and a viewer for each size. */
        private Feeding channel(List<Frames> seen, List<CompletableFuture<Void>> under) throws Exception {
            String name = "bench" + channels++;
            ClientStream source = client.open(request(node.address()).parameter("transcode", "channel", name).parameter("transcode", "role", "publish"));
            node.await("/services/transcode/inspect/channels", Duration.ofSeconds(10), shown -> shown.has(name));
            for (Size size : Size.values()) {
                ClientStream viewer = client.open(request(node.address()).parameter("transcode", "channel", name).parameter("transcode", "size", size.lines + "p"));
                under.add(doing(() -> {
                    try (viewer) {
                        for (ByteBuf octets = viewer.receive(); octets != null; octets = viewer.receive()) {
                            byte[] copy = new byte[octets.readableBytes()];
                            octets.readBytes(copy);
                            octets.release();
                            seen.get(size.ordinal()).take(copy, copy.length, System.nanoTime());
                        }
                    }
                }));
            }
            node.await("/services/transcode/inspect/channels", Duration.ofSeconds(10), shown -> shown.path(name).path("receivers").asInt() == Size.values().length);
            return feeding(source);
        }

        @Override
        public void close() {
            client.close();
            threads.shutdownNow();
        }
    }
}
