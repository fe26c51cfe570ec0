package org.tamanoir.qos.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tamanoir.qos.domain.Domain.Queue;

class PlanTest {
    private static final Queues TWO = queues("{rate: 200mbit, classes: {be: {rate: 99%}, lbe: {rate: 1%, queue: 200 packets}}}");

    private static Queues queues(String yaml) {
        return Queues.of(DomainFile.parse(yaml, Set.of()));
    }

    @Test
    void fromNothingTheTreeIsBuiltFromItsRootAndTheFiltersComeLast() {
        assertThat(Plan.between("eth1", Queues.none(), TWO)).containsExactly(
                "qdisc add dev eth1 root handle 5404: htb default 0x40",
                "class add dev eth1 parent 5404: classid 5404:1 htb rate 200Mbit ceil 200Mbit burst 25000b cburst 25000b quantum 200000",
                "class add dev eth1 parent 5404:1 classid 5404:40 htb rate 198Mbit ceil 200Mbit burst 24750b cburst 25000b prio 1 quantum 149886",
                "qdisc replace dev eth1 parent 5404:40 handle 5442: bfifo limit 2500000",
                "class add dev eth1 parent 5404:1 classid 5404:50 htb rate 2Mbit ceil 200Mbit burst 1600b cburst 25000b prio 1 quantum 1514",
                "qdisc replace dev eth1 parent 5404:50 handle 5451: pfifo limit 200",
                "filter add dev eth1 parent 5404: protocol ip prio 200 u32 match ip dsfield 0x00 0xfc flowid 5404:40",
                "filter add dev eth1 parent 5404: protocol ip prio 201 u32 match ip dsfield 0x04 0xfc flowid 5404:50",
                "filter add dev eth1 parent 5404: protocol ip prio 208 u32 match ip dsfield 0x20 0xfc flowid 5404:50",
                "filter add dev eth1 parent 5404: protocol ipv6 prio 300 u32 match ip6 priority 0x00 0xfc flowid 5404:40",
                "filter add dev eth1 parent 5404: protocol ipv6 prio 301 u32 match ip6 priority 0x04 0xfc flowid 5404:50",
                "filter add dev eth1 parent 5404: protocol ipv6 prio 308 u32 match ip6 priority 0x20 0xfc flowid 5404:50");
    }

    @Test
    void theStrictClassIsServedFirstAndHasWhatNeighboursAskEachOther() {
        assertThat(Plan.between("eth1", TWO, queues("{rate: 200mbit, classes: {be: {rate: 89%}, lbe: {rate: 1%, queue: 200 packets}, "
                + "ef: {rate: 10%}}}"))).containsExactly(
                "class add dev eth1 parent 5404:1 classid 5404:10 htb rate 20Mbit ceil 20Mbit burst 2500b cburst 2500b prio 0 quantum 15140",
                "qdisc replace dev eth1 parent 5404:10 handle 5412: bfifo limit 15140",
                "class change dev eth1 parent 5404:1 classid 5404:40 htb rate 178Mbit ceil 200Mbit burst 22250b cburst 25000b prio 1 quantum 134746",
                "filter add dev eth1 parent 5404: protocol arp prio 100 u32 match u32 0 0 flowid 5404:10",
                "filter add dev eth1 parent 5404: protocol ipv6 prio 135 u32 match ip6 protocol 58 0xff match u8 0x87 0xff at 40 flowid 5404:10",
                "filter add dev eth1 parent 5404: protocol ipv6 prio 136 u32 match ip6 protocol 58 0xff match u8 0x88 0xff at 40 flowid 5404:10",
                "filter add dev eth1 parent 5404: protocol ip prio 246 u32 match ip dsfield 0xb8 0xfc flowid 5404:10",
                "filter add dev eth1 parent 5404: protocol ipv6 prio 346 u32 match ip6 priority 0xb8 0xfc flowid 5404:10");
    }

    @Test
    void onlyWhatDiffersIsTouched() {
        assertThat(Plan.between("eth1", TWO, TWO)).isEmpty();
        assertThat(Plan.between("eth1", TWO, queues("{rate: 200mbit, classes: {be: {rate: 99%, code-points: [0, 8]}, "
                + "lbe: {rate: 1%, queue: 10ms, code-points: [1]}}}"))).containsExactly(
                "filter del dev eth1 parent 5404: protocol ip prio 208 u32",
                "filter del dev eth1 parent 5404: protocol ipv6 prio 308 u32",
                "qdisc replace dev eth1 parent 5404:50 handle 5452: bfifo limit 250000",
                "filter add dev eth1 parent 5404: protocol ip prio 208 u32 match ip dsfield 0x20 0xfc flowid 5404:40",
                "filter add dev eth1 parent 5404: protocol ipv6 prio 308 u32 match ip6 priority 0x20 0xfc flowid 5404:40");
        assertThat(Plan.between("eth1", TWO, queues("{rate: 200mbit, classes: {be: {rate: 99%, queue: 50ms}}}"))).containsExactly(
                "filter del dev eth1 parent 5404: protocol ip prio 201 u32",
                "filter del dev eth1 parent 5404: protocol ip prio 208 u32",
                "filter del dev eth1 parent 5404: protocol ipv6 prio 301 u32",
                "filter del dev eth1 parent 5404: protocol ipv6 prio 308 u32",
                "class del dev eth1 classid 5404:50",
                "class change dev eth1 parent 5404:1 classid 5404:40 htb rate 198Mbit ceil 200Mbit burst 24750b cburst 25000b prio 1 quantum 1514",
                "qdisc change dev eth1 parent 5404:40 handle 5442: bfifo limit 1250000");
        assertThat(Plan.between("eth1", TWO, Queues.none())).containsExactly("qdisc del dev eth1 root");
    }

    @Test
    void precedencesGetABandEachAndAFilterThatReadsThem() {
        Queues assured = Queues.of(DomainFile.parse("{rate: 200mbit, classes: {be: {rate: 60%}, af-tcp: {rate: 30%, queue: 50ms, red: {}}}}", Set.of(Queue.Kind.GRED)));
        assertThat(Plan.between("eth1", Queues.none(), assured)).contains(
                "qdisc replace dev eth1 parent 5404:20 handle 5425: gred setup vqs 3 default 0 grio limit 1250000",
                "qdisc change dev eth1 parent 5404:20 handle 5425: gred limit 1250000 min 625000 max 1125000 avpkt 1000 burst 792 bandwidth 200Mbit probability 0.1 ecn vq 0 prio 1",
                "qdisc change dev eth1 parent 5404:20 handle 5425: gred limit 1250000 min 125000 max 375000 avpkt 1000 burst 209 bandwidth 200Mbit probability 0.1 ecn vq 2 prio 3",
                "filter add dev eth1 parent 5404: protocol all prio 1 bpf object-file precedence.bpf.o section tc classid 5404:40");
        assertThat(Plan.between("eth1", assured, TWO)).contains("filter del dev eth1 parent 5404: protocol all prio 1 bpf");
    }
}
