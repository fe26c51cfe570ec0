package org.tamanoir.kernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/**
 * Connections of a client in a process of its own. Reads lines {@code ADDRESS PORT OCTETS}; answers {@code peer ADDRESS OCTETS}: the address
 * that the server saw, and how many octets came back; or {@code error}.
 */
final class CallMain {
    private static final int PATIENCE_MS = 3_000;

    private CallMain() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(words[0], Integer.parseInt(words[1])), PATIENCE_MS);
                socket.setSoTimeout(PATIENCE_MS);
                BufferedReader server = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                String peer = server.readLine();
                socket.getOutputStream().write("x".repeat(Integer.parseInt(words[2])).getBytes());
                socket.shutdownOutput();
                int octets = 0;
                while (server.read() >= 0) {
                    octets++;
                }
                System.out.println("peer " + peer + " " + octets);
            } catch (SocketException | java.net.SocketTimeoutException e) {
                System.out.println("error " + e.getMessage());
            }
        }
    }
}
