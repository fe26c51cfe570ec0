package org.tamanoir.transfer.wire;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.store.Store;

/**
 * What a copy asks a mover, and what that answers: one {@link Reply} for each {@link Request}, in the order of the requests, so that any number may be under way.
 * A request says all that it needs: a mover that was started again meanwhile answers as if it had not been. Paths are relative to the mover's root, with
 * {@code /} between the parts; empty is the root itself.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "is")
@JsonSubTypes({@JsonSubTypes.Type(value = Message.Hello.class, name = "hello"), @JsonSubTypes.Type(value = Message.Look.class, name = "look"),
    @JsonSubTypes.Type(value = Message.Read.class, name = "read"), @JsonSubTypes.Type(value = Message.Digest.class, name = "digest"),
    @JsonSubTypes.Type(value = Message.Begin.class, name = "begin"), @JsonSubTypes.Type(value = Message.Write.class, name = "write"),
    @JsonSubTypes.Type(value = Message.Put.class, name = "put"), @JsonSubTypes.Type(value = Message.Commit.class, name = "commit"),
    @JsonSubTypes.Type(value = Message.Directory.class, name = "directory"), @JsonSubTypes.Type(value = Message.Fetch.class, name = "fetch"),
    @JsonSubTypes.Type(value = Message.Need.class, name = "need"), @JsonSubTypes.Type(value = Message.Stripe.class, name = "stripe"), @JsonSubTypes.Type(value = Message.Enter.class, name = "enter"),
    @JsonSubTypes.Type(value = Message.Attach.class, name = "attach"), @JsonSubTypes.Type(value = Message.Pull.class, name = "pull"),
    @JsonSubTypes.Type(value = Message.Pulled.class, name = "pulled"), @JsonSubTypes.Type(value = Message.Lost.class, name = "lost"),
    @JsonSubTypes.Type(value = Message.Done.class, name = "done"), @JsonSubTypes.Type(value = Message.Fetching.class, name = "fetching"),
    @JsonSubTypes.Type(value = Message.Fetched.class, name = "fetched"),
    @JsonSubTypes.Type(value = Message.Busy.class, name = "busy"), @JsonSubTypes.Type(value = Message.Octets.class, name = "octets"), @JsonSubTypes.Type(value = Message.Entries.class, name = "entries"),
    @JsonSubTypes.Type(value = Message.Missing.class, name = "missing"), @JsonSubTypes.Type(value = Message.Sums.class, name = "sums"),
    @JsonSubTypes.Type(value = Message.Failed.class, name = "failed")})
public sealed interface Message {
    /** What a copy says. */
    sealed interface Request extends Message {
    }

    /** What a mover says. */
    sealed interface Reply extends Message {
    }

    /** The first of each stream. @param version {@link MessageStream#VERSION} @param copy names the copy that the stream belongs to @param token empty for none */
    record Hello(int version, String copy, String token) implements Request {
    }

    /** What is there. Answered by {@link Entries}. @param deep whether of a directory all that is in it is, too */
    record Look(String path, boolean deep) implements Request {
    }

    /** An extent of a file that is still what it was. Answered by {@link Octets}. */
    record Read(String path, FileStamp stamp, Extent extent) implements Request {
    }

    /** SHA-256 of a file that is still what it was. Answered by {@link Sums}. */
    record Digest(String path, FileStamp stamp) implements Request {
    }

    /** Begins a file, or goes on with it. Answered by {@link Missing}. @param piece octets of an extent */
    record Begin(String path, FileStamp stamp, int piece) implements Request {
    }

    /** An extent of a file, which follows. Answered by {@link Done} when it is on the disk. @param sparse whether it has holes, see {@link Content} */
    record Write(String path, FileStamp stamp, long offset, boolean sparse) implements Request {
    }

    /** A whole file, which follows. Answered by {@link Done} when it is on the disk and has its name. @param sparse whether it has holes, see {@link Content} */
    record Put(String path, FileStamp stamp, boolean sparse) implements Request {
    }

    /** Gives a file its name, all of which is there. Answered by {@link Sums}. @param sha256 in hexadecimal, what it must be, or its ADLER32; empty if nobody asks */
    record Commit(String path, FileStamp stamp, String sha256) implements Request {
    }

    /**
     * An extent, which follows, of a file that another mover of the same file system has begun and keeps the journal of. Answered by {@link Done} when it is on the
     * disk. @param inode number of the part's, by which both know that they mean the same @param sparse whether it has holes, see {@link Content}
     */
    record Stripe(String path, FileStamp stamp, long inode, long offset, boolean sparse) implements Request {
    }

    /**
     * Enters in the journal an extent that another mover has brought to the disk. Answered by {@link Done}.
     *
     * @param inode number of the part's @param crc CRC-32C of the extent @param adler ADLER32 of it
     */
    record Enter(String path, FileStamp stamp, long inode, Extent extent, int crc, int adler) implements Request {
    }

    /** Which mover {@link Pull}s are from: {@link PullOrder}, as JSON, is the octets that follow. Answered by {@link Done} when it has been reached. */
    record Attach() implements Request {
    }

    /**
     * Fetches an extent of a file of the other mover, as {@link Stripe}, or all of a small file, as {@link Put}. Answered by {@link Pulled}, or {@link Lost}.
     *
     * @param from path of the file there @param inode number of the part's @param small whether the extent is all of it
     */
    record Pull(String from, String path, FileStamp stamp, long inode, Extent extent, boolean small) implements Request {
    }

    /** Makes a directory, with those above it. @param last whether it is to get its marks, as nothing more comes into it */
    record Directory(String path, FileStamp stamp, boolean last) implements Request {
    }

    /** What a {@link Fetch} that is under way needs from now on, octets a second. Answered by {@link Done} when that is over. */
    record Need(long rate) implements Request {
    }

    /**
     * Copies from another mover to this one, or the other way, which runs the copy itself: {@link FetchOrder}, as JSON, is the octets that follow. Answered by {@link Fetching} every
     * second, and {@link Fetched} in the end. A fetch ends with the stream that asked for it, and when the copy that the stream belongs to asks anew.
     */
    record Fetch() implements Request {
    }

    record Done() implements Reply {
    }

    /**
     * How far a fetch is.
     *
     * @param files that are complete @param ofFiles that are to be copied; 0 until both ends have been looked at @param octets of those
     * @param moved octets that have gone over @param resumed octets that an earlier copy had brought
     */
    record Fetching(long files, long ofFiles, long octets, long moved, long resumed) implements Reply {
        public static final Fetching NOTHING = new Fetching(0, 0, 0, 0, 0);
    }

    /** A fetch is over: its report, as JSON, is the octets that follow. */
    record Fetched() implements Reply {
    }

    /** What was pulled is on the disk. @param moved octets that went over, which are less where there are holes @param crc CRC-32C of it @param adler ADLER32 of it */
    record Pulled(int moved, int crc, int adler) implements Reply {
    }

    /** The other mover cannot be reached any more. @param code the number of an ErrorCode */
    record Lost(int code, String text) implements Reply {
    }

    /** The answer comes later; said now and then, so that nobody takes the stream for dead. */
    record Busy() implements Reply {
    }

    /** The extent follows. @param sparse whether it has holes, see {@link Content} */
    record Octets(boolean sparse) implements Reply {
    }

    /** Some of what there is: {@link EntryList}, as JSON, is the octets that follow. @param more whether another reply of this kind comes */
    record Entries(boolean more) implements Reply {
    }

    /** The extents that are not there are the octets that follow: offset u64 and length u32 of each. @param resumed octets that were there @param inode number of the part's */
    record Missing(long resumed, long inode) implements Reply {
    }

    /** @param adler ADLER32 of the whole, as eight hexadecimal digits; empty where it was not asked for @param sha256 the same */
    record Sums(String adler, String sha256) implements Reply {
    }

    /** @param code the number of an ErrorCode */
    record Failed(int code, String text) implements Reply {
    }

    /** For {@link Entries}. */
    record EntryList(List<Store.Entry> entries) {
    }
}
