package org.tamanoir.cli.decode;

import java.io.IOException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;

/** A form to print packets in: {@link #begin}, each packet, {@link #end}. Nothing of a packet is kept. */
public interface PacketPrinter {
    void begin() throws IOException;

    /** @param offset octets of the input before the packet */
    void packet(long offset, Packet packet) throws IOException;

    /**
     * @param offset octets that were packets
     * @param error  why there are no more, or null if the input is at its end
     */
    void end(long offset, AnepException error) throws IOException;

    /** Hands on what the printer itself holds back. */
    void flush();
}
