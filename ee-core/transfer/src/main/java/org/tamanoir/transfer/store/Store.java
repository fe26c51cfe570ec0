package org.tamanoir.transfer.store;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;

/**
 * A directory that files are copied from or to; paths are relative to it, with {@code /} between the parts, and empty for itself. What fails does so with an
 * {@link org.tamanoir.anep.AnepException}: EE-108 for a path that is none, EE-407 for what is not there, EE-409 for what the disk does not let,
 * EE-752 for a file that is no longer what its stamp says.
 */
public interface Store {
    /**
     * What stands under a name.
     *
     * @param path of it
     * @param type what is not a file or a directory, a link too, is not copied
     */
    record Entry(String path, Type type, FileStamp stamp) {
        /** What it is. */
        public enum Type {
            FILE, DIRECTORY, OTHER
        }
    }

    /** What a file that has been begun lacks. @param resumed octets that were there @param inode number of the part's; 0 if it is complete */
    record Begun(long resumed, long inode, List<Extent> missing) {
    }

    /** A file that has got its name. @param adler of the whole, as eight hexadecimal digits @param sha256 in hexadecimal; null if nobody asked for it */
    record Committed(String adler, String sha256) {
    }

    /** What stands there, and, if asked for, all that is in it at any depth, in the order of the paths; nothing, if nothing is there. */
    List<Entry> look(String path, boolean deep);

    /** SHA-256 of a file, in hexadecimal. */
    String digest(String path, FileStamp stamp);

    /** Begins a file, or goes on with it. @param piece octets of an extent of what is missing */
    Begun begin(String path, FileStamp stamp, int piece);

    /**
     * Gives a file its name, all of which is there.
     *
     * @param sum what it must be, or EE-505 and it is thrown away: SHA-256, or ADLER32 ({@link org.tamanoir.transfer.Adler#text}); null if nobody asks
     */
    Committed commit(String path, FileStamp stamp, String sum);

    /** Makes a directory, and those above it. @param last whether nothing more comes into it, and it gets the marks of the stamp */
    void directory(String path, FileStamp stamp, boolean last);

    /** One whose octets can be had and given, too. */
    interface Octets extends Store {
        /** Reads an extent. @param into a buffer with room for it, which the result stands in */
        Content read(String path, FileStamp stamp, Extent extent, ByteBuffer into);

        /** Writes an extent of a file, which is read before this returns; the stage completes when it is on the disk. */
        CompletionStage<Void> write(String path, FileStamp stamp, long offset, Content content);

        /**
         * Writes an extent, which is read before this returns, of a file that another machine has begun in the same file system; the stage completes when it is on
         * the disk. @param inode number of the part's as that machine knows it
         */
        CompletionStage<Void> stripe(String path, FileStamp stamp, long inode, long offset, Content content);

        /**
         * Enters an extent that another machine has brought to the disk; the stage completes when it counts.
         *
         * @param inode number of the part's that it is in @param crc CRC-32C of it @param adler ADLER32 of it
         */
        CompletionStage<Void> enter(String path, FileStamp stamp, long inode, Extent extent, int crc, int adler);

        /** Writes a whole file; the stage completes when it is on the disk and has its name. */
        CompletionStage<Void> put(String path, FileStamp stamp, Content content);
    }
}
