package org.tamanoir.tests.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** Puts stars in the place of a word, wherever packets begin and end. */
@Component
public final class Redact implements ActiveService {
    private byte[] word;
    /** How much of the word's beginning is still there when this much of it turns out not to be followed by the rest. */
    private int[] border;

    @Override
    public void start(ServiceContext service) {
        word = service.configuration().text("word", "secret").getBytes(UTF_8);
        if (word.length == 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "word is empty");
        }
        border = new int[word.length];
        for (int length = 2; length < word.length; length++) {
            int shorter = border[length - 1];
            while (shorter > 0 && word[shorter] != word[length - 1]) {
                shorter = border[shorter];
            }
            border[length] = word[shorter] == word[length - 1] ? shorter + 1 : 0;
        }
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        if (stream.transport() == Transport.UDP) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "redact takes TCP alone: datagrams may be lost, and with them half a word");
        }
        return new RedactedStream();
    }

    private final class RedactedStream implements StreamHandler {
        /** Octets of the word that the last packet ended with: they wait for what follows. */
        private int matched;

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            ByteBuf from = packet.payload();
            if (!from.isReadable()) {
                return Verdict.PASS;
            }
            ByteBuf to = out.allocator().buffer(from.readableBytes() + word.length);
            while (from.isReadable()) {
                next(from.readByte(), to);
            }
            return emit(to, out);
        }

        private void next(byte octet, ByteBuf to) {
            while (matched > 0 && octet != word[matched]) {
                to.writeBytes(word, 0, matched - border[matched]);
                matched = border[matched];
            }
            if (octet != word[matched]) {
                to.writeByte(octet);
            } else if (++matched == word.length) {
                to.writeBytes("*".repeat(word.length).getBytes(UTF_8));
                matched = 0;
            }
        }

        @Override
        public void onEnd(Output out) {
            emit(out.allocator().buffer().writeBytes(word, 0, matched), out);
        }

        private static Verdict emit(ByteBuf to, Output out) {
            if (to.isReadable()) {
                out.emitPayload(to);
            } else {
                to.release();
            }
            return Verdict.TAKEN;
        }
    }
}
