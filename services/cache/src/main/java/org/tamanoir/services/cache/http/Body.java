package org.tamanoir.services.cache.http;

import io.netty.buffer.ByteBuf;

/** The content of one message (RFC 9112, section 6): where it ends, and which octets of it are data. */
public final class Body {
    /** Takes the data of a body, without what frames it. */
    @FunctionalInterface
    public interface Sink {
        /** Some octets of a buffer, which are lent for the call. */
        void data(ByteBuf from, int index, int length);
    }

    /** Who wants none of it. */
    public static final Sink NOBODY = (from, index, length) -> { };

    private static final String FRAMING = "transfer-encoding";
    private static final String LENGTH = "content-length";
    private static final String CHUNKED = "chunked";
    /** Digits of the size of a chunk, and octets of a line between chunks. */
    private static final int MOST_DIGITS = 15;
    private static final int MOST_LINE = 4096;
    private static final int HEX = 16;

    private enum Kind { LENGTH, CHUNKED, UNTIL_END }

    /** Where in a chunked body the next octet stands. */
    private enum Part { SIZE, EXTENSION, DATA, DATA_END, TRAILER }

    private final Kind kind;
    private final long length;
    private long left;
    private Part part = Part.SIZE;
    private int digits;
    private int line;
    private boolean afterReturn;
    private boolean done;

    private Body(Kind kind, long length) {
        this.kind = kind;
        this.length = length;
        this.left = kind == Kind.LENGTH ? length : 0;
        this.done = kind == Kind.LENGTH && length == 0;
    }

    /** The body of a request. */
    public static Body of(Head request) throws NotUnderstoodException {
        return framed(request, new Body(Kind.LENGTH, 0));
    }

    /** The body of an answer. */
    public static Body of(Head answer, String method) throws NotUnderstoodException {
        int status = answer.status();
        boolean isBare = method.equals("HEAD") || status < 200 || status == 204 || status == 304;
        Body framed = framed(answer, new Body(Kind.UNTIL_END, -1));
        return isBare ? new Body(Kind.LENGTH, 0) : framed;
    }

    private static Body framed(Head head, Body otherwise) throws NotUnderstoodException {
        String framing = head.value(FRAMING);
        if (framing != null) {
            if (head.has(LENGTH) || !framing.equalsIgnoreCase(CHUNKED) || head.first().equals("HTTP/1.0")) {
                throw new NotUnderstoodException("a body that is framed as " + framing);
            }
            return new Body(Kind.CHUNKED, -1);
        }
        String length = head.value(LENGTH);
        if (length == null) {
            return otherwise;
        }
        if (!length.matches("[0-9]{1,18}")) {
            throw new NotUnderstoodException("a length of " + length);
        }
        return new Body(Kind.LENGTH, Long.parseLong(length));
    }

    /** Octets of data; -1 if that is not known before the end. */
    public long length() {
        return length;
    }

    /** Whether only the end of the connection ends it. */
    public boolean isUntilEnd() {
        return kind == Kind.UNTIL_END;
    }

    /** Whether so many octets that come next are data. */
    public boolean isLeft(int octets) {
        return kind == Kind.UNTIL_END || kind == Kind.LENGTH && octets <= left;
    }

    public boolean isDone() {
        return done;
    }

    /** Takes its octets out of a buffer, up to its end; what is behind stays there. */
    public void take(ByteBuf from, Sink sink) throws NotUnderstoodException {
        while (!done && from.isReadable()) {
            switch (kind) {
                case UNTIL_END -> data(from, from.readableBytes(), sink);
                case LENGTH -> {
                    left -= data(from, left, sink);
                    done = left == 0;
                }
                case CHUNKED -> chunk(from, sink);
            }
        }
    }

    private static int data(ByteBuf from, long most, Sink sink) {
        int taken = (int) Math.min(most, from.readableBytes());
        sink.data(from, from.readerIndex(), taken);
        from.skipBytes(taken);
        return taken;
    }

    private void chunk(ByteBuf from, Sink sink) throws NotUnderstoodException {
        if (part == Part.DATA) {
            left -= data(from, left, sink);
            part = left == 0 ? Part.DATA_END : Part.DATA;
            return;
        }
        byte octet = from.readByte();
        if (afterReturn != (octet == '\n') || ++line > MOST_LINE) {
            throw new NotUnderstoodException("a line of a chunked body without its end");
        }
        afterReturn = octet == '\r';
        if (octet == '\n') {
            endOfLine();
        } else if (octet != '\r') {
            inLine(octet);
        }
    }

    private void inLine(byte octet) throws NotUnderstoodException {
        int digit = Character.digit(octet, HEX);
        if (part == Part.SIZE && digit >= 0) {
            left = HEX * left + digit;
            digits++;
        } else if (part == Part.SIZE && digits > 0 && (octet == ';' || octet == ' ' || octet == '\t')) {
            part = Part.EXTENSION;
        } else if (part != Part.EXTENSION && part != Part.TRAILER) {
            throw new NotUnderstoodException("an octet that no chunk has there: " + octet);
        }
        if (digits > MOST_DIGITS) {
            throw new NotUnderstoodException("a chunk of " + digits + " digits");
        }
    }

    private void endOfLine() throws NotUnderstoodException {
        boolean isEmpty = line == 2;
        line = 0;
        switch (part) {
            case DATA_END -> {
                if (!isEmpty) {
                    throw new NotUnderstoodException("a chunk that is longer than its size");
                }
                part = Part.SIZE;
                digits = 0;
                left = 0;
            }
            case TRAILER -> done = isEmpty;
            default -> {
                if (digits == 0) {
                    throw new NotUnderstoodException("a chunk without a size");
                }
                part = left == 0 ? Part.TRAILER : Part.DATA;
            }
        }
    }
}
