package org.tamanoir.service.testkit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.server.Server;

/**
 * The server that a service speaks with: its documents are what the test publishes, and messages are answered as the test says, when it lets
 * time pass. While it is away nothing comes and messages wait, as in a node.
 *
 * <pre>{@code
 * RecordedServer server = new RecordedServer().answers(message -> new Answer(acknowledge(message.body()), null));
 * ServiceHarness harness = ServiceHarness.of(new Theodolite(), options).server("observatory", server).start();
 * server.publish("/v1/plan?theodolite=naples", plan);
 * harness.advance(Duration.ofSeconds(1));
 * }</pre>
 */
public final class RecordedServer implements Server {
    private record Followed(String path, Consumer<byte[]> changed) {
    }

    private record Waiting(Message message, Consumer<Answer> answered, long due) {
    }

    private static final long AGAIN_NANOS = 1_000_000_000;

    private final Map<String, byte[]> documents = new HashMap<>();
    private final List<Followed> followed = new ArrayList<>();
    private final Deque<Runnable> news = new ArrayDeque<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final List<Message> all = new ArrayList<>();
    private Function<Message, Answer> model = message -> new Answer(new byte[0], null);
    private VirtualTime time;
    private boolean away;

    void on(VirtualTime clock) {
        time = clock;
    }

    @Override
    public String problem() {
        return away ? "it is away" : null;
    }

    @Override
    public void follow(String path, Duration wait, Consumer<byte[]> changed) {
        bound();
        Followed one = new Followed(path, changed);
        followed.add(one);
        tell(one);
    }

    @Override
    public void send(Message message, Consumer<Answer> answered) {
        bound();
        waiting.add(new Waiting(message, answered, time.nanos()));
    }

    private void bound() {
        if (followed.size() + waiting.size() >= MOST_UNDER_WAY) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "a service may have no more than " + MOST_UNDER_WAY + " requests under way");
        }
    }

    private void tell(Followed one) {
        byte[] document = documents.get(one.path);
        if (document != null) {
            news.add(() -> one.changed.accept(document));
        }
    }

    /** What stands at a path, with its query, from now on. */
    public void publish(String path, byte[] document) {
        documents.put(path, document.clone());
        followed.stream().filter(one -> one.path.equals(path)).forEach(this::tell);
    }

    /** The paths that are followed, with their queries. */
    public List<String> followed() {
        return followed.stream().map(Followed::path).toList();
    }

    /** Answers messages from now on. @param model null as the answer to one that is to be sent again after a second */
    public RecordedServer answers(Function<Message, Answer> model) {
        this.model = model;
        return this;
    }

    /** Whether nobody reaches it. False unless it is set. */
    public void away(boolean away) {
        this.away = away;
    }

    /** The messages that it has answered since this was asked last, in order. */
    public List<Message> answered() {
        List<Message> since = List.copyOf(all);
        all.clear();
        return since;
    }

    long untilDue(long now) {
        return away ? Long.MAX_VALUE : !news.isEmpty() ? 0 : waiting.stream().mapToLong(one -> one.due - now).min().orElse(Long.MAX_VALUE);
    }

    void act() {
        if (!news.isEmpty()) {
            news.poll().run();
            return;
        }
        Waiting first = waiting.stream().min(Comparator.comparingLong(one -> one.due - time.nanos())).orElseThrow();
        waiting.remove(first);
        Answer answer = model.apply(first.message);
        if (answer == null) {
            waiting.add(new Waiting(first.message, first.answered, time.nanos() + AGAIN_NANOS));
        } else {
            all.add(first.message);
            first.answered.accept(answer);
        }
    }
}
