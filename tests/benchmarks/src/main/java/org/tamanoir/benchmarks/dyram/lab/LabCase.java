package org.tamanoir.benchmarks.dyram.lab;

/**
 * What a system meets in a run.
 *
 * @param loss on the links
 * @param cold whether every process, nodes included, is started for this run; otherwise those that stay have carried files before
 */
record LabCase(LossCase loss, boolean cold) {
    /** As results name it: {@code ind25}, {@code ind25-cold}. */
    @Override
    public String toString() {
        return loss + (cold ? "-cold" : "");
    }
}
