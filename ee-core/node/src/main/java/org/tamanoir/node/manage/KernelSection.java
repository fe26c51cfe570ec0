package org.tamanoir.node.manage;

import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.offload.KernelSettings;

/** {@code kernel:} of the configuration, as it is written; see {@link KernelSettings}. */
public final class KernelSection {
    private static final int MOST_RULES = 65_536;
    private static final int MOST_FLOWS = 1 << 20;

    /** auto, off or required. */
    public String use = "auto";
    /** Names of interfaces; null for all but loopback. */
    public List<String> interfaces;
    /** Names of interfaces on which XDP drops floods of refused Type IDs. */
    public List<String> xdp = List.of();
    /** Rules at once. */
    public int rules = 16_384;
    /** UDP streams that the kernel carries at once. */
    public int flows = 65_536;

    KernelSettings settings() {
        KernelSettings.Use word;
        try {
            word = KernelSettings.Use.valueOf(String.valueOf(use).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw bad("use is '" + use + "'; it is auto, off or required");
        }
        if (rules < 1 || rules > MOST_RULES) {
            throw bad("rules is " + rules + "; it must be from 1 to " + MOST_RULES);
        }
        if (flows < 1 || flows > MOST_FLOWS) {
            throw bad("flows is " + flows + "; it must be from 1 to " + MOST_FLOWS);
        }
        return new KernelSettings(word, interfaces, List.copyOf(xdp), rules, flows);
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "kernel: " + what);
    }
}
