package org.tamanoir.node.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.WorkerCounts.Reason;
import org.tamanoir.node.service.WorkerLimits;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;
import org.tamanoir.service.worker.Workers.Program;
import org.tamanoir.service.worker.Workers;

/** Real programs in the real sandbox: what they may do, what they may not, and what happens to those that behave badly. */
class WorkersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Duration STALL = Duration.ofMillis(700);
    private static final long MEMORY = 96L << 20;

    private final ExecutorService tasks = Executors.newSingleThreadExecutor();
    private final WorkerService workers = new WorkerService();
    private RunningService running;
    private Workers own;

    @BeforeEach
    void start() {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/bwrap")), "bwrap is missing: apt-get install bubblewrap");
        running = service(PATIENCE);
        own = workers.forService(() -> running, tasks);
    }

    /** @param stall how long its workers may do nothing: a busy machine may take a second to start one */
    private static RunningService service(Duration stall) {
        ServicePolicy preset = ServicePolicy.preset(FailurePolicy.RESTART, PATIENCE);
        WorkerLimits limits = new WorkerLimits(List.of("sh", "perl", "/usr/bin/cat", "nowhere"), 2, MEMORY, 1, stall);
        ServicePolicy policy = new ServicePolicy(preset.onFailure(), preset.timeout(), preset.streams(), preset.memoryBytes(), preset.queueBytes(), preset.failures(), preset.window(),
                preset.backOff(), preset.mostBackOff(), preset.blocksBytes(), preset.reaches(), preset.connections(), preset.heapBytes(), preset.threads(), limits, preset.wasm());
        NodeMeans none = new NodeMeans(null, null, null, null, null, null, null, null, null, null);
        return new RunningService(0x5501, Level.MIDDLE, stream -> null, new NodeServiceContext("test", "1.0.0", new MapConfiguration("test", Map.of()), null, Map.of(), null, none), 1, policy);
    }

    @AfterEach
    void stop() throws Exception {
        workers.close();
        tasks.shutdown();
        assertThat(tasks.awaitTermination(15, TimeUnit.SECONDS)).isTrue();
    }

    /** Keeps what a worker says, until its end. */
    private static final class Listener implements WorkerHandler {
        private final ByteArrayOutputStream said = new ByteArrayOutputStream();
        private final CountDownLatch over = new CountDownLatch(1);
        private final AtomicInteger roomy = new AtomicInteger();
        private volatile AnepException why;

        @Override
        public synchronized void onOctets(Worker worker, ByteBuf octets) {
            byte[] copy = new byte[octets.readableBytes()];
            octets.getBytes(octets.readerIndex(), copy);
            said.writeBytes(copy);
        }

        @Override
        public void onWritable(Worker worker) {
            roomy.incrementAndGet();
        }

        @Override
        public void onClosed(Worker worker, AnepException cause) {
            why = cause;
            over.countDown();
        }

        Listener await() throws InterruptedException {
            assertThat(over.await(15, TimeUnit.SECONDS)).as("it ends").isTrue();
            return this;
        }

        synchronized byte[] octets() {
            return said.toByteArray();
        }

        String text() {
            return new String(octets(), UTF_8);
        }
    }

    private Worker run(Listener listener, String... command) {
        return own.start(new Program(command[0], List.of(command).subList(1, command.length)), listener);
    }

    private Listener shell(String script) throws InterruptedException {
        Listener listener = new Listener();
        run(listener, "sh", "-c", script).finish();
        return listener.await();
    }

    private static ByteBuf octets(int count) {
        byte[] random = new byte[count];
        new Random(count).nextBytes(random);
        return Unpooled.wrappedBuffer(random);
    }

    @Test
    @Tag("long")
    void itGetsOctetsAndGivesOctetsAndWaitsForWhoeverIsSlower() throws Exception {
        running = service(STALL);
        Listener listener = new Listener();
        Worker cat = run(listener, "/usr/bin/cat");
        cat.pause(true);
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        boolean room = true;
        while (room) {
            ByteBuf piece = octets(100_000);
            sent.writeBytes(piece.array());
            room = cat.write(piece);
        }
        assertThat(sent.size()).as("what waits for a program that waits").isBetween(1 << 20, 4 << 20);
        Thread.sleep(1000);
        assertThat(listener.over.getCount()).as("one that the service makes wait does not stall").isOne();
        cat.pause(false);
        await().atMost(PATIENCE).until(() -> listener.roomy.get() > 0);
        cat.finish();
        assertThat(listener.await().octets()).isEqualTo(sent.toByteArray());
        assertThat(listener.why).isNull();
        assertThat(running.workers().ended(Reason.FINISHED)).isOne();
        assertThat(running.workers().running()).isZero();
    }

    @Test
    void itSeesNoFileOfTheHostNoNetworkNoProcessAndNoVariable() throws Exception {
        assertThat(shell("cat /etc/shadow /etc/passwd /root/.profile /proc/1/environ; ls / /home /var; echo x > /tmp/x; echo x > /dev/shm/x; echo x > /x; echo x > /usr/x").text())
                .doesNotContain("root").doesNotContain("home:").contains("usr");
        // The one interface is down, and the kernel has no way to anywhere.
        assertThat(shell("perl -e 'use Socket; socket(S, PF_INET, SOCK_STREAM, 0) or die; print connect(S, sockaddr_in(22, inet_aton(\"127.0.0.1\"))) ? \"reached\" : \"no: $!\"'").text())
                .startsWith("no: ");
        assertThat(shell("env; id -u; id -G; kill -0 -1 && echo others").text()).contains("65534").doesNotContain("HOME").doesNotContain("USER").doesNotContain("JAVA");
        assertThat(shell("echo -n still; unshare --user id; bwrap --ro-bind / / id; mount -t tmpfs none /dev").text()).isEqualTo("still");
    }

    @Test
    void whatIsNotNamedOrNotInstalledIsRefusedAndSoIsOneTooMany() throws Exception {
        assertThatThrownBy(() -> run(new Listener(), "python3")).hasMessageStartingWith("EE-216 ").hasMessageContaining("workers: programs");
        assertThatThrownBy(() -> run(new Listener(), "/usr/bin/../bin/cat")).hasMessageStartingWith("EE-216 ");
        assertThatThrownBy(() -> run(new Listener(), "nowhere")).hasMessageStartingWith("EE-319 ").hasMessageContaining("nowhere is not installed");
        assertThat(own.problem("python3")).startsWith("EE-216");
        assertThat(own.problem("sh")).isNull();
        Listener one = new Listener();
        Worker first = run(one, "sh", "-c", "exec sleep 60");
        run(new Listener(), "sh", "-c", "exec sleep 60");
        assertThatThrownBy(() -> run(new Listener(), "sh", "-c", "exit 0")).hasMessageStartingWith("EE-309 ");
        first.abort();
        assertThat(one.await().why.code()).isEqualTo(ErrorCode.WORKER_FAILED);
        assertThat(shell("exit 0").why).as("there is room again").isNull();
        assertThat(running.workers().ended(Reason.STOPPED)).isOne();
    }

    @Test
    void oneThatFailsSaysWhy() throws Exception {
        AnepException status = shell("echo Invalid data found >&2; exit 3").why;
        assertThat(status.code()).isEqualTo(ErrorCode.WORKER_FAILED);
        assertThat(status).hasMessage("EE-319 sh has ended with status 3, and said: Invalid data found");
        assertThat(shell("kill -9 $$").why).hasMessageContaining("sh was ended by signal 9");
        assertThat(shell("perl -e 'print STDERR \"\\e[31m\" . \"x\" x 150_000 . \"end\"'; exit 1").why).hasMessageEndingWith("xend").hasMessageNotContainingAny("\u001b")
                .extracting(Throwable::getMessage).asString().hasSizeLessThan(500);
        assertThat(running.workers().ended(Reason.FAILED)).isEqualTo(3);
    }

    /** One process that takes too much gets no more of the kernel; several that do so together are ended by the node. */
    @Test
    void aMemoryEaterAndAForkBombAreEnded() throws Exception {
        assertThat(shell("perl -e '$x = \"a\" x (400 << 20); print length $x' || exit 7").why).hasMessageContaining("status 7");
        Listener many = new Listener();
        run(many, "sh", "-c", "for i in 1 2 3 4; do perl -e '$x = \"a\" x (30 << 20); sleep 60' & done; wait");
        assertThat(many.await().why).hasMessageContaining("octets of memory and may have " + MEMORY);
        assertThat(running.workers().ended(Reason.MEMORY)).isOne();
        Listener bomb = new Listener();
        Worker bombing = run(bomb, "sh", "-c", "b() { b | b & }; b; sleep 60");
        Thread.sleep(500);
        assertThat(new ProcessBuilder("true").start().waitFor()).as("others may start processes").isZero();
        bombing.abort();
        bomb.await();
    }

    @Test
    @Tag("long")
    void oneThatDoesNothingIsEndedAndOneThatNeverStopsSpeakingWaits() throws Exception {
        running = service(STALL);
        Listener idle = new Listener();
        run(idle, "sh", "-c", "exec sleep 60").write(octets(200_000));
        assertThat(idle.await().why).hasMessageContaining("it has done nothing for 700 ms");
        Listener deaf = new Listener();
        run(deaf, "sh", "-c", "exec sleep 60").finish();
        assertThat(deaf.await().why).as("its input is closed, and it does not end").hasMessageContaining("stall");
        assertThat(running.workers().ended(Reason.STALLED)).isEqualTo(2);
        Listener loud = new Listener();
        Worker endless = run(loud, "sh", "-c", "exec yes");
        endless.pause(true);
        Thread.sleep(300);
        int before = loud.octets().length;
        assertThat(before).isLessThan(4 << 20);
        Thread.sleep(300);
        assertThat(loud.octets()).as("nothing is read for a service that wants nothing").hasSizeLessThan(Math.max(before, 2 << 20) + (1 << 20));
        endless.abort();
        loud.await();
    }

    @Test
    void whatIsWrittenToOneThatHasClosedItsInputIsLostAndTooMuchEndsIt() throws Exception {
        Listener gone = new Listener();
        Worker worker = run(gone, "sh", "-c", "exec 0<&-; echo done; sleep 0.3");
        Thread.sleep(150);
        for (int i = 0; i < 100; i++) {
            worker.write(octets(300_000 / 2));
            Thread.sleep(1);
        }
        assertThat(gone.await().text()).isEqualTo("done\n");
        assertThat(gone.why).isNull();
        Listener full = new Listener();
        Worker takesNone = run(full, "sh", "-c", "exec sleep 60");
        for (int i = 0; i < 20; i++) {
            takesNone.write(octets(1 << 20));
        }
        assertThat(full.await().why.code()).isEqualTo(ErrorCode.SERVICE_BAD_OUTPUT);
    }

    @Test
    void itsProcessesAreGoneWhenItIsAndWhenItsServiceStops() throws Exception {
        Listener listener = new Listener();
        Worker worker = run(listener, "sh", "-c", "sleep 61 & setsid sleep 61 & echo there; wait");
        await().atMost(PATIENCE).until(() -> listener.text().equals("there\n"));
        assertThat(sleepers()).isPositive();
        worker.abort();
        listener.await();
        await().atMost(PATIENCE).until(() -> sleepers() == 0);
        run(new Listener(), "sh", "-c", "exec sleep 61");
        await().atMost(PATIENCE).until(() -> sleepers() == 1);
        ((AutoCloseable) own).close();
        await().atMost(PATIENCE).until(() -> sleepers() == 0);
        assertThatThrownBy(() -> run(new Listener(), "sh")).hasMessageStartingWith("EE-210 ");
    }

    /** In whatever moment of its start: nothing is left that holds its pipes. */
    @Test
    @Tag("long")
    void oneThatIsEndedWhileItStartsIsGoneToo() throws Exception {
        for (int i = 0; i < 60; i++) {
            Listener listener = new Listener();
            Worker worker = run(listener, "sh", "-c", "exec sleep 61");
            Thread.sleep(i / 4);
            worker.abort();
            listener.await();
        }
        await().atMost(PATIENCE).until(() -> sleepers() == 0);
        assertThat(running.workers().running()).isZero();
    }

    private static long sleepers() {
        return ProcessHandle.current().descendants().filter(each -> {
            try {
                return Files.readString(Path.of("/proc", Long.toString(each.pid()), "cmdline")).equals("sleep\00061\000");
            } catch (java.io.IOException e) {
                return false;
            }
        }).count();
    }

    @Test
    void processorsAreGivenInTurn() {
        Sandbox sandbox = new Sandbox(false, Sandbox.list("0-2,5"));
        WorkerLimits two = new WorkerLimits(List.of(), 1, 1, 2, Duration.ofSeconds(1));
        List<String> command = sandbox.command(Path.of("/usr/bin/true"), List.of(), two);
        assertThat(command).containsSequence("-c", "0,1").doesNotContain("--reuid=65534");
        assertThat(sandbox.command(Path.of("/usr/bin/true"), List.of(), two)).containsSequence("-c", "2,5");
        assertThat(sandbox.command(Path.of("/usr/bin/true"), List.of(), WorkerLimits.PRESET)).doesNotContain("-c");
    }
}
