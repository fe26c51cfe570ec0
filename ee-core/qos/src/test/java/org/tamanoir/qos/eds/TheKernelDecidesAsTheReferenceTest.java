package org.tamanoir.qos.eds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.lab.NativeTool;

/**
 * {@code eds.h}, compiled for a process with the sanitizers, and {@link Eds} are given the same events: every decision, and the average behind it, is equal.
 * Seeds vary the number of classes, factors, history, RED, load, sizes and pauses.
 */
@Tag("seeded")
class TheKernelDecidesAsTheReferenceTest {
    private static final int EVENT = 24;

    @TempDir
    private Path directory;

    @Test
    @Tag("long")
    void inAMillionEvents() throws Exception {
        compare((int) (System.nanoTime() % 1_000_000), 50, 20_000);
    }

    private void compare(int first, int worlds, int events) throws Exception {
        Path sources = NativeTool.checkout().resolve("kernel-helpers/eds");
        Path program = NativeTool.make(sources, directory, List.of("decide")).resolve("eds-decide");
        long lost = 0;
        for (int seed = first; seed < first + worlds; seed++) {
            lost += world(program, seed, events);
        }
        System.out.println("EDS in C and Java: seeds " + first + " to " + (first + worlds - 1) + ", " + (long) worlds * events + " events, " + lost + " losses");
        assertThat(lost).as("losses in all worlds, from seed " + first).isGreaterThan(worlds);
    }

    private long world(Path program, int seed, int count) throws Exception {
        Random random = new Random(seed);
        EdsParameters parameters = parameters(random);
        Path input = directory.resolve("events");
        Path output = directory.resolve("decisions");
        List<long[]> events = events(random, parameters, count);
        write(input, parameters, events);
        Process process = new ProcessBuilder(program.toString()).redirectInput(input.toFile()).redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertThat(process.waitFor()).as("end of eds-decide, seed " + seed).isZero();
        EdsQueue<Integer> queue = new EdsQueue<>(parameters);
        long lost = 0;
        try (BufferedReader decisions = Files.newBufferedReader(output)) {
            for (int i = 0; i < events.size(); i++) {
                StringBuilder line = new StringBuilder();
                lost += decide(queue, events.get(i), line);
                line.append(queue.eds().octets()).append(' ').append(queue.eds().average());
                String said = decisions.readLine();
                if (!line.toString().equals(said)) {
                    assertThat(said).as("event " + i + " of seed " + seed + ", " + parameters).isEqualTo(line.toString());
                }
            }
            assertThat(decisions.readLine()).isNull();
        }
        return lost;
    }

    private static int decide(EdsQueue<Integer> queue, long[] event, StringBuilder line) {
        if (event[0] == 0) {
            int[] losses = new int[1];
            queue.add(0, (int) event[1], (int) event[2], event[4], (int) event[3], lost -> {
                losses[0]++;
                line.append(lost.c()).append(' ');
            });
            return losses[0];
        }
        EdsQueue.Waiting<Integer> sent = queue.poll(event[4]);
        line.append(sent == null ? EdsParameters.MOST_CLASSES : sent.c()).append(' ');
        return 0;
    }

    private static EdsParameters parameters(Random random) {
        int classes = 1 + random.nextInt(EdsParameters.MOST_CLASSES);
        List<Integer> delay = random.ints(classes, 1, random.nextBoolean() ? 1 + EdsParameters.MOST_FACTOR : 4).sorted().boxed().toList();
        List<Integer> loss = new ArrayList<>(random.ints(classes, 1, random.nextBoolean() ? 1 + EdsParameters.MOST_FACTOR : 4).sorted().boxed().toList());
        Collections.reverse(loss);
        int limit = 2_000 + random.nextInt(200_000);
        int history = random.nextInt(3) == 0 ? 0 : random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 1 + random.nextInt(EdsParameters.MOST_HISTORY);
        Red red = random.nextInt(3) == 0 ? null
                : Red.of(limit / 20, limit - limit / 5, 0.01 + random.nextDouble() * 0.9, Math.pow(10, 4 + random.nextInt(6)), Math.min(limit / 40, 1_065), 42 + limit / 1_065);
        return new EdsParameters(limit, history, delay, loss, red);
    }

    /** Kind, class, octets, random, time: loads below and above what leaves, of some classes more than of others, with pauses. */
    private static List<long[]> events(Random random, EdsParameters parameters, int count) {
        List<long[]> events = new ArrayList<>();
        long now = random.nextInt(1_000_000_000);
        double arrivals = 0.5;
        int favourite = random.nextInt(parameters.delay().size());
        for (int i = 0; i < count; i++) {
            if (random.nextInt(500) == 0) {
                arrivals = 0.3 + 0.6 * random.nextDouble();
            }
            now += random.nextInt(2_000) == 0 ? (long) (Math.pow(10, 11 * random.nextDouble())) : random.nextInt(200_000);
            int c = random.nextInt(4) == 0 ? favourite : random.nextInt(parameters.delay().size());
            events.add(new long[] {random.nextDouble() < arrivals ? 0 : 1, c, 40 + random.nextInt(1_461), random.nextInt(), now});
        }
        return events;
    }

    private static void write(Path file, EdsParameters parameters, List<long[]> events) throws IOException {
        Red red = parameters.red();
        List<Integer> numbers = new ArrayList<>(List.of(parameters.limit(), parameters.delay().size(), parameters.history()));
        numbers.addAll(red == null ? List.of(0, 0, 0, 0, 0) : List.of(red.min(), red.max(), red.weightLog(), red.probabilityLog(), red.cellLog()));
        IntStream.range(0, parameters.delay().size()).forEach(i -> numbers.addAll(List.of(parameters.delay().get(i), parameters.loss().get(i))));
        numbers.addAll(red == null ? Collections.nCopies(Red.DAMPING, 0) : red.damping());
        ByteBuffer octets = ByteBuffer.allocate(4 * numbers.size() + EVENT * events.size()).order(ByteOrder.LITTLE_ENDIAN);
        numbers.forEach(octets::putInt);
        for (long[] event : events) {
            octets.putInt((int) event[0]).putInt((int) event[1]).putInt((int) event[2]).putInt((int) event[3]).putLong(event[4]);
        }
        Files.write(file, octets.array());
    }
}
