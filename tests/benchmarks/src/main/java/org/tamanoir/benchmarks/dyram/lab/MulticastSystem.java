package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;

/**
 * One transmission by one system: its receivers are started, its sender is started, each receiver gets the file, all of it is stopped. A
 * receiver is a number from 0, site after site.
 */
interface MulticastSystem extends AutoCloseable {
    /** Starts what has to be there before the sender, and returns when it is ready. @throws org.tamanoir.lab.LabException if it does not get ready */
    void startReceivers();

    /** Begins to send. */
    void send(Path file);

    /** Whether it still sends, or may. */
    boolean isSending();

    /** Whether a receiver has the whole file: then it has its name. */
    boolean isComplete(int receiver);

    /** What a receiver that has no file has to say about it. */
    String lastWords(int receiver);

    /** Where a receiver puts the file. */
    Path copy(int receiver);

    /** Whether sending ends by itself when all is done. */
    boolean senderEnds();

    /** CPU time of the processes that outlive the transmission. */
    JvmTime standing();

    /** Stops what runs. */
    @Override
    void close();
}
