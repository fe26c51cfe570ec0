package org.tamanoir.node.store;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.Blocks;
import org.tamanoir.service.Store;

/** The stores of a node's services. A node whose services keep nothing has no file and no thread of this. For any thread. */
public final class ServiceStores implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceStores.class);
    private static final int IDLE_SECONDS = 30;
    private static final int BLOCK_THREADS = 2;
    private static final int HASH_OCTETS = 16;
    /** How long the end of a node waits for what is still to be written. */
    private static final int LAST_SECONDS = 10;

    private final Path directory;
    private final Map<Path, ServiceStore> stores = new ConcurrentHashMap<>();
    private final Map<Path, ServiceBlocks> blocks = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("tamanoir-store", true));

    /** Blocks are not in order, and one that is read does not wait for those that are written. */
    private final ThreadPoolExecutor blockThreads = new ThreadPoolExecutor(BLOCK_THREADS, BLOCK_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("tamanoir-blocks", true));

    /** @param directory for the files alone; made with the first of them */
    public ServiceStores(Path directory) {
        this.directory = directory;
        thread.allowCoreThreadTimeOut(true);
        blockThreads.allowCoreThreadTimeOut(true);
    }

    /** The blocks of a service, as {@link #of}. @param most octets of all of them, asked whenever one is put */
    public Blocks blocks(String publisher, String service, Executor teller, LongSupplier most) {
        return blocks.computeIfAbsent(file(publisher, service, ".blocks"), folder -> new ServiceBlocks(service, new BlockFolder(folder), blockThreads)).heardOn(teller, most);
    }

    /**
     * The store of a service.
     *
     * @param publisher who owns what it keeps, or null for a service that nobody signed: what another publisher's service of that name has kept is not its own
     * @param service   its name
     * @param teller  where it hears what has become of its values
     */
    public Store of(String publisher, String service, Executor teller) {
        return stores.computeIfAbsent(file(publisher, service, ".mv"), file -> new ServiceStore(service, new KeptFile(file), thread)).heardOn(teller);
    }

    /** Names of any letters make one name of a file; subjects of certificates may be longer than one, and are hashed. */
    private Path file(String publisher, String service, String kind) {
        String name = URLEncoder.encode(service, StandardCharsets.UTF_8);
        String owner = publisher == null ? "" : "@" + Sha256.hex(publisher.getBytes(StandardCharsets.UTF_8)).substring(0, 2 * HASH_OCTETS);
        return directory.resolve(name + owner + kind);
    }

    /** Writes what waits, and closes the files; nothing is taken any more. */
    @Override
    public void close() {
        thread.shutdown();
        blockThreads.shutdown();
        try {
            if (!thread.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the disk under {} does not answer; what services kept last may be lost", directory);
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stores.values().forEach(ServiceStore::close);
    }
}
