package org.tamanoir.kernel;

import java.time.Duration;

/** Prints the changes of its namespace, for at most a minute. */
final class EventsMain {
    private EventsMain() {
    }

    public static void main(String[] arguments) {
        try (Kernel kernel = Kernel.open(new KernelOptions(1, 3322, 0, 1, 1, false))) {
            System.out.println("ready");
            long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            while (System.nanoTime() < end) {
                kernel.event(Duration.ofSeconds(1)).ifPresent(event -> System.out.println(event.kind() + " " + event.name() + " "
                        + (event.address() == null ? event.up() : event.address().getHostAddress())));
            }
        }
    }
}
