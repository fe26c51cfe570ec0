package org.tamanoir.repository;

import java.util.Locale;

/** What a repository counts, by the name under which {@code /metrics} shows it. */
enum Counter {
    PUBLISHED("Bundles that were taken for the first time."),
    PUBLISHED_AGAIN("Uploads of a bundle that was there already."),
    REFUSED("Uploads that were refused, whatever the reason."),
    RETIRED("Retirements."),
    INDEX_SERVED("Answers with the index, without those that said it has not changed."),
    BUNDLES_SERVED("Bundles that were sent."),
    OCTETS_SERVED("Octets of these bundles.");

    private final String help;

    Counter(String help) {
        this.help = help;
    }

    String metric() {
        return "tamanoir_repository_" + name().toLowerCase(Locale.ROOT) + "_total";
    }

    String help() {
        return help;
    }
}
