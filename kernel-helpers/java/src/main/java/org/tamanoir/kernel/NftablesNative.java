package org.tamanoir.kernel;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;

/** The functions of libnftables(3) that {@link Nftables} calls, and what is looked at before them. */
final class NftablesNative {
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
