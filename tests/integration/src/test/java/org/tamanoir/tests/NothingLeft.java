package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Holds of every test of this module: when its nodes are closed no thread of theirs is left, and when its class is done no buffer was
 * lost. Registered for all of them in {@code META-INF/services}.
 *
 * <p>To find lost buffers takes two full collections, about 0.3 s, so it is done once a class: what was lost says itself where.
 */
public final class NothingLeft implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    /**
     * When a condition that is waited for is looked at, unless a test says otherwise: soon, as Awaitility's own tenth of a second adds up, and then less and less
     * often, as many looks ask a node and take processor time from what they wait for.
     */
    private static final Duration FIRST_LOOK = Duration.ofMillis(10);
    private static final Duration LAST_LOOKS = Duration.ofMillis(100);
    /** How long a condition is waited for, unless it has to come sooner: a busy machine is no fault of the node. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** One for the process, whatever the number of nodes. */
    private static final String SHARED = "tamanoir-start-guard";

    private Set<String> before = Set.of();

    @Override
    public void beforeAll(ExtensionContext context) {
        assertThat(System.getProperty("io.netty.customResourceLeakDetector")).as("run by surefire, or with its argLine")
                .isEqualTo(LeakRecorder.class.getName());
        Awaitility.setDefaultPollInterval(new IterativePollInterval(NothingLeft::longer, FIRST_LOOK));
        Awaitility.setDefaultTimeout(PATIENCE);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        before = threads();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        await().untilAsserted(() -> assertThat(threads()).as("threads of closed nodes")
                .isSubsetOf(before));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        assertThat(LeakRecorder.leaks()).as("leaked buffers").isEmpty();
    }

    private static Duration longer(Duration pause) {
        Duration longer = pause.multipliedBy(5).dividedBy(4);
        return longer.compareTo(LAST_LOOKS) < 0 ? longer : LAST_LOOKS;
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().filter(Thread::isAlive).map(Thread::getName)
                .filter(name -> name.startsWith("tamanoir-") && !name.equals(SHARED)).collect(Collectors.toSet());
    }
}
