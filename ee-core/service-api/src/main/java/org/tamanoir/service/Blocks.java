package org.tamanoir.service;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletionStage;

/**
 * Blocks of octets that a service keeps on the disk of its node, such as the contents of a cache: each is found again by the SHA-256 of its octets, and is
 * checked by that whenever it is read. One folder for all versions of the service. Beyond the bound that the operator sets ({@code blocks-bytes} of its policy,
 * 1 GB unless set) the blocks that were not asked for the longest are thrown away, so keep in a {@link Store} what finds the names, and be ready to miss a block. Blocks
 * survive the end of the process, also by kill -9; what a loss of power damages is found out when it is read, and is gone then. For any thread; no call waits for the
 * disk.
 *
 * <pre>{@code
 * blocks.put(octets).thenAccept(name -> names.put(url, name));
 * blocks.get(name).thenAccept(octets -> stream.execute(octets == null ? this::ask : (forward, back) -> back.emitPayload(octets)));
 * }</pre>
 */
public interface Blocks {
    /** Octets of a block. */
    int MOST_BLOCK = 1 << 20;
    /** Octets of blocks that may wait to be written. */
    long MOST_WAITING = 64L << 20;

    /**
     * Keeps a block; the reference is given away. A block that is there already is kept once.
     *
     * @return completes, on a thread of the node, with its name, 64 hexadecimal digits in lower case; fails with EE-813 if it has no octet or more than
     *         {@link #MOST_BLOCK}, if {@link #MOST_WAITING} octets wait already, or if the disk refuses
     */
    CompletionStage<String> put(ByteBuf block);

    /**
     * Reads a block.
     *
     * @return completes, on a thread of the node, with its octets, to be released by whoever asked; with null if it is not there, or is not what was put; fails
     *         with EE-813 if {@link #MOST_WAITING} octets wait already
     */
    CompletionStage<ByteBuf> get(String name);

    /** Whether it is likely to be there: it was kept and has not been thrown away. */
    boolean has(String name);

    /** Throws a block away; nothing happens if there is none. */
    CompletionStage<Void> remove(String name);

    /** Octets of all blocks. */
    long octets();
}
