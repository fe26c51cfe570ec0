package org.tamanoir.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.client.ReceiverOptions;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.TamanoirReceiver;
import org.tamanoir.http.fetch.HttpFetch;

/** A repository and two nodes as processes on loopback, and a file through them; everything is gone when closed. */
public final class Demo implements AutoCloseable {
    private static final String[] SERVICES = {"monitoring", "compression"};
    private static final String CONFIGURATION = "node.yaml";
    /** Between nodes of one machine there is no link that is worth compressing for, and a level that follows it would soon be none. */
    private static final String FIXED_LEVEL = "services:\n  compression:\n    level: 3\n";
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);

    /** For what blocks: the common pool may have only one thread. */
    static final Executor OWN_THREAD = task -> {
        Thread thread = new Thread(task, "tamanoir-demo");
        thread.setDaemon(true);
        thread.start();
    };

    /** A file that is just being written can make its directory impossible to remove; its writer will not write another. */
    private static final int ATTEMPTS = 20;

    private final List<ServerProcess> processes = new ArrayList<>();
    private Path directory;
    private ThrowawayPublisher publisher;
    private String repository;
    private String firstAdmin;
    private String secondAdmin;
    private InetSocketAddress first;
    private volatile boolean closed;

    /** Makes a directory for its files, starts the servers, signs the bundles and pushes them. */
    public void start(List<Path> bundles) throws IOException, InterruptedException {
        try {
            startAll(bundles);
        } catch (IOException | RuntimeException e) {
            failIfClosed();
            throw e;
        }
    }

    private void startAll(List<Path> bundles) throws IOException, InterruptedException {
        makeDirectory();
        publisher.makeKey();
        ServerProcess repo = server("repository", "repository", "run", "--listen", "127.0.0.1:0", "--data", path("repository"), "--trust",
                publisher.trust().toString());
        repository = repo.awaitReady()[0];
        ServerProcess second = node("second");
        String[] secondReady = second.awaitReady();
        ServerProcess one = node("first", "--route", "127.0.0.0/8=" + URI.create(secondReady[0]).getAuthority());
        for (Path bundle : bundles) {
            HttpFetch.of(repository, ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles", publisher.sign(bundle));
        }
        String[] firstReady = one.awaitReady();
        URI at = URI.create(firstReady[0]);
        first = new InetSocketAddress(at.getHost(), at.getPort());
        firstAdmin = firstReady[2];
        secondAdmin = secondReady[2];
    }

    private ServerProcess node(String name, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("node", "run", "--config", path(CONFIGURATION), "--listen", "127.0.0.1:0", "--trust",
                publisher.trust().toString(), "--repository", repository, "--data", path(name)));
        arguments.addAll(List.of(more));
        return server(name + " node", arguments.toArray(String[]::new));
    }

    private synchronized void makeDirectory() throws IOException {
        failIfClosed();
        directory = Files.createTempDirectory("tamanoir-demo");
        publisher = new ThrowawayPublisher(directory.resolve("publisher"));
        Files.writeString(directory.resolve(CONFIGURATION), FIXED_LEVEL);
    }

    /** What goes wrong when everything is being ended goes wrong because of that. */
    private void failIfClosed() {
        if (closed) {
            throw new AnepException(ErrorCode.STOPPING, "the demo was told to end");
        }
    }

    /** Not while or after everything is closed: a process that starts then would be left behind. */
    private synchronized ServerProcess server(String name, String... arguments) throws IOException {
        failIfClosed();
        ServerProcess process = new ServerProcess(name, directory.resolve(name.replace(' ', '-') + ".log"), arguments);
        processes.add(process);
        return process;
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    /** The admin API of the node that the file enters. */
    public String firstAdmin() {
        return firstAdmin;
    }

    /** The admin API of the node that delivers. */
    public String secondAdmin() {
        return secondAdmin;
    }

    public String repository() {
        return repository;
    }

    /** Sends a file from here through both nodes to here. */
    public DemoResult send(Path file) throws IOException, InterruptedException {
        try {
            return sendThrough(file);
        } catch (IOException | RuntimeException e) {
            failIfClosed();
            throw e;
        }
    }

    private DemoResult sendThrough(Path file) throws IOException, InterruptedException {
        String sent = sha256(file);
        try (TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(ANY_PORT)); TamanoirClient client = new TamanoirClient()) {
            MessageDigest arrived = digest();
            long start = System.nanoTime();
            CompletableFuture<Long> receiving = CompletableFuture.supplyAsync(() -> receive(receiver, arrived), OWN_THREAD);
            long octets;
            try (ClientStream stream = client.open(new StreamRequest().via(first).to(receiver.address()).services(SERVICES))) {
                octets = stream.sendFile(file);
                stream.complete();
            }
            long received = receiving.get();
            double seconds = (System.nanoTime() - start) / 1e9;
            String receivedHash = HexFormat.of().formatHex(arrived.digest());
            JsonNode stream = ended(firstAdmin);
            return new DemoResult(received == octets && receivedHash.equals(sent), receivedHash, file.toString(), octets,
                    stream.path("bytesOut").asLong(), received, seconds, octets * 8 / seconds / 1e6, stream.path("waitMillis").asLong(),
                    services());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, e.getCause().toString(), e);
        }
    }

    private static long receive(TamanoirReceiver receiver, MessageDigest digest) {
        try (IncomingStream stream = receiver.accept()) {
            long octets = 0;
            for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
                octets += payload.readableBytes();
                digest.update(payload.nioBuffer());
                payload.release();
            }
            stream.finish();
            return octets;
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    /** The stream as the node saw it; it may take a moment until the node has seen the end. */
    private static JsonNode ended(String admin) throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            JsonNode streams = HttpFetch.of(admin, ErrorCode.UNREACHABLE).json("/streams?ended=true").path("streams");
            if (!streams.isEmpty()) {
                return streams.get(0);
            }
            Thread.sleep(50);
        }
        throw new AnepException(ErrorCode.INTERNAL, "the node at " + admin + " does not say that the stream has ended");
    }

    private List<DemoResult.Fetched> services() {
        List<DemoResult.Fetched> fetched = new ArrayList<>();
        for (String node : List.of("first", "second")) {
            JsonNode services = HttpFetch.of(node.equals("first") ? firstAdmin : secondAdmin, ErrorCode.UNREACHABLE).json("/services");
            for (JsonNode service : services.path("services")) {
                fetched.add(new DemoResult.Fetched(node, service.path("name").asText(), service.path("version").asText(),
                        service.path("source").asText(), service.path("publisher").asText(), service.path("waitMillis").asLong()));
            }
        }
        return fetched;
    }

    private static String sha256(Path file) throws IOException {
        MessageDigest digest = digest();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] block = new byte[1 << 20];
            for (int n = in.read(block); n >= 0; n = in.read(block)) {
                digest.update(block, 0, n);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Ends the processes, the last first, and removes their files. Closing again does nothing. */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
        if (publisher != null) {
            publisher.close();
        }
        for (int attempt = 1; directory != null && Files.exists(directory); attempt++) {
            try {
                removeFiles();
            } catch (DirectoryNotEmptyException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void removeFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
