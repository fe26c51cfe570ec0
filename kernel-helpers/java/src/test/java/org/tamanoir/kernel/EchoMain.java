package org.tamanoir.kernel;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** Answers every connection to a port with its client's address and a line end, then with what the client sends, to the end. */
final class EchoMain {
    private EchoMain() {
    }

    public static void main(String[] arguments) throws IOException {
        try (ServerSocket server = new ServerSocket(Integer.parseInt(arguments[0]))) {
            System.out.println("ready");
            while (true) {
                try (Socket client = server.accept()) {
                    client.getOutputStream().write((client.getInetAddress().getHostAddress() + "\n").getBytes());
                    client.getInputStream().transferTo(client.getOutputStream());
                }
            }
        }
    }
}
