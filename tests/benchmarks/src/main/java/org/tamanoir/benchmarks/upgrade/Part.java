package org.tamanoir.benchmarks.upgrade;

/** A part of the run. Delays are kept for each part on its own. */
enum Part {
    /** The same load, and nothing else: what the others are held against. */
    QUIET("quiet"),
    /** An upgrade a second on both nodes; the bundles come from the repository. */
    UPGRADES("upgrades"),
    /** The same; the bundles are pushed to the nodes. */
    PUSHES("upgrades"),
    /** Upgrades while the repository is dead, then comes back: pushed to the first node, by the other fetched from a neighbour. */
    REPOSITORY_DIES("repository-dies"),
    /** Upgrades while the neighbour dies that has been a source before. */
    NEIGHBOUR_DIES("neighbour-dies");

    private final String group;

    Part(String group) {
        this.group = group;
    }

    /** Under what its figures stand. */
    String group() {
        return group;
    }
}
