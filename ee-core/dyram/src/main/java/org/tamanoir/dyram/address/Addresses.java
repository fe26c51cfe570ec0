package org.tamanoir.dyram.address;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Challenge;

/**
 * Who has shown that it is where its datagrams say, for which session; and how many datagrams a host may be sent in answer to its own. An
 * address that shows a cookie is believed for a minute. One thread.
 */
public final class Addresses {
    /** For so long an address is believed. */
    public static final long BELIEVED = 60_000_000_000L;
    private static final int MOST = 16_384;
    private static final int MOST_OF_HOST = 1_024;
    private static final int MOST_HOSTS = 4_096;
    private static final double ANSWERS_A_SECOND = 512;

    private record Place(InetSocketAddress address, long session) {
    }

    private static final class Allowance {
        private double left = ANSWERS_A_SECOND;
        private long at;
    }

    private final AddressCookies cookies;
    private final HostTable<Place, Boolean> believed = new HostTable<>(MOST, MOST_OF_HOST);
    private final Map<Object, Allowance> allowances = BoundedMap.byUse(MOST_HOSTS);

    public Addresses(AddressCookies cookies) {
        this.cookies = cookies;
    }

    /** Whether an address has shown the cookie of a session lately. */
    public boolean believes(long now, InetSocketAddress address, long session) {
        return believed.get(now, new Place(address, session)) != null;
    }

    /** What to ask an address; it is smaller than three times every message that asks for it. */
    public Challenge challenge(long now, InetSocketAddress address, long session) {
        return new Challenge(session, cookies.cookie(now, address, session));
    }

    /** An address shows a cookie. @return whether it is believed from now on */
    public boolean answered(long now, Answer answer, InetSocketAddress from) {
        return cookies.isOf(now, from, answer.session(), answer.cookie())
                && believed.put(now, new Place(from, answer.session()), from.getAddress(), true, now + BELIEVED);
    }

    /** Addresses that are believed. */
    public int believed() {
        return believed.size();
    }

    /** Whether the host of an address may be sent one more datagram that it has no link for: 512 a second. */
    public boolean mayAnswer(long now, InetAddress address) {
        Allowance allowance = allowances.computeIfAbsent(HostTable.host(address), host -> {
            Allowance whole = new Allowance();
            whole.at = now;
            return whole;
        });
        allowance.left = Math.min(ANSWERS_A_SECOND, allowance.left + (now - allowance.at) / 1e9 * ANSWERS_A_SECOND);
        allowance.at = now;
        if (allowance.left < 1) {
            return false;
        }
        allowance.left--;
        return true;
    }
}
