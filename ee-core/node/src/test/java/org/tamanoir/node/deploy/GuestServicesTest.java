package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.ServiceRegistry;

/** How many services of one guest run at once, those that start counted with them. What runs is in the registry, which is the same to it. */
class GuestServicesTest {
    private static final Asker SOMEBODY = Asker.of(new InetSocketAddress("192.0.2.1", 0));

    @TempDir
    private Path directory;
    private final AtomicInteger most = new AtomicInteger(2);

    private static FoundBundle guest(int typeId, String name) {
        return new FoundBundle(typeId, name, "1.0.0", "heavy", "hash", -1, null, "wasm");
    }

    private static ServiceVersion version(int typeId) {
        return new ServiceVersion(typeId, null, true, false, 0);
    }

    private GuestServices services(ServiceNames names) {
        return new GuestServices(new ServiceRegistry(), names, most::get);
    }

    @Test
    void thoseThatStartAtOnceAreCounted() {
        GuestServices services = services(new ServiceNames(directory, false));
        ServiceVersion first = version(0x5801);
        services.begin(first, guest(0x5801, "~cms/a"));
        services.begin(version(0x5802), guest(0x5802, "~cms/b"));
        // Another version of the same, another guest, and whoever is no guest.
        assertThatCode(() -> services.begin(version(0x5802), guest(0x5802, "~cms/b"))).doesNotThrowAnyException();
        assertThatCode(() -> services.begin(version(0x5804), guest(0x5804, "~cms2/c"))).doesNotThrowAnyException();
        assertThatCode(() -> services.begin(version(0x5501), guest(0x5501, "cms"))).doesNotThrowAnyException();
        ServiceVersion third = version(0x5803);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> services.begin(third, guest(0x5803, "~cms/c"))).withMessageContainingAll("~cms/a, ~cms/b", "2 are allowed")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_QUOTA));
        services.settled(first);
        assertThatCode(() -> services.begin(third, guest(0x5803, "~cms/c"))).doesNotThrowAnyException();
    }

    @Test
    void theNumberCanChange() {
        GuestServices services = services(new ServiceNames(directory, false));
        most.set(1);
        services.begin(version(0x5801), guest(0x5801, "~cms/a"));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> services.begin(version(0x5802), guest(0x5802, "~cms/b")));
        most.set(2);
        assertThatCode(() -> services.begin(version(0x5802), guest(0x5802, "~cms/b"))).doesNotThrowAnyException();
    }

    @Test
    void allOfOneGuestAreGotOnOneAccount() {
        ServiceNames names = new ServiceNames(directory, false);
        names.offered(List.of(guest(0x5801, "~cms/a"), guest(0x5802, "~cms/b"), guest(0x5501, "meter")));
        GuestServices services = services(names);
        assertThat(services.account(0x5801, SOMEBODY)).isEqualTo(services.account(0x5802, Asker.DATAGRAMS)).isNotEqualTo(SOMEBODY.account());
        assertThat(services.account(0x5501, SOMEBODY)).isEqualTo(SOMEBODY.account());
        assertThat(services.account(0x5803, SOMEBODY)).as("whose it is nobody knows yet").isEqualTo(SOMEBODY.account());
    }
}
