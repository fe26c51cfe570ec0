package org.tamanoir.client;

import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions.ErrorReport;

/** A node, or the far end, has ended the stream with an error packet: its code and its words. */
public final class StreamRefusedException extends AnepException {
    public StreamRefusedException(ErrorCode code, String text) {
        this(code, text, null);
    }

    StreamRefusedException(ErrorCode code, String text, Throwable cause) {
        super(code, text, cause);
    }

    /** What a packet of Type ID 0 says, or null for a packet of another type. */
    public static StreamRefusedException in(Packet packet) {
        if (packet.typeId() != Anep.TYPE_ERROR) {
            return null;
        }
        if (!packet.has(OptionType.ERROR)) {
            return new StreamRefusedException(ErrorCode.INTERNAL, "an error packet that names no error");
        }
        ErrorReport report = packet.options().error();
        return new StreamRefusedException(report.code(), report.text());
    }
}
