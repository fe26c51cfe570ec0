package org.tamanoir.node.manage;

import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.probe.ProbeSettings;

/** {@code probes:} of the configuration: where the probes of other nodes are answered, and how many; see {@link ProbeSettings}. */
public final class ProbesSection {
    private static final String AUTO = "auto";
    private static final String NONE = "none";

    /** {@code auto}: on the host of {@code listen}, port 862 if it can be had; {@code none}; or {@code HOST:PORT}. */
    public String listen = AUTO;
    /** Probes that are answered each second. */
    public int rate = ProbeSettings.PRESET_RATE;

    /** @param streams where the node listens */
    ProbeSettings settings(InetSocketAddress streams) {
        if (rate < 1 || rate > ProbeSettings.MOST_RATE) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "probes: rate is " + rate + "; it must be from 1 to " + ProbeSettings.MOST_RATE);
        }
        if (listen.equals(AUTO)) {
            return new ProbeSettings(new InetSocketAddress(streams.getAddress(), ProbeSettings.PORT), false, rate);
        }
        return new ProbeSettings(listen.equals(NONE) ? null : NodeConfiguration.address("probes: listen", listen), true, rate);
    }
}
