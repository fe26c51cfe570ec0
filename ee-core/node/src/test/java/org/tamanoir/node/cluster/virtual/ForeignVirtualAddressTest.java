package org.tamanoir.node.cluster.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.service.rule.Prefix;

/** A front-end that somebody has taken over can have a machine hold any address, were it not for the machine's own file. */
class ForeignVirtualAddressTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(value = Method.class, names = {"DIRECT", "TUNNEL"})
    void anAddressThatTheFileDoesNotAllowIsRefusedAndNothingIsDoneForIt(Method method) throws Exception {
        VirtualSetup setup = new VirtualSetup(directory, 3322, address -> {
            throw new AssertionError("listens at " + address);
        });
        setup.machine(InetAddress.getByName("192.0.2.2"), null, List.of("http://192.0.2.1:3327"), List.of(Prefix.parse("203.0.113.0/24")));
        setup.want(Set.of(new VirtualAddress(InetAddress.getByName("198.51.100.1"), 3322, method),
                new VirtualAddress(InetAddress.getByName("2001:db8::1"), 3322, method)));
        assertThat(setup.problems()).hasSize(2).allSatisfy(problem -> assertThat(problem).startsWith("EE-911").contains("virtual-addresses"));
        assertThat(setup.problems().toString()).contains("198.51.100.1", "2001:db8::1");
        assertThat(setup.lost()).contains("is no virtual address that this node takes");
        assertThat(setup.state()).isEmpty();
        setup.close();
    }
}
