package org.tamanoir.cli;

import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.wire.EventLoops;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code HOST:PORT}, {@code [IPv6]:PORT}; a host alone or {@code :PORT} where the option has presets is not accepted. */
public final class HostPort implements ITypeConverter<InetSocketAddress> {
    /** An address as it is written: the number, in brackets if it is IPv6, and the port. */
    public static String text(InetSocketAddress address) {
        return EventLoops.text(address);
    }

    @Override
    public InetSocketAddress convert(String text) {
        try {
            return NodeAddress.hostPort(text);
        } catch (AnepException e) {
            throw new TypeConversionException(e.text());
        }
    }
}
