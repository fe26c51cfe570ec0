package org.tamanoir.node.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Partner;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Timer;
import org.tamanoir.service.Verdict;

/** What a service does on its own: tasks that run one at a time and are watched, and partners that are replaced under its hands. */
class OwnTasksTest {
    private static final int TYPE = 0x5501;
    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** A service that others call. */
    private static final class Named implements ActiveService, Supplier<String> {
        private final String name;

        private Named(String name) {
            this.name = name;
        }

        @Override
        public StreamHandler open(StreamContext stream) {
            return (packet, out) -> Verdict.PASS;
        }

        @Override
        public String get() {
            return name;
        }
    }

    private final ServiceWatch watch = new ServiceWatch(TIMEOUT);
    private final TaskThreads threads = new TaskThreads(watch);
    private final ServiceRegistry registry = new ServiceRegistry();
    private final Partners partners = new Partners(registry, threads);
    private final List<AnepException> failures = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() {
        threads.close();
        watch.close();
    }

    private NodeServiceContext context(String version) {
        return new NodeServiceContext("test", version, new MapConfiguration("test", Map.of()), null, Map.of(), null,
                new NodeMeans(null, threads, partners, null, null, null, null, null, null, null));
    }

    private RunningService running(NodeServiceContext context, ActiveService service) {
        RunningService running = new RunningService(TYPE, Level.MIDDLE, service, context, 1,
                ServicePolicy.preset(FailurePolicy.RESTART, TIMEOUT));
        running.watchedBy((failed, why) -> failures.add(why), tripped -> { });
        return running;
    }

    private RunningService current(String version, ActiveService service) {
        RunningService running = running(context(version), service);
        registry.add(running);
        registry.activate(running);
        return running;
    }

    @Test
    void tasksWaitForTheStartRunOneAtATimeAndEndWithTheStop() {
        NodeServiceContext context = context("1.0.0");
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        Runnable task = () -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            Thread.onSpinWait();
            inside.decrementAndGet();
            runs.incrementAndGet();
        };
        for (int i = 0; i < StreamContext.MOST_TIMERS; i++) {
            context.later(Duration.ZERO, task);
        }
        assertThatThrownBy(() -> context.later(Duration.ZERO, task)).isInstanceOf(AnepException.class).hasMessageContaining("EE-309");
        await().pollDelay(Duration.ofMillis(50)).until(() -> true);
        assertThat(runs).hasValue(0);
        context.started(running(context, new Named("a")));
        await().atMost(PATIENCE).untilAtomic(runs, org.hamcrest.Matchers.is(StreamContext.MOST_TIMERS));
        assertThat(most).hasValue(1);
        Timer cancelled = context.later(Duration.ofMillis(30), task);
        assertThat(cancelled.cancel()).isTrue();
        assertThat(cancelled.cancel()).isFalse();
        context.later(Duration.ofMillis(30), task);
        context.stopping();
        context.later(Duration.ZERO, task);
        await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        assertThat(runs).hasValue(StreamContext.MOST_TIMERS);
    }

    @Test
    void aTaskThatHangsIsStoppedAndCountsAndTheNextOneRuns() {
        NodeServiceContext context = context("1.0.0");
        CountDownLatch next = new CountDownLatch(1);
        context.later(Duration.ZERO, () -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        context.later(Duration.ofMillis(1), () -> {
            throw new IllegalStateException("a defect");
        });
        context.later(Duration.ofMillis(2), next::countDown);
        context.started(running(context, new Named("a")));
        await().atMost(PATIENCE).until(() -> next.getCount() == 0);
        assertThat(failures).extracting(AnepException::code).containsExactly(ErrorCode.SERVICE_TIMEOUT, ErrorCode.SERVICE_ERROR);
    }

    @Test
    @Tag("long")
    void aPartnerIsTheCurrentVersionAndIsAskedForWhenItIsMissing() {
        AtomicInteger asked = new AtomicInteger();
        partners.from(typeId -> {
            asked.incrementAndGet();
            return CompletableFuture.failedFuture(new AnepException(ErrorCode.UNKNOWN_SERVICE, "nobody has it"));
        });
        @SuppressWarnings("rawtypes")
        Partner<Supplier> partner = context("1.0.0").partner(TYPE, Supplier.class);
        for (int i = 0; i < 1000; i++) {
            assertThat(partner.get()).isNull();
        }
        assertThat(asked.get()).as("a thousand calls ask once or twice").isBetween(1, 2);
        assertThat(partner.version()).isNull();
        RunningService first = current("1.0.0", new Named("first"));
        assertThat(partner.get().get()).isEqualTo("first");
        assertThat(partner.version()).isEqualTo("1.0.0");
        current("2.0.0", new Named("second"));
        assertThat(partner.get().get()).isEqualTo("second");
        assertThat(partner.version()).isEqualTo("2.0.0");
        assertThat(first.retire()).as("a call may be under way in it").isFalse();
        await().atMost(PATIENCE).until(first::retire);
        current("3.0.0", stream -> (packet, out) -> Verdict.PASS);
        assertThat(partner.get()).as("it does not implement the contract").isNull();
        assertThat(partner.version()).isNull();
    }

    /** A contract of two bundles, each with a class of its own for it. */
    public interface Tariff {
        long price(String what, List<String> of);

        default String currency() {
            return "EUR";
        }
    }

    /** It is loaded once more, too. */
    public static final class Prices implements ActiveService, Tariff {
        @Override
        public StreamHandler open(StreamContext stream) {
            throw new IllegalStateException("it is a partner");
        }

        @Override
        public long price(String what, List<String> of) {
            if (of.isEmpty()) {
                throw new IllegalArgumentException("nothing");
            }
            return what.length() * of.size();
        }
    }

    /** Loads classes of this test once more, as a bundle does that carries them, with a method under another name if asked. */
    private static final class Bundle extends ClassLoader {
        private final String renamed;

        Bundle(String renamed) {
            super(OwnTasksTest.class.getClassLoader());
            this.renamed = renamed;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OwnTasksTest.class.getName() + "$")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                String octets = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                byte[] own = (renamed == null ? octets : octets.replace(renamed, renamed.replace('e', 'o'))).getBytes(StandardCharsets.ISO_8859_1);
                return defineClass(name, own, 0, own.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void aContractThatBothCarryLeadsToTheOtherBundle() throws Exception {
        ActiveService prices = (ActiveService) new Bundle(null).loadClass(Prices.class.getName()).getDeclaredConstructor().newInstance();
        assertThat(prices).isNotInstanceOf(Tariff.class);
        current("1.0.0", prices);
        Partner<Tariff> partner = context("1.0.0").partner(TYPE, Tariff.class);
        assertThat(partner.get().price("four", List.of("a", "b"))).isEqualTo(8);
        assertThat(partner.get().currency()).isEqualTo("EUR");
        assertThat(partner.version()).isEqualTo("1.0.0");
        assertThatThrownBy(() -> partner.get().price("four", List.of())).isInstanceOf(IllegalArgumentException.class).hasMessage("nothing");
        assertThat(context("1.0.0").partner(TYPE, Runnable.class).get()).as("what it does not implement").isNull();
        current("1.1.0", (ActiveService) new Bundle("price").loadClass(Prices.class.getName()).getDeclaredConstructor().newInstance());
        assertThat(partner.get()).as("a contract of the same name without that method").isNull();
        current("1.2.0", new Prices());
        assertThat(partner.get().price("four", List.of("a"))).isEqualTo(4);
    }
}
