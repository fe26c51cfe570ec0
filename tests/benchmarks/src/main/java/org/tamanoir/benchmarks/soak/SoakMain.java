package org.tamanoir.benchmarks.soak;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.tamanoir.benchmarks.process.Requests;

/** The process at either end of a soak: {@code source} or {@code receiver}, and an address. See {@link Requests}. */
public final class SoakMain {
    /** More than a stream has to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** No datagram for so long, and none is under way. */
    private static final Duration SILENCE = Duration.ofSeconds(1);

    private SoakMain() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Requests.serve(arguments[0].equals("receiver") ? receiver(InetAddress.getByName(arguments[1])) : source());
    }

    private static Requests.Role receiver(InetAddress address) throws IOException {
        Receiver receiver = new Receiver(address);
        daemon(receiver, "receiver");
        System.out.println("READY receiver " + receiver.tcpPort() + " " + receiver.udpPort());
        return words -> switch (words[0]) {
            case "end" -> {
                // What is still open then is in the books as a stream that did not end.
                await(() -> receiver.open() == 0 && receiver.datagramSilence() > SILENCE.toNanos());
                yield "ENDED";
            }
            case "books" -> written(words[1], receiver.received());
            default -> throw new IOException("a receiver knows no '" + words[0] + "'");
        };
    }

    private static Requests.Role source() {
        Source[] running = new Source[1];
        System.out.println("READY source");
        return words -> switch (words[0]) {
            case "start" -> {
                running[0] = new Source(Books.MAPPER.readValue(words[1], Flow.Route.class).resolved());
                daemon(running[0], "source");
                yield "STARTED";
            }
            case "mark" -> {
                running[0].mark(Integer.parseInt(words[1]));
                yield "MARKED";
            }
            case "broken" -> "BROKEN " + running[0].broken();
            case "stop" -> {
                running[0].stop();
                if (!await(running[0]::isOver)) {
                    throw new IOException("streams are still open after " + PATIENCE.toSeconds() + " s");
                }
                yield "STOPPED";
            }
            case "books" -> written(words[1], running[0].sent());
            default -> throw new IOException("a source knows no '" + words[0] + "'");
        };
    }

    private static String written(String file, Object books) throws IOException {
        Books.MAPPER.writeValue(new File(file), books);
        return "WRITTEN";
    }

    private static boolean await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(10);
        }
        return true;
    }

    private static void daemon(Runnable body, String name) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((failed, why) -> {
            System.err.println(name + " failed: " + why);
            System.exit(1);
        });
        thread.start();
    }
}
