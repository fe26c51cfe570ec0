package org.tamanoir.node.manage.configuration;

import java.net.InetSocketAddress;
import org.tamanoir.node.probe.ProbeService.ProbeSettings;

/**
 * {@code probes:} of the configuration: where the probes of other nodes are answered; see {@link ProbeSettings}.
 *
 * @param listen auto: on the host of the node's {@code listen}, port 862 if it can be had
 * @param rate   probes that are answered each second
 */
public record ProbesSection(Endpoint listen, Integer rate) {
    public ProbesSection {
        listen = ConfigurationValues.or(listen, Endpoint.AUTO);
        rate = ConfigurationValues.or(ConfigurationValues.within("rate", rate, 1, ProbeSettings.MOST_RATE), ProbeSettings.PRESET_RATE);
    }

    /** @param streams where the node listens */
    ProbeSettings settings(InetSocketAddress streams) {
        return new ProbeSettings(listen.or(new InetSocketAddress(streams.getAddress(), ProbeSettings.PORT)), !listen.auto(), rate);
    }
}
