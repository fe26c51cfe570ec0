package org.tamanoir.services.compression;

/** What became of a packet. */
enum Treatment {
    /** It goes on encoded. */
    COMPRESSED("compressed", "Packets that were compressed."),
    /** It goes on restored. */
    RESTORED("restored", "Packets that were restored."),
    /** It goes on as it came: too small, encoded already, or it did not shrink; or there was nothing to restore. */
    LEFT("left", "Packets that went on as they came."),
    /** It goes on as it came and was not tried, by the skip rule. */
    SKIPPED("skipped", "Packets that were not tried because those before did not shrink."),
    /** It could not be restored. */
    FAILED("failed", "Packets that could not be restored.");

    private final String word;
    private final String help;

    Treatment(String word, String help) {
        this.word = word;
        this.help = help;
    }

    String word() {
        return word;
    }

    String help() {
        return help;
    }
}
