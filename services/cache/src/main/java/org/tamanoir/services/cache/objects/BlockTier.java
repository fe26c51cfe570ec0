package org.tamanoir.services.cache.objects;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Blocks;

/** Blocks on the disk, with those that are read most in memory (W-TinyLFU). What is in memory was checked when it was read, or named by its octets when it was written. */
public final class BlockTier {
    /** Somebody who waits for a block. */
    @FunctionalInterface
    public interface Loaded {
        /**
         * Any thread; must not wait.
         *
         * @param block   null if it is gone, or was damaged
         * @param failure why nothing is known of it, such as a disk that has too much to do; null if something is
         */
        void loaded(byte[] block, Throwable failure);
    }

    private final Blocks disk;
    private final Cache<String, byte[]> memory;
    private final Map<String, List<Loaded>> loading = new HashMap<>();
    private final LongAdder fromMemory = new LongAdder();
    private final LongAdder fromDisk = new LongAdder();
    private final LongAdder lost = new LongAdder();

    /** @param most octets in memory */
    public BlockTier(Blocks disk, long most) {
        this.disk = disk;
        this.memory = Caffeine.newBuilder().maximumWeight(most).weigher((String name, byte[] block) -> block.length).executor(Runnable::run).build();
    }

    /** Writes a block; completes with its name when it is on the disk. */
    CompletionStage<String> save(byte[] block) {
        return disk.put(Unpooled.wrappedBuffer(block)).thenApply(name -> {
            memory.put(name, block);
            return name;
        });
    }

    /** A block, if it is in memory. */
    byte[] inMemory(String name) {
        byte[] block = memory.getIfPresent(name);
        if (block != null) {
            fromMemory.increment();
        }
        return block;
    }

    /** Reads a block, once for all who ask meanwhile. */
    public void load(String name, Loaded told) {
        synchronized (loading) {
            List<Loaded> waiting = loading.get(name);
            if (waiting != null) {
                waiting.add(told);
                return;
            }
            loading.put(name, new ArrayList<>(List.of(told)));
        }
        disk.get(name).whenComplete((octets, failure) -> {
            byte[] block = null;
            if (octets != null) {
                block = ByteBufUtil.getBytes(octets);
                octets.release();
                memory.put(name, block);
                fromDisk.increment();
            }
            if (octets == null && failure == null) {
                lost.increment();
            }
            List<Loaded> waiting;
            synchronized (loading) {
                waiting = loading.remove(name);
            }
            for (Loaded each : waiting) {
                each.loaded(block, failure);
            }
        });
    }

    void remove(String name) {
        memory.invalidate(name);
        disk.remove(name);
    }

    /** Blocks that were read in memory, and on the disk; and those that were gone or damaged. */
    public long fromMemory() {
        return fromMemory.sum();
    }

    public long fromDisk() {
        return fromDisk.sum();
    }

    public long lost() {
        return lost.sum();
    }

    /** Octets in memory. */
    public long octets() {
        return memory.policy().eviction().map(eviction -> eviction.weightedSize().orElse(0)).orElse(0L);
    }
}
