package org.tamanoir.kernel;

/** Prints what a probe finds, in a process of its own: the library's problem or {@code loaded}, then a line for each feature. */
final class ProbeMain {
    private ProbeMain() {
    }

    public static void main(String[] arguments) {
        KernelProbe probe = KernelProbe.of();
        System.out.println(probe.library() == null ? "loaded" : probe.library());
        for (Feature feature : Feature.values()) {
            System.out.println(feature + " " + probe.missing(feature).orElse("has it"));
        }
        System.out.println("udp " + probe.udp() + " tcp " + probe.tcp());
    }
}
