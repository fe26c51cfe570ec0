package org.tamanoir.cli;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 239.1.2.3}, {@code 239.1.2.3:5405}, {@code [ff15::1]:5405}: a multicast address and a port. */
final class GroupAddress implements ITypeConverter<InetSocketAddress> {
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
