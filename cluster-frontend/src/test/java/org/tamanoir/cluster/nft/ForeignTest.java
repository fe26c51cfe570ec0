package org.tamanoir.cluster.nft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.cluster.nft.NftTable.Foreign;

/** Rules of others, as nft 1.0.6 prints them. */
class ForeignTest {
    private static final String RULESET = """
            table ip nat {
            	chain DOCKER {
            		ip daddr 10.0.9.1 tcp dport 3322 counter packets 0 bytes 0 dnat to 172.17.0.2:3322
            		ip daddr 10.0.9.11 tcp dport 3322 dnat to 172.17.0.2:3322
            		ip daddr 10.0.9.1 tcp dport 22 accept
            	}
            }
            table inet tamanoir_cluster { # progname nft
            	chain a {
            		ip daddr 10.0.9.1 dnat ip to 10.0.1.1:3322
            	}
            }
            table ip6 nat {
            	chain a {
            		ip6 daddr fd00:0:0:1::2 redirect to :80
            		ip6 daddr fd00::1 redirect to :81
            	}
            }
            """;

    @Test
    void onlyTranslationsOfTheAddressByOthersAreTold() {
        assertThat(Foreign.translations(RULESET, List.of(Plans.address("10.0.9.1")))).containsExactly(
                "table ip nat: ip daddr 10.0.9.1 tcp dport 3322 counter packets 0 bytes 0 dnat to 172.17.0.2:3322");
        assertThat(Foreign.translations(RULESET, List.of(Plans.address("fd00::1")))).containsExactly("table ip6 nat: ip6 daddr fd00::1 redirect to :81");
        assertThat(Foreign.translations(RULESET, List.of(Plans.address("10.0.1.1")))).isEmpty();
        assertThat(Foreign.translations(RULESET, List.of())).isEmpty();
    }
}
