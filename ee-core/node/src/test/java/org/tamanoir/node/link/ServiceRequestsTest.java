package org.tamanoir.node.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;

/** Made-up Type IDs: a source has few requests under way, all sources together have some, and each that ends makes room. */
class ServiceRequestsTest {
    private final Map<Integer, CompletableFuture<RunningService>> asked = new HashMap<>();
    private final List<ErrorCode> failed = new ArrayList<>();
    private final ServiceRequests requests = new ServiceRequests(typeId -> {
        assertThat(asked).as("asked for again while it is on its way").doesNotContainKey(typeId);
        return asked.computeIfAbsent(typeId, unused -> new CompletableFuture<>());
    });

    private static InetAddress source(int number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
    }

    private void want(int typeId, int source) throws UnknownHostException {
        requests.want(typeId, source(source), why -> failed.add(why.code()));
    }

    @Test
    void areBoundedForEachSourceAndForAll() throws Exception {
        for (int typeId = 1; typeId <= 1000; typeId++) {
            want(typeId, 1);
            want(typeId, 1);
        }
        assertThat(asked).hasSize(ServiceRequests.MOST_OF_SOURCE);
        for (int typeId = 2000; typeId <= 30_000; typeId++) {
            want(typeId, 2 + typeId % 100);
        }
        assertThat(asked).hasSize(ServiceRequests.MOST);
        want(40_000, 200);
        assertThat(asked).doesNotContainKey(40_000);
        asked.get(1).completeExceptionally(new AnepException(ErrorCode.UNKNOWN_SERVICE, "nobody has it"));
        assertThat(failed).containsExactly(ErrorCode.UNKNOWN_SERVICE);
        want(40_000, 200);
        assertThat(asked).containsKey(40_000);
    }

    @Test
    void aServiceForStreamsOnlyIsSaidToBeThat() throws Exception {
        want(0x5501, 1);
        asked.remove(0x5501).complete(LinkRig.forStreams());
        assertThat(failed).containsExactly(ErrorCode.NO_DESTINATION);
        want(0x5500, 1);
        asked.remove(0x5500).complete(LinkRig.service("1.0.0", links -> (packet, from) -> { }));
        assertThat(failed).hasSize(1);
    }
}
