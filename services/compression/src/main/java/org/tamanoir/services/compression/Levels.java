package org.tamanoir.services.compression;

/** The level of one direction of a stream: one that follows the link, or a fixed one. */
final class Levels {
    private final int[] levels;
    private final LevelControl control;
    private final Totals totals;

    /**
     * @param levels what it may be, each slower than the one before, the first for packets that are left as they are; or a single fixed one
     * @param first  the one to begin with, out of these
     */
    Levels(int[] levels, int first, Totals totals) {
        this.levels = levels;
        this.totals = totals;
        int at = 0;
        while (levels[at] != first) {
            at++;
        }
        control = new LevelControl(levels.length - 1, at);
    }

    boolean isStored() {
        return levels.length > 1 && control.step() == 0;
    }

    int level() {
        return levels[control.step()];
    }

    void worked(long nanos) {
        control.worked(nanos);
    }

    void look(long now, double input, double output) {
        int before = control.step();
        control.look(now, input, output);
        if (control.step() != before) {
            totals.levelChanged(level());
        }
    }

    @Override
    public String toString() {
        return isStored() ? "stored" : Integer.toString(level());
    }
}
