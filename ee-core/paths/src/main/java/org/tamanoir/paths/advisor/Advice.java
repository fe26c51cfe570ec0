package org.tamanoir.paths.advisor;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.paths.metrics.Numbers;

/**
 * What to set so that one connection fills a path.
 *
 * @param window  octets that are under way on the full path
 * @param reaches megabits a second that the kernel's limits let one connection have today
 * @param wanted  the limits as they should be; none is lower than today
 * @param lines   of sysctl.d(5) that differ from today; empty if the limits are sufficient
 * @param why     one sentence
 */
public record Advice(double window, double reaches, KernelLimits wanted, List<String> lines, String why) {
    /** Buffers hold more than data: what the kernel keeps of each packet counts, and the window is half of the receive buffer (tcp_adv_win_scale is 1). */
    private static final int OVERHEAD = 2;
    /** No limit is raised beyond this: 1 GiB, the largest window of TCP (RFC 7323). */
    private static final long MOST = 1L << 30;

    /**
     * Advises.
     *
     * @param roundTripMs as measured, milliseconds, more than 0
     * @param mbits       what the path can carry, as measured, megabits a second
     * @param today       limits of this kernel
     */
    public static Advice of(double roundTripMs, double mbits, KernelLimits today) {
        double window = Window.octets(roundTripMs, mbits);
        double reaches = Window.mbits(roundTripMs, (double) Math.min(today.rmem().most(), today.wmem().most()) / OVERHEAD);
        long most = Math.min(MOST, pages(OVERHEAD * window));
        KernelLimits needed = new KernelLimits(new KernelLimits.Triple(1, 1, most), new KernelLimits.Triple(1, 1, most), most, most);
        boolean sufficient = today.rmem().most() >= most && today.wmem().most() >= most;
        // Where the kernel tunes well by itself nothing is touched, also not what only programs use that set their buffers themselves.
        KernelLimits wanted = sufficient ? today : today.atLeast(KernelLimits.DATAGRID).atLeast(needed);
        String path = Numbers.text(mbits, 6) + " Mbit/s at " + Numbers.text(roundTripMs, 6) + " ms are " + Numbers.text(window / 1e6, 6) + " MB under way";
        String why = sufficient ? path + ", and the limits are already sufficient for " + Numbers.text(reaches, 3) + " Mbit/s"
                : path + "; today's limits let one connection have " + Numbers.text(Math.min(mbits, reaches), 3) + " Mbit/s";
        return new Advice(window, reaches, wanted, lines(today, wanted), why);
    }

    private static long pages(double octets) {
        return (long) Math.ceil(octets / 4096) * 4096;
    }

    private static List<String> lines(KernelLimits today, KernelLimits wanted) {
        List<String> lines = new ArrayList<>();
        add(lines, "net.core.rmem_max", today.coreRmemMax(), wanted.coreRmemMax());
        add(lines, "net.core.wmem_max", today.coreWmemMax(), wanted.coreWmemMax());
        add(lines, "net.ipv4.tcp_rmem", today.rmem(), wanted.rmem());
        add(lines, "net.ipv4.tcp_wmem", today.wmem(), wanted.wmem());
        return List.copyOf(lines);
    }

    private static void add(List<String> lines, String key, Object today, Object wanted) {
        if (!wanted.equals(today)) {
            lines.add(key + " = " + wanted);
        }
    }

    public boolean isSufficient() {
        return lines.isEmpty();
    }
}
