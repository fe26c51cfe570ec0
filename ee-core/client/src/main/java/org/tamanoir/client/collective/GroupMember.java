package org.tamanoir.client.collective;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.collective.Element;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.FrameReader;
import org.tamanoir.collective.Frames;
import org.tamanoir.collective.Member;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Reduction;
import org.tamanoir.collective.Signature;

/**
 * A member of a group: one of {@code size} programs that do the same operations in the same order. For one thread at a time; each call waits for its operation.
 *
 * <pre>{@code
 * try (GroupMember member = GroupMember.join(client, new StreamRequest().via(node).to(root), "night", 1, 16, rank)) {
 *     double[] sums = member.allReduce(Reduction.SUM, values);
 *     member.barrier();
 *     member.leave();
 * }
 * }</pre>
 */
public final class GroupMember implements AutoCloseable {
    private static final Duration LEAVING = Duration.ofSeconds(10);

    private final ClientStream stream;
    private final Thread reading;
    private final Member member;
    private final FrameReader reader = new FrameReader();
    private boolean asked;
    private AnepException failure;
    private boolean ended;

    private GroupMember(ClientStream stream, Member member) {
        this.stream = stream;
        this.member = member;
        this.reading = new Thread(this::read, "collect");
        reading.setDaemon(true);
    }

    /**
     * Joins, and waits until all members are there.
     *
     * @param way   the node beside this program, and as its destination the root of the group, a node
     * @param epoch from 1; after a failure the next
     * @param rank  from 0, below {@code size}
     * @throws AnepException EE-318 if the rank is taken or the group has begun, EE-208 if somebody does not come in time, and whatever opening a stream throws
     */
    public static GroupMember join(TamanoirClient client, StreamRequest way, String group, long epoch, int size, int rank) throws InterruptedException {
        Member member = new Member(group, epoch, size, rank);
        GroupMember made = new GroupMember(client.open(way.services(BundledServices.typeId("collect"))), member);
        try {
            made.reading.start();
            made.send(member.join());
            synchronized (made) {
                while (!member.isReady()) {
                    made.check();
                    made.wait();
                }
            }
            return made;
        } catch (AnepException | InterruptedException e) {
            made.close();
            throw e;
        }
    }

    private void read() {
        try {
            for (ByteBuf octets = stream.receive(); octets != null; octets = stream.receive()) {
                synchronized (this) {
                    try {
                        reader.take(octets, member::receive);
                    } finally {
                        octets.release();
                    }
                    notifyAll();
                }
            }
            over(null);
        } catch (AnepException e) {
            over(e);
        } catch (InterruptedException | IllegalStateException e) {
            over(new AnepException(ErrorCode.STOPPING, "the stream was closed here", e));
        }
    }

    private synchronized void over(AnepException why) {
        ended = true;
        failure = why;
        notifyAll();
    }

    private synchronized void check() {
        if (member.failed() != null) {
            throw new GroupFailedException(member.failed());
        }
        if (ended) {
            throw failure != null ? failure : new AnepException(ErrorCode.CONNECTION_LOST, "the node has ended the stream");
        }
    }

    private void send(Frame frame) throws InterruptedException {
        ByteBuf octets = Unpooled.buffer(Frames.length(frame));
        Frames.write(frame, octets);
        try {
            stream.send(octets);
        } catch (AnepException e) {
            // What the node has said before is the reason.
            check();
            throw e;
        }
    }

    /**
     * Does the next operation of the group.
     *
     * @param own what this member brings
     * @throws GroupFailedException if somebody is missing
     */
    public Member.Result run(Signature signature, byte[] own) throws InterruptedException {
        Iterator<Piece> pieces;
        long number;
        synchronized (this) {
            check();
            pieces = member.begin(signature, own);
            number = member.begun();
        }
        while (pieces.hasNext()) {
            send(pieces.next());
        }
        synchronized (this) {
            Member.Result result = member.result(number);
            while (result == null) {
                check();
                wait();
                result = member.result(number);
            }
            asked = result.save();
            return result;
        }
    }

    /** Waits until all members are here. */
    public void barrier() throws InterruptedException {
        run(Signature.barrier(), new byte[0]);
    }

    /** Element by element, for all. @param values as many at each member */
    public double[] allReduce(Reduction reduction, double[] values) throws InterruptedException {
        ByteBuffer own = ByteBuffer.allocate(values.length * Double.BYTES);
        own.asDoubleBuffer().put(values);
        double[] result = new double[values.length];
        ByteBuffer.wrap(run(Signature.reduce(Element.FLOAT64, reduction, Signature.ALL), own.array()).octets()).asDoubleBuffer().get(result);
        return result;
    }

    /** Element by element, for all. @param values as many at each member */
    public long[] allReduce(Reduction reduction, long[] values) throws InterruptedException {
        ByteBuffer own = ByteBuffer.allocate(values.length * Long.BYTES);
        own.asLongBuffer().put(values);
        long[] result = new long[values.length];
        ByteBuffer.wrap(run(Signature.reduce(Element.INT64, reduction, Signature.ALL), own.array()).octets()).asLongBuffer().get(result);
        return result;
    }

    /** What all have, by rank. @param target who gets it, or {@link Signature#ALL} @return nothing for the others */
    public Map<Integer, byte[]> gather(int target, byte[] own) throws InterruptedException {
        return run(Signature.gather(target), own).all();
    }

    /** What one member has, for all. @param own of that member; others may pass null */
    public byte[] broadcast(int source, byte[] own) throws InterruptedException {
        return run(Signature.broadcast(source), own == null ? new byte[0] : own).octets();
    }

    /** Wants a cut: behind one of the next operations all are told to save what they know. */
    public void askForCut() throws InterruptedException {
        send(new Frame.Ask());
    }

    /** Whether a cut is behind the last operation: save what this program knows, then call {@link #saved}. */
    public synchronized boolean isCut() {
        return asked;
    }

    /** What this program knows behind its last operation is saved. */
    public void saved() throws InterruptedException {
        long number;
        synchronized (this) {
            number = member.begun();
            asked = false;
        }
        send(new Frame.Saved(number));
    }

    /** The operation behind which all have saved what they know, as far as this one has heard; 0 for none. All can go back to it. */
    public synchronized long safe() {
        return member.safe();
    }

    /** Waits until another operation is safe. @return {@link #safe} */
    public synchronized long awaitSafe(long number) throws InterruptedException {
        while (member.safe() < number) {
            check();
            wait();
        }
        return member.safe();
    }

    /** This member has done what it wanted; without this its end breaks the group. */
    public void leave() throws InterruptedException {
        send(new Frame.Leave());
        stream.finish();
        reading.join(LEAVING.toMillis());
    }

    /** Ends the stream, at once. */
    @Override
    public void close() {
        stream.close();
    }
}
