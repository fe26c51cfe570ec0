package org.tamanoir.cli;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that the source and the receivers of a session have in common. */
final class GroupOptions {
    @Option(names = "--group", required = true, paramLabel = "ADDRESS[:PORT]", converter = GroupAddress.class,
            description = "The group: a multicast address such as 239.1.2.3 or [ff15::1]:5405; without a port, 5405 is used.")
    private InetSocketAddress group;

    @Option(names = "--via", paramLabel = "HOST:PORT", converter = HostPort.class,
            description = "The node of this site. Default: none, which is IP multicast end to end.")
    private InetSocketAddress via;

    @Option(names = "--interface", paramLabel = "DEV", description = "The network interface for multicast. Default: chosen by this machine's routes.")
    private String networkInterface;

    @Option(names = "--secret", paramLabel = "FILE", description = "File with the secret that source and receivers share. Default: none; packets are then protected against damage but not against forgery.")
    private Path secret;

    InetSocketAddress group() {
        return group;
    }

    InetSocketAddress via() {
        return via;
    }

    String networkInterface() {
        return networkInterface;
    }

    /** The octets of the file but for the ends of lines at its end; none if there is no file. @throws AnepException EE-501 */
    byte[] secret() {
        if (secret == null) {
            return new byte[0];
        }
        try {
            byte[] octets = Files.readAllBytes(secret);
            int length = octets.length;
            while (length > 0 && (octets[length - 1] == '\n' || octets[length - 1] == '\r')) {
                length--;
            }
            if (length == 0) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the secret in '" + secret + "' is empty");
            }
            return Arrays.copyOf(octets, length);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the secret's file '" + secret + "' cannot be read: "
                    + AnepException.reason(e), e);
        }
    }

    /** {@code 239.1.2.3}, {@code 239.1.2.3:5405}, {@code [ff15::1]:5405}: a multicast address and a port. */
    static final class GroupAddress implements ITypeConverter<InetSocketAddress> {
        static final int PORT = 5405;

        private static final Pattern FORM = Pattern.compile("(?:\\[([0-9a-fA-F:.]+)]|([0-9.]+))(?::(\\d{1,5}))?");

        @Override
        public InetSocketAddress convert(String text) {
            Matcher form = FORM.matcher(text);
            if (form.matches()) {
                InetAddress address = NetUtil.createInetAddressFromIpAddressString(form.group(1) != null ? form.group(1) : form.group(2));
                int port = form.group(3) == null ? PORT : Integer.parseInt(form.group(3));
                if (address != null && address.isMulticastAddress() && port >= 1 && port <= 65535) {
                    return new InetSocketAddress(address, port);
                }
            }
            throw new TypeConversionException("'" + text + "' is no group: write a multicast address such as 239.1.2.3, 239.1.2.3:" + PORT
                    + " or [ff15::1]:" + PORT);
        }
    }
}
