package org.tamanoir.cli.decode;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The octets that a text of hexadecimal digits stands for. White space, colons, and what follows a {@code #} in a line do not count. */
public final class HexInputStream extends InputStream {
    private final InputStream text;
    private int line = 1;

    public HexInputStream(InputStream text) {
        this.text = new BufferedInputStream(text);
    }

    @Override
    public int read() throws IOException {
        int high = digit();
        if (high < 0) {
            return -1;
        }
        int low = digit();
        if (low < 0) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the text ends after half an octet");
        }
        return high << 4 | low;
    }

    /** As many octets as the text has ready, at least one unless it is at its end. */
    @Override
    public int read(byte[] octets, int offset, int length) throws IOException {
        int count = 0;
        while (count < length && (count == 0 || text.available() > 0)) {
            int octet = read();
            if (octet < 0) {
                break;
            }
            octets[offset + count++] = (byte) octet;
        }
        return count == 0 && length > 0 ? -1 : count;
    }

    private int digit() throws IOException {
        boolean comment = false;
        while (true) {
            int character = text.read();
            if (character < 0) {
                return -1;
            }
            if (character == '\n') {
                line++;
                comment = false;
            } else if (character == '#') {
                comment = true;
            } else if (!comment && character != ':' && !Character.isWhitespace(character)) {
                int digit = character < 128 ? Character.digit(character, 16) : -1;
                if (digit < 0) {
                    throw new AnepException(ErrorCode.BAD_REQUEST, "line " + line + " holds something that is no hexadecimal digit");
                }
                return digit;
            }
        }
    }

    @Override
    public void close() throws IOException {
        text.close();
    }
}
