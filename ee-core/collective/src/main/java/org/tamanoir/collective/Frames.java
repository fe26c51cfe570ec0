package org.tamanoir.collective;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Piece.Way;

/** Frames as octets: a length of 4, one that says what it is, and its fields. The table is in services/collect/README.md. */
public final class Frames {
    /** Octets in front of the fields: the length, which does not count itself, and the kind. */
    static final int HEAD = 5;
    /** Octets behind the length: the fields of the longest frame. */
    static final int LONGEST = 1 + 36 + Piece.LONGEST;
    /** Of any text but a name. */
    static final int LONGEST_TEXT = 1000;
    private static final int PIECE = 36;
    private static final int VERSION = 1;
    private static final int JOIN = 1;
    private static final int READY = 2;
    private static final int GONE = 3;
    private static final int FAILED = 4;
    private static final int LEAVE = 8;
    private static final int ASK = 9;
    private static final int SAVED = 10;
    private static final int SAFE = 11;
    private static final int WHO = 12;
    private static final int MISSING = 13;
    private static final int REFUSED = 14;

    private Frames() {
    }

    /** Octets that {@link #write} writes, about: exactly for a piece, at least so many otherwise. */
    public static int length(Frame frame) {
        return frame instanceof Piece piece ? HEAD + PIECE + piece.data().length : HEAD;
    }

    /** Writes a frame behind what is there. */
    public static void write(Frame frame, ByteBuf out) {
        int start = out.writerIndex();
        out.writeInt(0);
        if (frame instanceof Piece piece) {
            out.writeByte(piece.way().code());
            write(piece, out);
        } else if (frame instanceof Frame.Join join) {
            out.writeByte(JOIN).writeByte(VERSION).writeByte(join.node() ? 1 : 0).writeInt((int) join.epoch()).writeInt(join.size());
            text(join.name(), out);
            ranks(join.ranks(), out);
        } else if (frame instanceof Frame.Gone gone) {
            out.writeByte(GONE).writeShort(gone.code());
            ranks(gone.ranks(), out);
            text(gone.text(), out);
        } else if (frame instanceof Frame.Refused refused) {
            out.writeByte(REFUSED).writeShort(refused.code());
            ranks(refused.ranks(), out);
            text(refused.text(), out);
        } else if (frame instanceof Frame.Failed failed) {
            out.writeByte(FAILED).writeShort(failed.code()).writeLong(failed.safe());
            ranks(failed.ranks(), out);
            text(failed.text(), out);
        } else if (frame instanceof Frame.Saved saved) {
            out.writeByte(SAVED).writeLong(saved.number());
        } else if (frame instanceof Frame.Safe safe) {
            out.writeByte(SAFE).writeLong(safe.number());
        } else if (frame instanceof Frame.Who who) {
            out.writeByte(WHO).writeLong(who.number()).writeInt(who.millis());
        } else if (frame instanceof Frame.Missing missing) {
            out.writeByte(MISSING);
            ranks(missing.ranks(), out);
        } else {
            out.writeByte(frame instanceof Frame.Ready ? READY : frame instanceof Frame.Leave ? LEAVE : ASK);
        }
        out.setInt(start, out.writerIndex() - start - Integer.BYTES);
    }

    private static void write(Piece piece, ByteBuf out) {
        Signature signature = piece.signature();
        out.writeByte(piece.flags()).writeByte(signature.operation().code()).writeByte(signature.element() == null ? 0 : signature.element().code())
                .writeByte(signature.reduction() == null ? 0 : signature.reduction().code()).writeLong(piece.number()).writeInt(signature.argument()).writeInt(piece.rank())
                .writeLong(piece.total()).writeLong(piece.offset()).writeBytes(piece.data());
    }

    private static void text(String text, ByteBuf out) {
        byte[] octets = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(octets.length, LONGEST_TEXT);
        out.writeShort(length).writeBytes(octets, 0, length);
    }

    private static void ranks(Ranks ranks, ByteBuf out) {
        byte[] octets = ranks.octets();
        int skipped = 0;
        while (skipped < octets.length && octets[skipped] == 0) {
            skipped++;
        }
        out.writeShort(skipped).writeShort(octets.length - skipped).writeBytes(octets, skipped, octets.length - skipped);
    }

    /** Reads the octets behind the length. @throws AnepException EE-109 */
    static Frame read(ByteBuffer in) {
        try {
            Frame frame = fields(in);
            if (in.hasRemaining()) {
                throw bad(in.remaining() + " octets behind the fields of a frame");
            }
            return frame;
        } catch (java.nio.BufferUnderflowException e) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a frame is shorter than its fields", e);
        }
    }

    private static Frame fields(ByteBuffer in) {
        int kind = in.get() & 0xFF;
        switch (kind) {
            case JOIN -> {
                return join(in);
            }
            case READY -> {
                return new Frame.Ready();
            }
            case GONE, REFUSED -> {
                int code = in.getShort() & 0xFFFF;
                Ranks ranks = ranks(in);
                return kind == GONE ? new Frame.Gone(code, ranks, text(in)) : new Frame.Refused(code, ranks, text(in));
            }
            case FAILED -> {
                int code = in.getShort() & 0xFFFF;
                long safe = in.getLong();
                return new Frame.Failed(code, safe, ranks(in), text(in));
            }
            case LEAVE -> {
                return new Frame.Leave();
            }
            case ASK -> {
                return new Frame.Ask();
            }
            case SAVED -> {
                return new Frame.Saved(in.getLong());
            }
            case SAFE -> {
                return new Frame.Safe(in.getLong());
            }
            case WHO -> {
                return new Frame.Who(in.getLong(), in.getInt());
            }
            case MISSING -> {
                return new Frame.Missing(ranks(in));
            }
            default -> {
                for (Way way : Way.values()) {
                    if (way.code() == kind) {
                        return piece(way, in);
                    }
                }
                throw bad("frames of kind " + kind + " are not known");
            }
        }
    }

    private static Frame join(ByteBuffer in) {
        int version = in.get();
        if (version != VERSION) {
            throw bad("version " + version + "; this is " + VERSION);
        }
        int node = in.get();
        long epoch = in.getInt() & 0xFFFF_FFFFL;
        int size = in.getInt();
        String name = text(in);
        Ranks ranks = ranks(in);
        boolean blank = name.isEmpty() || name.length() > Frame.Join.LONGEST_NAME || name.chars().anyMatch(each -> each <= ' ' || each == 0x7F);
        if (node < 0 || node > 1 || epoch < 1 || size < 1 || size > Ranks.MOST || blank || ranks.isEmpty() || ranks.end() > size || node == 0 && ranks.count() != 1) {
            throw bad("a member joins with a name of 1 to " + Frame.Join.LONGEST_NAME + " characters without blanks, an epoch from 1, a size from 1 to " + Ranks.MOST
                    + " and one rank below it");
        }
        return new Frame.Join(node == 1, epoch, size, name, ranks);
    }

    private static Piece piece(Way way, ByteBuffer in) {
        int flags = in.get();
        Operation operation = Operation.of(in.get());
        int element = in.get();
        int reduction = in.get();
        long number = in.getLong();
        Signature signature = new Signature(operation, Element.of(element), Reduction.of(reduction), in.getInt());
        int rank = in.getInt();
        long total = in.getLong();
        long offset = in.getLong();
        byte[] data = new byte[in.remaining()];
        in.get(data);
        if (operation == null || element != 0 && signature.element() == null || reduction != 0 && signature.reduction() == null || !signature.isValid(Ranks.MOST)) {
            throw bad("a piece of an operation that is not known, or of what it cannot combine");
        }
        if (number < 1 || rank < 0 || total < 0 || offset < 0 || offset > total || data.length != Math.min(Piece.LONGEST, total - offset) || offset % Piece.LONGEST != 0
                || total > 0 && offset == total) {
            throw bad("octets " + offset + " to " + (offset + data.length) + " of " + total + " are no piece of operation " + number);
        }
        return new Piece(way, flags, signature, number, rank, total, offset, data);
    }

    private static String text(ByteBuffer in) {
        int length = in.getShort() & 0xFFFF;
        if (length > LONGEST_TEXT) {
            throw bad("a text of " + length + " octets");
        }
        byte[] octets = new byte[length];
        in.get(octets);
        return new String(octets, StandardCharsets.UTF_8);
    }

    private static Ranks ranks(ByteBuffer in) {
        int skipped = in.getShort() & 0xFFFF;
        int length = in.getShort() & 0xFFFF;
        if (skipped + length > Ranks.MOST / Byte.SIZE) {
            throw bad("ranks beyond " + Ranks.MOST);
        }
        byte[] octets = new byte[skipped + length];
        in.get(octets, skipped, length);
        return Ranks.of(octets);
    }

    private static AnepException bad(String text) {
        return new AnepException(ErrorCode.BAD_CONTENT, text);
    }
}
