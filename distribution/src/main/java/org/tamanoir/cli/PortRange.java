package org.tamanoir.cli;

import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code HOST:PORT}, or {@code HOST:FIRST-LAST} for a range of ports.
 *
 * @param first with the first port
 * @param ports how many there are
 */
record PortRange(InetSocketAddress first, int ports) {
    /** Reads one. */
    static final class Converter implements ITypeConverter<PortRange> {
        @Override
        public PortRange convert(String text) {
            int colon = text.lastIndexOf(':');
            int hyphen = text.indexOf('-', Math.max(0, colon));
            InetSocketAddress first = new HostPort().convert(hyphen < 0 ? text : text.substring(0, hyphen));
            if (hyphen < 0) {
                return new PortRange(first, 1);
            }
            int last = new HostPort().convert(text.substring(0, colon + 1) + text.substring(hyphen + 1)).getPort();
            if (first.getPort() == 0 || last <= first.getPort()) {
                throw new TypeConversionException("ports " + first.getPort() + " to " + last + " are no range");
            }
            return new PortRange(first, last - first.getPort() + 1);
        }
    }
}
