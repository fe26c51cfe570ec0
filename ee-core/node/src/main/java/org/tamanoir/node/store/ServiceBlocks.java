package org.tamanoir.node.store;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Blocks;

/** The blocks of one service: what it asks is done on the threads for that, and what waits for them is bounded. For any thread. */
final class ServiceBlocks {
    private final String service;
    private final BlockFolder folder;
    private final Executor threads;
    private final AtomicLong waiting = new AtomicLong();

    ServiceBlocks(String service, BlockFolder folder, Executor threads) {
        this.service = service;
        this.folder = folder;
        this.threads = threads;
    }

    /** For one version of the service. @param most octets of all blocks, as they may be now @param teller where it hears */
    Blocks heardOn(Executor teller, LongSupplier most) {
        return new Blocks() {
            @Override
            public CompletionStage<String> put(ByteBuf block) {
                int length = block.readableBytes();
                if (length == 0 || length > MOST_BLOCK) {
                    block.release();
                    return CompletableFuture.failedFuture(failed("it has " + length + " octets; there may be 1 to " + MOST_BLOCK));
                }
                byte[] octets = BlockFolder.octetsOf(block);
                return does(length, teller, () -> {
                    String name = folder.put(octets, most.getAsLong());
                    if (name == null) {
                        throw failed("it has " + length + " octets, and all together may have " + most.getAsLong());
                    }
                    return name;
                });
            }

            @Override
            public CompletionStage<ByteBuf> get(String name) {
                return does(MOST_BLOCK, teller, () -> folder.get(name));
            }

            @Override
            public boolean has(String name) {
                return folder.has(name);
            }

            @Override
            public CompletionStage<Void> remove(String name) {
                return does(1, teller, () -> {
                    if (folder.has(name)) {
                        folder.remove(name);
                    }
                    return null;
                });
            }

            @Override
            public long octets() {
                return folder.octets();
            }
        };
    }

    private interface Work<V> {
        V done() throws IOException;
    }

    private <V> CompletionStage<V> does(int octets, Executor teller, Work<V> work) {
        CompletableFuture<V> told = new CompletableFuture<>();
        if (waiting.addAndGet(octets) > Blocks.MOST_WAITING + octets) {
            waiting.addAndGet(-octets);
            return CompletableFuture.failedFuture(failed(Blocks.MOST_WAITING + " octets wait for the disk already"));
        }
        try {
            threads.execute(() -> {
                V result = null;
                AnepException failure = null;
                try {
                    result = work.done();
                } catch (IOException | UncheckedIOException e) {
                    failure = new AnepException(ErrorCode.STORE_FAILED, service + " cannot use its blocks: " + e, e);
                } catch (AnepException e) {
                    failure = e;
                } finally {
                    waiting.addAndGet(-octets);
                }
                tell(told, result, failure, teller);
            });
            return told;
        } catch (RejectedExecutionException e) {
            waiting.addAndGet(-octets);
            return CompletableFuture.failedFuture(failed("the node is stopping"));
        }
    }

    private static <V> void tell(CompletableFuture<V> told, V result, AnepException failure, Executor teller) {
        Runnable telling = failure == null ? () -> told.complete(result) : () -> told.completeExceptionally(failure);
        try {
            teller.execute(telling);
        } catch (RejectedExecutionException e) {
            telling.run();
        }
    }

    private AnepException failed(String why) {
        return new AnepException(ErrorCode.STORE_FAILED, service + " cannot keep a block: " + why);
    }
}
