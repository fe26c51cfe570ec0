package org.tamanoir.http.fetch;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;

/** What was packed by gzip, and no more of it than is allowed: a few octets may have been millions. */
final class Unpacked extends FilterInputStream {
    private final Supplier<RuntimeException> tooLong;
    private long left;

    Unpacked(InputStream packed, long limit, Supplier<RuntimeException> tooLong) throws IOException {
        super(new GZIPInputStream(packed));
        this.left = limit;
        this.tooLong = tooLong;
    }

    @Override
    public int read() throws IOException {
        int octet = super.read();
        count(octet < 0 ? 0 : 1);
        return octet;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        int read = super.read(to, offset, length);
        count(Math.max(0, read));
        return read;
    }

    private void count(int octets) {
        left -= octets;
        if (left < 0) {
            throw tooLong.get();
        }
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
