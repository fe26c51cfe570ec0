package org.tamanoir.client;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
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
        ErrorReport report = ErrorReport.in(packet);
        return report == null ? null : new StreamRefusedException(report.code(), report.text());
    }
}
