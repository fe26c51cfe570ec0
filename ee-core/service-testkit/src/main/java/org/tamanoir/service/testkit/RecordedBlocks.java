package org.tamanoir.service.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Blocks;

/** Blocks in memory: what is asked of them is done, and the service told, when the test lets time pass. Give them to a second harness and the node has been restarted. */
public final class RecordedBlocks implements Blocks {
    private final Map<String, byte[]> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private long most = 1L << 30;
    private long octets;
    private boolean fails;

    @Override
    public CompletionStage<String> put(ByteBuf block) {
        byte[] copy = ByteBufUtil.getBytes(block);
        block.release();
        return does(() -> {
            if (copy.length == 0 || copy.length > MOST_BLOCK || copy.length > most) {
                throw new AnepException(ErrorCode.STORE_FAILED, "a block of " + copy.length + " octets");
            }
            String name = name(copy);
            octets += kept.put(name, copy) == null ? copy.length : 0;
            for (var each = kept.values().iterator(); octets > most; each.remove()) {
                octets -= each.next().length;
            }
            return name;
        });
    }

    @Override
    public CompletionStage<ByteBuf> get(String name) {
        return does(() -> {
            byte[] found = kept.get(name);
            if (found != null && !name(found).equals(name)) {
                forget(name);
                found = null;
            }
            return found == null ? null : Unpooled.copiedBuffer(found);
        });
    }

    @Override
    public boolean has(String name) {
        return kept.containsKey(name);
    }

    @Override
    public CompletionStage<Void> remove(String name) {
        return does(() -> {
            forget(name);
            return null;
        });
    }

    @Override
    public long octets() {
        return octets;
    }

    /** Whether the disk refuses from now on what is asked of it. */
    public void fail(boolean fails) {
        this.fails = fails;
    }

    /** So many octets may be kept from the next put on. */
    public void most(long most) {
        this.most = most;
    }

    /** The disk changes an octet of a block that is there. */
    public void damage(String name) {
        kept.get(name)[0] ^= 1;
    }

    private void forget(String name) {
        byte[] before = kept.remove(name);
        octets -= before == null ? 0 : before.length;
    }

    private <V> CompletionStage<V> does(Supplier<V> work) {
        CompletableFuture<V> told = new CompletableFuture<>();
        waiting.add(() -> {
            try {
                if (fails) {
                    throw new AnepException(ErrorCode.STORE_FAILED, "the disk refuses, as the test says");
                }
                told.complete(work.get());
            } catch (AnepException e) {
                told.completeExceptionally(e);
            }
        });
        return told;
    }

    /** Nanoseconds until it has something to do: none, or the largest number. */
    long untilDue() {
        return waiting.isEmpty() ? Long.MAX_VALUE : 0;
    }

    /** Does what waits longest. */
    void next() {
        waiting.poll().run();
    }

    /** The name of a block. */
    public static String name(byte[] block) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(block));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
