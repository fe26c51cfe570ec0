package org.tamanoir.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The open TCP flows of this network namespace, as {@code /proc/net/tcp} and {@code tcp6} tell everybody (proc(5)). */
final class HostFlows {
    private static final String ESTABLISHED = "01";
    private static final int MOST = 100_000;

    private HostFlows() {
    }

    /** Both ends of a flow. */
    record Ends(InetSocketAddress local, InetSocketAddress remote) {
    }

    /** At most 100,000. @param net the directory with both files */
    static List<Ends> open(Path net) {
        List<Ends> flows = new ArrayList<>();
        for (String name : List.of("tcp", "tcp6")) {
            Path file = net.resolve(name);
            if (!Files.exists(file)) {
                continue;
            }
            try (Stream<String> lines = Files.lines(file)) {
                lines.skip(1).map(line -> line.strip().split("\\s+")).filter(words -> words.length > 3 && words[3].equals(ESTABLISHED)).limit(MOST - flows.size())
                        .forEach(words -> flows.add(new Ends(end(words[1]), end(words[2]))));
            } catch (IOException e) {
                throw new AnepException(ErrorCode.NOT_FOUND, "the kernel does not tell its TCP flows: " + AnepException.reason(e), e);
            }
        }
        return flows;
    }

    /** {@code 0100007F:1F90}: words of 32 bits as the machine has them in memory, and a port. */
    private static InetSocketAddress end(String text) {
        int colon = text.indexOf(':');
        byte[] octets = HexFormat.of().parseHex(text.substring(0, colon));
        ByteBuffer words = ByteBuffer.wrap(octets);
        ByteBuffer address = ByteBuffer.allocate(octets.length).order(ByteOrder.nativeOrder());
        while (words.hasRemaining()) {
            address.putInt(words.getInt());
        }
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address.array()), Integer.parseInt(text.substring(colon + 1), 16));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of " + octets.length + " octets", e);
        }
    }
}
