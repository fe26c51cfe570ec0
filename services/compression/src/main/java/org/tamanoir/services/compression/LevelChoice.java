package org.tamanoir.services.compression;

import java.util.function.Consumer;

/** The level of one direction of a stream: one that follows the link, or a fixed one. */
final class LevelChoice {
    private final int[] levels;
    private final LevelControl control;
    private final Consumer<LevelControl.Known> changed;

    /**
     * @param levels  what it may be, each slower than the one before, the first for packets that are left as they are; or a single fixed one
     * @param known   what is known of the link
     * @param changed told after each change
     */
    LevelChoice(int[] levels, LevelControl.Known known, Consumer<LevelControl.Known> changed) {
        this.levels = levels;
        this.changed = changed;
        control = new LevelControl(levels.length - 1, known);
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

    void look(long now, int came, double input, double output) {
        int before = control.step();
        control.look(now, came, input, output);
        if (control.step() != before) {
            changed.accept(control.known());
        }
    }

    @Override
    public String toString() {
        return isStored() ? "stored" : Integer.toString(level());
    }
}
