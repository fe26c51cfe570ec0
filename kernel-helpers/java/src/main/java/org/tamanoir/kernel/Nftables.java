package org.tamanoir.kernel;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * nftables in this process, without the programs of {@link Kernel}: it needs CAP_NET_ADMIN and libnftables, and no BPF. One context, which is one
 * netlink socket of the network namespace of the thread that opens it, is kept until this is closed. The kernel removes a table with
 * {@code flags owner} when the socket that made it closes, and so when the process ends in any way (docs/decisions/0014). Programs that the JVM
 * starts do not keep the socket: the JDK closes all descriptors in them.
 *
 * <p>Safe for all threads: libnftables says nothing of threads, so there is one call at a time in the process.
 */
public final class Nftables implements AutoCloseable {
    private static final Object ONE_AT_A_TIME = new Object();
    /** {@code CAP_NET_ADMIN} of capability.h. */
    private static final int NET_ADMIN = 12;

    private Pointer context;

    private Nftables(Pointer context) {
        this.context = context;
    }

    /** What keeps this thread from using nftables, in words with the remedy; empty if nothing is known to. */
    public static Optional<String> missing() {
        if (NftablesNative.problem() != null) {
            return Optional.of(NftablesNative.problem());
        }
        // Without it libnftables writes to the standard error of the process.
        if (!hasNetAdmin()) {
            return Optional.of("CAP_NET_ADMIN is missing: run it as root, or in systemd with AmbientCapabilities=CAP_NET_ADMIN");
        }
        return NftablesNative.hasSocket() ? Optional.empty() : Optional.of("this kernel has no nftables (CONFIG_NF_TABLES)");
    }

    /**
     * Opens it for the network namespace of the thread that calls.
     *
     * @throws AnepException EE-601 with {@link #missing}
     */
    public static Nftables open() {
        Optional<String> missing = missing();
        if (missing.isPresent()) {
            throw new AnepException(ErrorCode.KERNEL, missing.get());
        }
        synchronized (ONE_AT_A_TIME) {
            Pointer context = NftablesNative.nft_ctx_new(0);
            if (context == null || NftablesNative.nft_ctx_buffer_output(context) != 0 || NftablesNative.nft_ctx_buffer_error(context) != 0) {
                throw new AnepException(ErrorCode.KERNEL, "libnftables has no memory");
            }
            return new Nftables(context);
        }
    }

    /**
     * Runs commands as one transaction: all of them or none.
     *
     * @return what nft prints
     * @throws AnepException EE-601 with what nft says, and after {@link #close}
     */
    public String run(String commands) {
        synchronized (ONE_AT_A_TIME) {
            if (context == null) {
                throw new AnepException(ErrorCode.KERNEL, "nftables of this process is closed");
            }
            int failed = NftablesNative.nft_run_cmd_from_buffer(context, Structures.cString(commands));
            // Asking for a buffer also empties it for the next run.
            String output = NftablesNative.nft_ctx_get_output_buffer(context).getString(0, StandardCharsets.UTF_8.name());
            String said = NftablesNative.nft_ctx_get_error_buffer(context).getString(0, StandardCharsets.UTF_8.name());
            if (failed != 0) {
                throw new AnepException(ErrorCode.KERNEL, "nftables refuses a transaction: " + said.lines().findFirst().orElse("it says nothing").strip());
            }
            return output;
        }
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        synchronized (ONE_AT_A_TIME) {
            return context == null;
        }
    }

    /** Closes the socket, and with it go the tables that it owns. Closing again does nothing. */
    @Override
    public void close() {
        synchronized (ONE_AT_A_TIME) {
            if (context != null) {
                NftablesNative.nft_ctx_free(context);
                context = null;
            }
        }
    }

    private static boolean hasNetAdmin() {
        try {
            return Files.readAllLines(Path.of("/proc/thread-self/status")).stream().filter(line -> line.startsWith("CapEff:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring("CapEff:".length()).strip(), 16) >> NET_ADMIN & 1) == 1);
        } catch (IOException e) {
            return false;
        }
    }

    /** The functions of libnftables(3) that {@link Nftables} calls, and what is looked at before them. */
    static final class NftablesNative {
        private static final String LIBRARY = "libnftables.so.1";
        private static final int AF_NETLINK = 16;
        private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
        private static final int NETLINK_NETFILTER = 12;
        private static final String PROBLEM = load();

        private NftablesNative() {
        }

        /** Why the library cannot be used, with the remedy; null if it is loaded. */
        static String problem() {
            return PROBLEM;
        }

        private static String load() {
            if (!System.getProperty("os.name").equals("Linux")) {
                return "nftables needs Linux";
            }
            KernelLibrary.useTemporaryFolder();
            try {
                Native.register(NftablesNative.class, NativeLibrary.getInstance(LIBRARY));
                return null;
            } catch (LinkageError | RuntimeException e) {
                return LIBRARY + " cannot be loaded: apt-get install libnftables1 (" + String.valueOf(e.getMessage()).lines().findFirst().orElse("") + ")";
            }
        }

        /** Whether this process gets a socket to nftables: libnftables ends the process where it gets none. */
        static boolean hasSocket() {
            NativeLibrary c = NativeLibrary.getInstance("c");
            int descriptor = c.getFunction("socket").invokeInt(new Object[] {AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_NETFILTER});
            if (descriptor < 0) {
                return false;
            }
            c.getFunction("close").invokeInt(new Object[] {descriptor});
            return true;
        }

        static native Pointer nft_ctx_new(int flags);

        static native void nft_ctx_free(Pointer context);

        static native int nft_ctx_buffer_output(Pointer context);

        static native int nft_ctx_buffer_error(Pointer context);

        static native Pointer nft_ctx_get_output_buffer(Pointer context);

        static native Pointer nft_ctx_get_error_buffer(Pointer context);

        static native int nft_run_cmd_from_buffer(Pointer context, byte[] commands);
    }
}
