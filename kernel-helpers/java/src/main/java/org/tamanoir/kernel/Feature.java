package org.tamanoir.kernel;

/** What a kernel and its administrator may allow. The order is that of {@code TAM_FEATURE_*}. */
public enum Feature {
    /** Maps and programs. */
    BPF("BPF", "CAP_BPF", "Linux 5.8"),
    /** Programs that the verifier takes only from who may see the kernel's addresses. */
    PERFMON("BPF programs with pointers", "CAP_PERFMON", "Linux 5.8"),
    /** Programs at an interface's ingress, by link. */
    TCX("tcx", "CAP_NET_ADMIN", "Linux 6.6"),
    /** Programs at an interface's ingress, by filter. */
    CLSACT("clsact", "CAP_NET_ADMIN", "Linux 5.15 with CONFIG_NET_CLS_BPF and CONFIG_NET_SCH_INGRESS"),
    /** Programs before the network stack. */
    XDP("XDP", "CAP_NET_ADMIN", "Linux 5.18"),
    /** BPF programs for packets that the host forwards. */
    NETFILTER("BPF netfilter programs", "CAP_NET_ADMIN", "Linux 6.4 with CONFIG_NETFILTER_BPF_LINK"),
    /** Connections forwarded by nftables. */
    NFT("nftables", "CAP_NET_ADMIN", "Linux 5.12 with CONFIG_NF_TABLES_INET and CONFIG_NFT_NAT"),
    /** The host forwards IPv4. */
    FORWARD4("IPv4 forwarding", null, null),
    /** The host forwards IPv6. */
    FORWARD6("IPv6 forwarding", null, null);

    private final String title;
    private final String capability;
    private final String kernel;

    Feature(String title, String capability, String kernel) {
        this.title = title;
        this.capability = capability;
        this.kernel = kernel;
    }

    /** Its name for people. */
    public String title() {
        return title;
    }

    /**
     * What is missing and what to do.
     *
     * @param errno with which the feature was refused; the sign plays no part
     * @return a sentence that names the capability, sysctl, package or kernel
     */
    public String remedy(int errno) {
        return switch (this) {
            case FORWARD4 -> title + " is off: sysctl -w net.ipv4.ip_forward=1";
            case FORWARD6 -> Math.abs(errno) == Errno.ENOENT ? title + " is not there: the host runs without IPv6"
                    : title + " is off: sysctl -w net.ipv6.conf.all.forwarding=1";
            default -> title + " cannot be used (" + Errno.words(errno) + "): " + refusal(Math.abs(errno));
        };
    }

    private String refusal(int errno) {
        return switch (errno) {
            case Errno.EPERM -> "run the node with " + capability + grant()
                    + (this == BPF ? "; kernel.unprivileged_bpf_disabled keeps others out" : "");
            case Errno.EACCES -> this == PERFMON ? "the verifier wants CAP_PERFMON: run the node with it" + grant()
                    : "a security module of this kernel refuses it: see its log, and kernel.lockdown";
            case Errno.ENOPKG -> "libnftables.so.1 is not installed: apt-get install libnftables1";
            case Errno.ENOMEM -> "not enough locked memory: raise it (ulimit -l, or LimitMEMLOCK=infinity in systemd)";
            case Errno.EIO, Errno.ETIMEDOUT -> "the trial gave no answer; start the node again when the machine is less busy";
            default -> "the kernel does not have it: " + kernel + " or later does";
        };
    }

    /** The same three capabilities open every feature. */
    private static String grant() {
        return ", as root or in systemd by AmbientCapabilities=CAP_BPF CAP_PERFMON CAP_NET_ADMIN";
    }
}
