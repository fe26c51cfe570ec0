package org.tamanoir.lab;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The programs that tests run inside hosts: a TCP echo and its client, a UDP sender and its receiver. */
final class Probe {
    static final int CONNECT_MILLIS = 2_000;

    private Probe() {
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "echo" -> echo();
            case "ask" -> ask(arguments[1], Integer.parseInt(arguments[2]), arguments[3]);
            case "receive" -> receive();
            case "send" -> send(arguments[1], Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Prints {@code PORT n}, then sends back whatever comes, connection after connection. */
    private static void echo() throws IOException {
        try (ServerSocket server = new ServerSocket(0)) {
            System.out.println("PORT " + server.getLocalPort());
            while (true) {
                try (Socket socket = server.accept()) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                }
            }
        }
    }

    /** Prints {@code ANSWER text}, or {@code NO reason}. */
    private static void ask(String host, int port, String text) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(text.getBytes());
            socket.shutdownOutput();
            System.out.println("ANSWER " + new String(socket.getInputStream().readAllBytes()));
        } catch (IOException e) {
            System.out.println("NO " + e.getMessage());
        }
    }

    /** Prints {@code PORT n}, counts datagrams until none came for two seconds after the first, prints {@code RECEIVED n}. */
    private static void receive() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0)) {
            System.out.println("PORT " + socket.getLocalPort());
            DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
            int received = 0;
            try {
                while (true) {
                    socket.receive(packet);
                    received++;
                    socket.setSoTimeout(2_000);
                }
            } catch (SocketTimeoutException e) {
                System.out.println("RECEIVED " + received);
            }
        }
    }

    /** Sends datagrams, some ten thousand a second, so that the receiver's buffer never fills. */
    private static void send(String host, int port, int count, int size) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            DatagramPacket packet = new DatagramPacket(new byte[size], size, InetAddress.getByName(host), port);
            for (int i = 0; i < count; i++) {
                socket.send(packet);
                LockSupport.parkNanos(50_000);
            }
        }
        System.out.println("SENT " + count);
    }
}
