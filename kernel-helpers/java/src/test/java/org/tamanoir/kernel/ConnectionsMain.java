package org.tamanoir.kernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.kernel.LightConnections.LightConnection;
import org.tamanoir.service.rule.Prefix;

/**
 * Light connections in a process of their own. Reads commands: {@code replace NAME,SOURCE,LISTEN,PORT,TO,PORT,DSCP ...} (an empty field is
 * null), {@code counters NAME}, {@code close}. Answers each with a line: {@code done}, the counters, or the error.
 */
final class ConnectionsMain {
    private ConnectionsMain() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        try (Kernel kernel = Kernel.open(new KernelOptions(1, 3322, 0, 16, 16, false));
                LightConnections connections = new LightConnections(kernel, 3322)) {
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                try {
                    System.out.println(run(connections, line));
                } catch (RuntimeException e) {
                    System.out.println("error " + e.getMessage());
                }
            }
        }
    }

    private static String run(LightConnections connections, String line) {
        String[] words = line.split(" ");
        switch (words[0]) {
            case "replace" -> connections.replace(Arrays.stream(words).skip(1).map(ConnectionsMain::connection).toList());
            case "counters" -> {
                return "counters " + connections.counters().get(words[1]);
            }
            case "close" -> connections.close();
            default -> throw new IllegalArgumentException(line);
        }
        return "done";
    }

    private static LightConnection connection(String text) {
        List<String> fields = List.of(text.split(",", -1));
        return new LightConnection(fields.get(0), fields.get(1).isEmpty() ? null : Prefix.parse(fields.get(1)),
                end(fields.get(2), fields.get(3)), end(fields.get(4), fields.get(5)),
                fields.get(6).isEmpty() ? null : Integer.valueOf(fields.get(6)));
    }

    private static InetSocketAddress end(String address, String port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), Integer.parseInt(port));
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
