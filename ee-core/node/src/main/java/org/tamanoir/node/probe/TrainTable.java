package org.tamanoir.node.probe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.tamanoir.kernel.DatagramBatch;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/**
 * All trains under way. No input or output: {@link #write} fills a batch with the probes that are due, {@link #sent} is told what became of
 * them, {@link #received} gets what comes back, {@link #end} ends what is complete or out of patience. Times are of a steady clock.
 *
 * <p>A probe is known by its number: trains begin at numbers that nobody guesses, and no two have one in common. The time in it, which comes
 * back too, the session and the address must be right as well.
 */
final class TrainTable {
    private final RandomGenerator secret;
    /** By the first number, unsigned. */
    private final TreeMap<Integer, RunningTrain> running = new TreeMap<>(Integer::compareUnsigned);
    private final NavigableSet<RunningTrain> byDue = new TreeSet<>(Comparator.comparingLong(RunningTrain::due)
            .thenComparing(RunningTrain::first, Integer::compareUnsigned));
    private final List<RunningTrain> over = new ArrayList<>();
    private final byte[] padding = new byte[Train.MOST_OCTETS];
    private RunningTrain[] owners = new RunningTrain[0];
    private int[] numbers = new int[0];
    private int written;

    /** @param secret of numbers and sessions */
    TrainTable(RandomGenerator secret) {
        this.secret = secret;
        // What cannot be compressed on the way (RFC 8972 section 4.1); it is no secret.
        new SplittableRandom(secret.nextLong()).nextBytes(padding);
    }

    /** A new one; its first probe is due at once. */
    void add(Train train, Consumer<Answers> done, long now) {
        int first;
        do {
            first = secret.nextInt();
        } while (!free(first));
        RunningTrain added = new RunningTrain(train, done, 1 + secret.nextInt(0xFFFF), first, now);
        running.put(first, added);
        byDue.add(added);
    }

    /** Whether no number of a train that begins there is another's, and the last is not beyond the last of 32 bits. */
    private boolean free(int first) {
        if (Integer.compareUnsigned(first, -Train.MOST_PACKETS) > 0) {
            return false;
        }
        Integer before = running.floorKey(first + Train.MOST_PACKETS - 1);
        return before == null || Integer.compareUnsigned(before + Train.MOST_PACKETS - 1, first) < 0;
    }

    int count() {
        return running.size();
    }

    /** When something is due; {@link Long#MAX_VALUE} for never. */
    long next() {
        return byDue.isEmpty() ? Long.MAX_VALUE : byDue.first().due();
    }

    /** Writes the probes that are due into a batch, those of one train in their order. @return how many */
    int write(DatagramBatch batch, int errorEstimate, long now) {
        if (owners.length < batch.capacity()) {
            owners = new RunningTrain[batch.capacity()];
            numbers = new int[batch.capacity()];
        }
        written = 0;
        while (!byDue.isEmpty() && byDue.first().due() <= now && written < batch.capacity()) {
            RunningTrain train = byDue.pollFirst();
            while (!train.allSent() && train.due() <= now && written < batch.capacity()) {
                owners[written] = train;
                numbers[written] = train.write(batch, written, errorEstimate, padding);
                written++;
                train.advance(now);
            }
            if (train.allSent() && train.due() <= now) {
                over.add(train);
            } else {
                byDue.add(train);
            }
        }
        return written;
    }

    /** What became of the batch that was written last. @param offset of the wall clock before the steady one, nanoseconds */
    void sent(DatagramBatch batch, long offset) {
        for (int i = 0; i < written; i++) {
            owners[i].sent(numbers[i], batch.time(i) != 0, batch.octets().getLong(batch.at(i) + Stamp.TIME), offset);
            owners[i] = null;
        }
        written = 0;
    }

    /** Takes what has come. @return whether it answers a probe under way */
    boolean received(DatagramBatch batch, int i, long offset) {
        if (batch.cut(i) || batch.length(i) < Stamp.LEAST_REFLECTED) {
            return false;
        }
        var found = running.floorEntry(batch.octets().getInt(batch.at(i) + Stamp.SENDER_NUMBER));
        if (found == null || !found.getValue().take(batch, i, offset)) {
            return false;
        }
        if (found.getValue().complete() && byDue.remove(found.getValue())) {
            over.add(found.getValue());
        }
        return true;
    }

    /** Ends what is complete and what has no patience left, and tells those who wait. */
    void end(long now) {
        while (!byDue.isEmpty() && byDue.first().allSent() && byDue.first().due() <= now) {
            over.add(byDue.pollFirst());
        }
        List<RunningTrain> ended = List.copyOf(over);
        over.clear();
        ended.forEach(train -> running.remove(train.first()));
        ended.forEach(RunningTrain::finish);
    }
}
