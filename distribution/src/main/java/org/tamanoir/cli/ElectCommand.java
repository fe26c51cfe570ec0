package org.tamanoir.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir elect}: runs a command on one machine of many. */
@Command(name = "elect", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = "Run a command while this machine holds a group. Of all machines that wait for the group, the nodes of an election let exactly one hold "
                + "it (services/election/README.md). TAMANOIR_GROUP names the group and TAMANOIR_NUMBER the lease; every later holder gets a larger "
                + "number. If the lease cannot be renewed, the command and its children get a SIGTERM while a third of the lease is left (at most 5 s), "
                + "and a SIGKILL when it ends, before anyone else can hold the group. The command also ends with this process.",
        footer = {"", "Example:", "  tamanoir elect --via localhost:3322 nightly-transfer -- ./transfer.sh", "", "Exit codes: that of the command; or " + ExitCode.EXPLAINED})
final class ElectCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SERVICE = BundledServices.typeId("election");
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final int PARTS_OF_LEASE = 3;
    private static final long LOOK_MILLIS = 10;
    /** For a node that only has to look. */
    private static final Duration ANSWER = Duration.ofSeconds(5);
    /** The most that a command has for ending by itself, before its lease is over. */
    private static final Duration MOST_GRACE = Duration.ofSeconds(5);
    /** Of util-linux. */
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    @Spec
    private CommandSpec spec;

    @Option(names = "--via", required = true, paramLabel = "[tls://]HOST:PORT", converter = EntryOptions.NodeName.class,
            description = "A node of the election. Can be given several times, to try the next one if a node does not answer.")
    private List<NodeAddress> via;

    @Option(names = "--lease", paramLabel = "TIME", converter = Units.Time.class, defaultValue = "10s",
            description = "Length of the lease: how long a group stays with a holder that has vanished; the nodes limit it. Default: ${DEFAULT-VALUE}.")
    private Duration lease;

    @Option(names = "--holder", paramLabel = "NAME", description = "The name of this holder. Default: the host name and the process id.")
    private String holder;

    @Option(names = "--no-wait", description = "Exit at once with 4 if another one holds the group.")
    private boolean noWait;

    @Option(names = "--who", description = "Print who holds the group, as JSON, and run nothing.")
    private boolean who;

    @Mixin
    private BearerOptions bearer;

    @Mixin
    private TlsOptions tls;

    @Parameters(index = "0", paramLabel = "GROUP", description = "The group's name: 1 to 128 characters without spaces.")
    private String group;

    @Parameters(index = "1..*", paramLabel = "COMMAND", description = "The command and its arguments.")
    private List<String> command = List.of();

    private TamanoirClient client;
    private final ExecutorService asking = Executors.newCachedThreadPool(new DefaultThreadFactory("elect", true));
    private Talk talk;
    private int at;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (command.isEmpty() != who) {
            throw new ParameterException(spec.commandLine(), who ? "--who runs no command" : "Missing required parameter: 'COMMAND'");
        }
        if (lease.compareTo(SHORTEST) < 0) {
            throw new ParameterException(spec.commandLine(), "--lease is at least 1s");
        }
        String name = holder != null ? holder : InetAddress.getLocalHost().getHostName() + ":" + ProcessHandle.current().pid();
        try (TamanoirClient opened = new TamanoirClient()) {
            client = opened;
            if (bearer.token() != null) {
                client.token(bearer.token());
            }
            if (via.get(0).secure()) {
                client.tls(tls.toNodes());
            }
            if (who) {
                spec.commandLine().getOut().println(ask(JSON.createObjectNode().put("who", group), ANSWER));
                return ExitCode.DONE;
            }
            return holds(name);
        } finally {
            hangUp();
        }
    }

    private int holds(String name) throws IOException, InterruptedException {
        long pause = lease.toMillis() / PARTS_OF_LEASE;
        String other = null;
        while (true) {
            long began = System.nanoTime();
            JsonNode answer = ask(wish(name), lease.plus(ANSWER).multipliedBy(via.size()));
            if (isHeld(answer, name)) {
                return run(name, answer.path("number").asLong(), began + TimeUnit.MILLISECONDS.toNanos(answer.path("remaining").asLong()));
            }
            if (answer.has("error") || noWait) {
                String why = answer.has("error") ? answer.path("error").asText() : answer.path("holder").asText() + " holds " + group;
                if (noWait) {
                    throw new AnepException(answer.has("error") ? ErrorCode.UNREACHABLE : ErrorCode.NOT_PERMITTED, why);
                }
                say(why + "; asking again");
            } else if (!answer.path("holder").asText().equals(other)) {
                other = answer.path("holder").asText();
                say(other + " holds " + group + "; waiting");
            }
            Thread.sleep(pause);
        }
    }

    static boolean isHeld(JsonNode answer, String name) {
        return answer.path("holder").asText().equals(name) && answer.has("number");
    }

    private ObjectNode wish(String name) {
        return JSON.createObjectNode().put("group", group).put("holder", name).put("lease", lease.toMillis());
    }

    private void say(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }

    /** @param until when the lease ends, if it is not renewed */
    private int run(String name, long number, long until) throws IOException, InterruptedException {
        say("holding " + group + " with number " + number);
        // However this process ends, the command ends with it.
        ProcessBuilder builder = new ProcessBuilder(Files.isExecutable(SETPRIV) ? Stream.concat(Stream.of(SETPRIV.toString(), "--pdeathsig", "KILL", "--"), command.stream()).toList() : command)
                .inheritIO();
        builder.environment().put("TAMANOIR_GROUP", group);
        builder.environment().put("TAMANOIR_NUMBER", Long.toString(number));
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            release(name);
            throw new AnepException(ErrorCode.NOT_FOUND, "'" + command.get(0) + "' does not start: " + e.getMessage(), e);
        }
        try (Interruption interruption = new Interruption(process::destroy)) {
            long end = until;
            long grace = grace(lease).toNanos();
            while (!process.waitFor(Math.min(lease.toMillis() / PARTS_OF_LEASE, Math.max(0, (end - grace - System.nanoTime()) / 1_000_000)), TimeUnit.MILLISECONDS)) {
                String lost = null;
                try {
                    long began = System.nanoTime();
                    JsonNode answer = ask(wish(name), Duration.ofNanos(end - grace - began));
                    // Its number may have grown, where a node has restarted. Nobody has held the group in between, for the lease still ran: the first number is as good.
                    if (isHeld(answer, name)) {
                        end = began + TimeUnit.MILLISECONDS.toNanos(answer.path("remaining").asLong());
                    } else if (!answer.has("error")) {
                        lost = answer.path("holder").asText() + " holds it";
                    }
                } catch (AnepException e) {
                    say(e.getMessage());
                }
                if (lost == null && System.nanoTime() - (end - grace) >= 0) {
                    lost = "the lease runs out";
                }
                if (lost != null) {
                    stop(process, end);
                    throw new AnepException(ErrorCode.SESSION_LOST, "the command was ended: " + group + " is lost, for " + lost);
                }
            }
            release(name);
            interruption.done();
            return process.exitValue();
        }
    }

    /** How long before the end of a lease the command is asked to end: at the end somebody else may begin. */
    static Duration grace(Duration lease) {
        Duration part = lease.dividedBy(PARTS_OF_LEASE);
        return part.compareTo(MOST_GRACE) < 0 ? part : MOST_GRACE;
    }

    /**
     * Ends a command and what it has started.
     *
     * @param end when it is killed if it has not ended by itself
     */
    static void stop(Process process, long end) throws InterruptedException {
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
        all.forEach(ProcessHandle::destroy);
        while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() - end < 0) {
            Thread.sleep(LOOK_MILLIS);
        }
        Stream.concat(all.stream(), all.stream().flatMap(ProcessHandle::descendants)).forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
    }

    private void release(String name) throws InterruptedException {
        try {
            ask(JSON.createObjectNode().put("group", group).put("holder", name).put("release", true), ANSWER);
        } catch (AnepException e) {
            say("the group is not released, and is free when its lease ends: " + e.getMessage());
        }
    }

    /**
     * Asks the nodes in turn, beginning with the one that has answered last. One that is there and says nothing has its part of the time, and no more.
     *
     * @throws AnepException of the last of them if none answers
     */
    private JsonNode ask(ObjectNode question, Duration patience) throws InterruptedException {
        AnepException failure = null;
        for (int i = 0; i < via.size(); i++) {
            talk = talk == null ? new Talk(via.get(at)) : talk;
            Talk asked = talk;
            CompletableFuture<JsonNode> answer = CompletableFuture.supplyAsync(() -> asked.ask(question), asking);
            try {
                return answer.get(patience.toMillis() / via.size(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                failure = new AnepException(ErrorCode.UNREACHABLE, asked.node + " does not answer", e);
            } catch (ExecutionException e) {
                failure = e.getCause() instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, e.getCause().toString(), e.getCause());
            }
            hangUp();
            at = (at + 1) % via.size();
        }
        throw failure;
    }

    private void hangUp() {
        if (talk != null) {
            talk.close();
            talk = null;
        }
    }

    /** A stream to one node, which answers line by line. Asked on a thread that may be left behind: whoever closes it ends the question too. */
    private final class Talk implements AutoCloseable {
        private final NodeAddress node;
        private ClientStream stream;
        private boolean closed;

        Talk(NodeAddress node) {
            this.node = node;
        }

        JsonNode ask(ObjectNode question) {
            try {
                ClientStream open = open();
                open.send((question + "\n").getBytes(StandardCharsets.UTF_8));
                StringBuilder line = new StringBuilder();
                while (line.indexOf("\n") < 0) {
                    ByteBuf octets = open.receive();
                    if (octets == null) {
                        throw new AnepException(ErrorCode.CONNECTION_LOST, node + " has ended the stream");
                    }
                    line.append(octets.toString(StandardCharsets.UTF_8));
                    octets.release();
                }
                return JSON.readTree(line.toString());
            } catch (JsonProcessingException e) {
                throw new AnepException(ErrorCode.BAD_CONTENT, node + " says what is no JSON", e);
            } catch (InterruptedException e) {
                throw new AnepException(ErrorCode.STOPPING, "interrupted", e);
            }
        }

        private ClientStream open() throws InterruptedException {
            synchronized (this) {
                if (stream != null) {
                    return stream;
                }
            }
            ClientStream opened = client.open(new StreamRequest().via(node).to(node.address()).services(SERVICE));
            synchronized (this) {
                if (closed) {
                    opened.close();
                    throw new AnepException(ErrorCode.STOPPING, "nobody waits for " + node + " any more");
                }
                stream = opened;
                return opened;
            }
        }

        @Override
        public synchronized void close() {
            closed = true;
            if (stream != null) {
                stream.close();
            }
        }
    }
}
