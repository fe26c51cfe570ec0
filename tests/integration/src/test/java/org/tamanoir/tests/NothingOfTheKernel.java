package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;

/**
 * What a node keeps in the kernel of a host: its nftables table, its queueing disciplines and filters, the BPF programs of its interfaces,
 * and the programs and maps of its process. Others on this machine use BPF too, so a process is asked for what is its own.
 */
final class NothingOfTheKernel {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Pattern NUMBER = Pattern.compile("^(\\d+): ", Pattern.MULTILINE);

    private NothingOfTheKernel() {
    }

    /** What {@code nft}, {@code tc} and {@code bpftool net} say of a host; interfaces by their names. */
    static String of(Host host) {
        List<String> said = new ArrayList<>();
        said.add(host.run("nft", "list", "ruleset").output());
        said.add(host.run("tc", "qdisc", "show").output().replaceAll("refcnt \\d+ ?", ""));
        said.add(host.run("sh", "-c", "for i in /sys/class/net/*; do tc filter show dev ${i##*/} ingress 2>&1 | grep -v 'Parent Qdisc' ; done; true")
                .output());
        for (String line : host.run("ip", "-details", "link", "show").output().split("\n")) {
            if (line.contains("prog/xdp") || line.contains("xdp")) {
                said.add(line.strip());
            }
        }
        return String.join("\n", said);
    }

    /** Identifiers of the BPF programs and maps that a process holds, as {@code prog 12}. */
    static Set<String> of(long pid) throws IOException {
        Set<String> held = new TreeSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fdinfo"))) {
            for (Path descriptor : descriptors.toList()) {
                String kind = null;
                for (String line : read(descriptor)) {
                    String[] words = line.split("\\s+");
                    kind = line.startsWith("prog_id:") ? "prog" : line.startsWith("map_id:") ? "map" : line.startsWith("link_id:") ? "link" : null;
                    if (kind != null) {
                        held.add(kind + " " + words[1]);
                    }
                }
            }
        }
        return held;
    }

    private static List<String> read(Path file) throws IOException {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            if (Files.exists(file)) {
                throw e;
            }
            // Closed meanwhile, before it was opened or while it was read.
            return List.of();
        }
    }

    /** Waits until the kernel knows none of what a process held: it frees some of it a moment after the process has ended. */
    static void isLeft(Set<String> held) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Set<String> left = new TreeSet<>(held);
            left.retainAll(known());
            assertThat(left).as("left of %s", held).isEmpty();
        });
    }

    /** Whatever the kernel of this machine knows, of anybody. */
    static Set<String> known() {
        Set<String> known = new TreeSet<>();
        for (String kind : List.of("prog", "map", "link")) {
            Command.Result shown = Command.tryRun(List.of("bpftool", kind, "show"), null, PATIENCE);
            assertThat(shown.exit()).as(shown.errors()).isZero();
            Matcher lines = NUMBER.matcher(shown.output());
            while (lines.find()) {
                known.add(kind + " " + lines.group(1));
            }
        }
        return known;
    }
}
