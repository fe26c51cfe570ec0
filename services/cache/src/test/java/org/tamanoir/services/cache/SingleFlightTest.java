package org.tamanoir.services.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.services.cache.Web.Answer;
import org.tamanoir.services.cache.Web.Program;

/** Many programs that want one object at once, by an origin and leaders that fail. */
@Tag("seeded")
class SingleFlightTest {
    private static final int ROUNDS = Integer.getInteger("rounds", 25);
    private static final int MOST = 3 << 20;

    @Test
    @Tag("long")
    void aHundredProgramsCostTheOriginOneTransfer() throws Exception {
        byte[] content = Web.content(MOST, 1);
        try (Web web = new Web(Map.of())) {
            // Neither ETag nor time: what comes together is shared all the same, and nothing is asked for again.
            web.origin.put("/file", content, "\"one\"");
            for (int i = 0; i < 100; i++) {
                web.program().ask("GET", "/file");
            }
            web.settle();
            for (Program program : web.programs) {
                assertThat(program.answer().content()).isEqualTo(content);
            }
            assertThat(web.origin.requests).hasSize(1);
            assertThat(web.requests("collapsed")).isEqualTo(99);
        }
    }

    @Test
    void theNextFollowerGoesOnWhereADeadLeaderWas() throws Exception {
        byte[] content = Web.content(MOST, 1);
        try (Web web = new Web(Map.of())) {
            web.origin.put("/file", content, "\"one\"");
            for (int i = 0; i < 5; i++) {
                web.program().ask("GET", "/file");
                web.programs.get(i).tasks();
            }
            for (int leader = 0; leader < 4; leader++) {
                for (int read = 0; read < 10; read++) {
                    web.programs.get(leader).fromOrigin(50_000);
                    for (Program program : web.programs) {
                        program.tasks();
                    }
                }
                web.programs.get(leader).close();
                web.programs.get(leader + 1).tasks();
            }
            web.settle();
            assertThat(web.programs.get(4).answer().content()).isEqualTo(content);
            assertThat(web.origin.requests).hasSize(5);
            assertThat(web.origin.requests.subList(1, 5)).allSatisfy(request -> {
                assertThat(request.value("range")).endsWith("-" + (MOST - 1)).doesNotStartWith("bytes=0-");
                assertThat(request.value("if-range")).isEqualTo("\"one\"");
            });
            assertThat(web.harness.metrics().value("taken_over")).isEqualTo(4);
        }
    }

    /** Whatever happens, who gets an answer that is complete gets the content of one version, and nobody waits for ever. */
    @Test
    @Tag("long")
    void nobodyIsGivenAWrongOctet() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("SingleFlightTest seed " + seed);
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(seed + round);
            try (Web web = new Web(Map.of("memory-mb", 1 + random.nextInt(3)))) {
                new Round(web, random, "seed " + (seed + round)).run();
            }
        }
    }

    private static final class Round {
        private final Web web;
        private final Random random;
        private final String name;
        private final byte[][] versions = new byte[3][];
        private int version;

        Round(Web web, Random random, String name) {
            this.web = web;
            this.random = random;
            this.name = name;
            for (int i = 0; i < versions.length; i++) {
                versions[i] = Web.content(random.nextInt(MOST), random.nextLong());
            }
        }

        void run() throws Exception {
            publish();
            for (int event = 0; event < 120; event++) {
                switch (random.nextInt(24)) {
                    case 0, 1, 2, 3 -> ask();
                    case 4 -> any().close();
                    case 5 -> any().reads = false;
                    case 6 -> web.origin.resources.get("/file").endsAfter = random.nextInt(MOST);
                    case 7 -> {
                        version = (version + random.nextInt(2)) % versions.length;
                        publish();
                    }
                    case 8 -> damage();
                    case 9 -> web.harness.blocks().fail(random.nextInt(4) == 0);
                    case 10 -> web.millis += random.nextInt(40_000);
                    case 11 -> any().reads();
                    default -> {
                        for (int i = 0; i < 8; i++) {
                            Program one = any();
                            one.tasks();
                            one.fromOrigin(1 + random.nextInt(60_000));
                        }
                    }
                }
            }
            for (Program program : web.programs) {
                if (!program.isClosed()) {
                    program.reads();
                }
            }
            web.harness.blocks().fail(false);
            web.settle();
            for (Program program : web.programs) {
                look(program);
            }
            web.programs.forEach(Program::close);
            // Nothing is left of all this in the way of the next: who finds out that the origin has changed is cut, and then it is known.
            Answer answer = null;
            for (int attempt = 0; answer == null && attempt < 3; attempt++) {
                Program next = web.program();
                next.ask("GET", "/file");
                web.settle();
                answer = next.answer();
                assertThat(answer != null || next.isClosed() || next.connection.hasEnded()).as(name + ": the next one waits").isTrue();
            }
            assertThat(answer).as(name).isNotNull();
            assertThat(isOneOf(answer.content(), 0, Integer.MAX_VALUE)).as(name).isTrue();
        }

        private void publish() {
            boolean strong = random.nextInt(4) > 0;
            Origin.Resource resource = web.origin.put("/file", versions[version], (strong ? "\"" : "W/\"") + version + "\"")
                    .with("Cache-Control", "max-age=" + random.nextInt(30));
            resource.chunked = random.nextInt(4) == 0;
            resource.whole = random.nextInt(4) == 0;
        }

        private Program any() throws Exception {
            List<Program> open = web.programs.stream().filter(program -> !program.isClosed()).toList();
            return open.isEmpty() ? ask() : open.get(random.nextInt(open.size()));
        }

        private Program ask() throws Exception {
            Program program = web.program();
            if (random.nextInt(3) == 0) {
                int from = random.nextInt(MOST);
                program.range = new int[] {from, from + random.nextInt(MOST)};
                program.ask("GET", "/file", "Range: bytes=" + from + "-" + (program.range[1] - 1 + 1));
            } else {
                program.ask("GET", "/file");
            }
            return program;
        }

        private void damage() {
            byte[] content = versions[random.nextInt(versions.length)];
            int block = random.nextInt(3);
            if (content.length > (block + 1) << 20) {
                String hit = org.tamanoir.service.testkit.RecordedBlocks.name(Arrays.copyOfRange(content, block << 20, (block + 1) << 20));
                if (web.harness.blocks().has(hit)) {
                    web.harness.blocks().damage(hit);
                }
            }
        }

        private void look(Program program) throws Exception {
            if (program.received().length == 0) {
                assertThat(program.isClosed() || program.connection.hasEnded()).as(name + ": a program waits for ever").isTrue();
                return;
            }
            Answer answer = program.answer();
            if (answer == null) {
                assertThat(program.isClosed() || program.connection.hasEnded()).as(name + ": a program waits for the rest").isTrue();
                return;
            }
            if (answer.status() == 206) {
                String[] part = answer.head().value("content-range").split("[ /-]");
                assertThat(isOneOf(answer.content(), Integer.parseInt(part[1]), Integer.parseInt(part[2]) + 1)).as("%s: %s", name, answer.head()).isTrue();
            } else if (answer.status() == 200) {
                assertThat(isOneOf(answer.content(), 0, Integer.MAX_VALUE)).as("%s: %s", name, answer.head()).isTrue();
            } else {
                assertThat(answer.status()).as(name).isIn(416, 502);
            }
        }

        private boolean isOneOf(byte[] octets, int from, int until) {
            return Arrays.stream(versions).anyMatch(each -> from <= each.length && Arrays.equals(octets, Arrays.copyOfRange(each, from, Math.min(until, each.length))));
        }
    }
}
