package org.tamanoir.kernel;

import java.net.InetSocketAddress;
import org.tamanoir.service.rule.Prefix;

/**
 * TCP connections that the kernel forwards.
 *
 * @param name   unique among those of its node; counters go by it
 * @param source who may use it: the prefix of the client's address; null for anybody
 * @param listen the address and port of this host that clients connect to; the wildcard address stands for every address of this host of the
 *               family of {@code to}
 * @param to     where they are led; of the same family as {@code listen}
 * @param dscp   code point of every packet from the client, 0 to 63; null leaves it as it came
 */
public record LightConnection(String name, Prefix source, InetSocketAddress listen, InetSocketAddress to, Integer dscp) {
}
