package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** A repository that listens on an address of a network and not on every one: its own machine reaches it by loopback, and publishes. */
class ARepositoryOnANetworkTest {
    private static final int ID = 0x5588;

    @TempDir
    private Path data;
    private InetAddress own;

    @BeforeEach
    void address() throws Exception {
        own = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress()).findFirst().orElse(null);
        Assumptions.assumeTrue(own != null, "this machine has no IPv4 address but loopback");
    }

    @Test
    void letsItsOwnMachinePublishByLoopbackAndNobodyByTheNetwork() throws Exception {
        try (Repo repo = new Repo(RepositorySettings.of(new InetSocketAddress(own, 0), data))) {
            byte[] bundle = Bundles.good("local", ID, "1.0.0");
            assertThatThrownBy(() -> repo.push(bundle)).as("behind address translation a stranger may have this address").hasMessageContaining("EE-406");
            HttpFetch loopback = HttpFetch.of("http://127.0.0.1:" + repo.server.address().getPort(), ErrorCode.REPOSITORY_UNREACHABLE);
            Repo.push(loopback, bundle);
            assertThat(repo.services()).as("what both show").hasSize(1).isEqualTo(loopback.json("/services").path("services"));
        }
    }

    @Test
    void servesItsNetworkThoughAnotherHasThePortOnLoopback() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Repo repo = new Repo(RepositorySettings.of(new InetSocketAddress(own, other.getLocalPort()), data))) {
            assertThat(repo.services()).isEmpty();
        }
    }
}
