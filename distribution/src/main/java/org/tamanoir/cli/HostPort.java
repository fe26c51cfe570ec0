package org.tamanoir.cli;

import java.net.InetSocketAddress;
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
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            throw new TypeConversionException("'" + text + "' is not HOST:PORT");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new TypeConversionException("write an IPv6 address as [" + host + "]:PORT");
        }
        int port;
        try {
            port = Integer.parseInt(text.substring(colon + 1));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is not HOST:PORT");
        }
        if (port < 0 || port > 65535) {
            throw new TypeConversionException("port " + port + " is not between 0 and 65535");
        }
        return new InetSocketAddress(host, port);
    }
}
