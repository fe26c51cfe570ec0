package org.tamanoir.cluster.nft;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/**
 * A back end that says its name: over TCP once for each line, over UDP once for each datagram, both on port 3322; {@code GET /health} on 3380 is 200.
 * Arguments: its name.
 */
final class BackEndMain {
    private static final String HEALTHY = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

    private BackEndMain() {
    }

    public static void main(String[] arguments) throws Exception {
        byte[] name = arguments[0].getBytes(StandardCharsets.UTF_8);
        ServerSocket streams = new ServerSocket(3322, 1000);
        ServerSocket health = new ServerSocket(3380, 100);
        DatagramSocket datagrams = new DatagramSocket(3322);
        run(() -> {
            while (true) {
                Socket socket = streams.accept();
                run(() -> answer(socket, arguments[0]));
            }
        });
        run(() -> {
            while (true) {
                try (Socket socket = health.accept()) {
                    socket.getInputStream().read(new byte[4096]);
                    socket.getOutputStream().write(HEALTHY.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    System.err.println("who asked has gone: " + e.getMessage());
                }
            }
        });
        System.out.println("ready");
        DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
        while (true) {
            datagrams.receive(packet);
            datagrams.send(new DatagramPacket(name, name.length, packet.getSocketAddress()));
        }
    }

    private static Void answer(Socket socket, String name) throws IOException {
        try (socket) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            PrintStream out = new PrintStream(socket.getOutputStream(), true, StandardCharsets.UTF_8);
            while (in.readLine() != null) {
                out.print(name + "\n");
                out.flush();
            }
        }
        return null;
    }

    private static void run(Callable<Void> task) {
        Thread thread = new Thread(() -> {
            try {
                task.call();
            } catch (Exception e) {
                System.err.println(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
