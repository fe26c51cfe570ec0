package org.tamanoir.qos.eds.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.domain.TrafficControl;
import org.tamanoir.qos.eds.SimulatedLink.ClassCount;

/** The queue {@code eds} of an interface. What was loaded or set up before a failure is taken back. */
public final class EdsQueueSetup {
    /** Whose handle it is known by: "EDS" has no hexadecimal digits, 5405 follows that of a DiffServ domain. */
    static final String HANDLE = "5405:";
    static final String INNER = "5406:";
    private static final String MODULE = "sch_eds";
    /** What a kernel with queues in BPF has in its types. */
    private static final String BPF_QUEUES = "bpf_struct_ops_Qdisc_ops";
    private static final Pattern ROOT = Pattern.compile("^qdisc (\\S+) (\\S+) root.*", Pattern.MULTILINE);
    private static final Pattern CLASS = Pattern.compile("class (\\d) arrived (\\d+) lost (\\d+) sent (\\d+) waited (\\d+)us");
    private static final int PATIENCE_SECONDS = 30;
    private static final int MOST_OCTETS = 64 << 20;

    /**
     * What a class has seen since the queue was set up.
     *
     * @param number from 1, the quickest
     */
    public record Status(int number, ClassCount count) {
    }

    private final Path system;
    private final String release;
    private final TrafficControl tc;
    private final String device;

    /**
     * @param system  the root of the file system: {@code /}
     * @param release of the kernel that runs
     * @param tc      knows {@code eds}: TC_LIB_DIR names the folder of q_eds.so
     */
    public EdsQueueSetup(Path system, String release, TrafficControl tc, String device) {
        this.system = system;
        this.release = release;
        this.tc = tc;
        this.device = device;
    }

    /**
     * Loads a module, if it is not loaded, and sets the queue up.
     *
     * @throws AnepException EE-611 for a module of another kernel, which is not loaded, EE-612 for a kernel without modules, EE-613 if it refuses this one, EE-811 if
     *         somebody else has set up queues, EE-810 if tc fails
     */
    public void apply(Path module, EdsSettings settings) {
        ModuleFile file = ModuleFile.read(module);
        if (!file.name().equals(MODULE)) {
            throw new AnepException(ErrorCode.FOREIGN_MODULE, module + " is the module '" + file.name() + "', not " + MODULE);
        }
        if (!file.release().equals(release)) {
            throw new AnepException(ErrorCode.FOREIGN_MODULE, module + " is built for the kernel " + file.release() + ", and " + release + " runs: "
                    + "make -C kernel-helpers/eds module KERNEL=/lib/modules/" + release + "/build");
        }
        if (!Files.exists(system.resolve("proc/modules"))) {
            throw new AnepException(ErrorCode.NO_QUEUE_KIND, "the kernel " + release + " takes no modules (CONFIG_MODULES): use one that does, as Debian's");
        }
        checkFree();
        boolean loaded = !isLoaded();
        if (loaded) {
            run(ErrorCode.KERNEL_REFUSED, "insmod", module.toString());
        }
        try {
            tc.batch(settings.commands(device));
        } catch (AnepException e) {
            removeQuietly();
            if (loaded) {
                unload();
            }
            throw e;
        }
    }

    /**
     * Loads the queue in BPF and sets it up. Its parameters were compiled in.
     *
     * @throws AnepException EE-612 if the kernel has no queues in BPF, EE-613 if it refuses this one; EE-811, EE-810
     */
    public void applyBpf(Path object) {
        if (!hasBpfQueues()) {
            throw new AnepException(ErrorCode.NO_QUEUE_KIND, "the kernel " + release + " has no queues in BPF: they need Linux 6.16 and CONFIG_NET_SCH_BPF. "
                    + "Use the module: --module");
        }
        if (!Files.isReadable(object)) {
            throw new AnepException(ErrorCode.FOREIGN_MODULE, "cannot read " + object + ": make -C kernel-helpers/eds bpf builds it");
        }
        checkFree();
        run(ErrorCode.KERNEL_REFUSED, "bpftool", "struct_ops", "register", object.toString());
        try {
            tc.batch(List.of("qdisc add dev " + device + " root handle " + HANDLE + " eds_bpf"));
        } catch (AnepException e) {
            unregister();
            throw e;
        }
    }

    /** Takes the queue away, and what no other interface uses of the kernel. @return whether it was there */
    public boolean remove() {
        if (!isOurs()) {
            return false;
        }
        tc.ask(List.of("qdisc", "del", "dev", device, "root"));
        unload();
        unregister();
        return true;
    }

    /** Counts of the classes that have seen packets; empty if the interface has no such queue. */
    public Optional<List<Status>> show() {
        if (!isOurs()) {
            return Optional.empty();
        }
        List<Status> found = new ArrayList<>();
        Matcher each = CLASS.matcher(tc.ask(List.of("-s", "qdisc", "show", "dev", device)));
        while (each.find()) {
            found.add(new Status(Integer.parseInt(each.group(1)), new ClassCount(Long.parseLong(each.group(2)), Long.parseLong(each.group(3)),
                    Long.parseLong(each.group(4)), 1_000 * Long.parseLong(each.group(5)))));
        }
        return Optional.of(found);
    }

    /** Whether tc knows what the queue says: without that it shows no counts, and does not fail either. */
    public boolean isUnderstood() {
        return tc.ask(List.of("qdisc", "show", "dev", device)).contains("fact_delay");
    }

    private Optional<Matcher> root() {
        Matcher root = ROOT.matcher(tc.ask(List.of("qdisc", "show", "dev", device)));
        return root.find() ? Optional.of(root) : Optional.empty();
    }

    private boolean isOurs() {
        return root().filter(root -> root.group(2).equals(HANDLE)).isPresent();
    }

    /** Queues that the kernel has made by itself have the handle 0. */
    private void checkFree() {
        root().filter(root -> !root.group(2).equals("0:")).ifPresent(root -> {
            throw new AnepException(ErrorCode.DOMAIN_FOREIGN, device + " has queues already (" + root.group(0).strip() + "): " + (root.group(2).equals(HANDLE)
                    ? "'tamanoir qos eds remove' takes them away" : "somebody else has set them up, and they stay"));
        });
    }

    private boolean isLoaded() {
        try {
            return Files.readString(system.resolve("proc/modules")).lines().anyMatch(line -> line.startsWith(MODULE + " "));
        } catch (IOException e) {
            return false;
        }
    }

    private boolean hasBpfQueues() {
        try {
            Path types = system.resolve("sys/kernel/btf/vmlinux");
            return Files.exists(types) && new String(Files.readAllBytes(types), StandardCharsets.ISO_8859_1).contains(BPF_QUEUES);
        } catch (IOException e) {
            return false;
        }
    }

    private void removeQuietly() {
        try {
            remove();
        } catch (AnepException e) {
            // The interface has gone, or tc has: the failure before says why.
        }
    }

    /** A module that another interface uses stays. */
    private void unload() {
        if (isLoaded()) {
            start("rmmod", MODULE);
        }
    }

    private void unregister() {
        if (hasBpfQueues()) {
            start("bpftool", "struct_ops", "unregister", "name", "eds_bpf");
        }
    }

    private void run(ErrorCode code, String... command) {
        String failed = start(command);
        if (failed != null) {
            throw new AnepException(code, String.join(" ", command) + ": " + failed);
        }
    }

    /** Runs a program. @return what it said if it failed; null if it did not */
    private static String start(String... command) {
        Process process = null;
        try {
            Path said = Files.createTempFile("tamanoir-eds", ".txt");
            try {
                process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
                if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    return "it still ran after " + PATIENCE_SECONDS + " s";
                }
                String text = Files.size(said) > MOST_OCTETS ? "" : Files.readString(said, StandardCharsets.ISO_8859_1);
                return process.exitValue() == 0 ? null : text.lines().filter(line -> !line.isBlank()).reduce((first, last) -> last).orElse("it failed").strip();
            } finally {
                Files.deleteIfExists(said);
            }
        } catch (IOException e) {
            return AnepException.reason(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }
}
