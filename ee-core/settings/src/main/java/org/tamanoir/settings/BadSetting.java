package org.tamanoir.settings;

import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A value that cannot stand where it does. Thrown by a section's constructor, it becomes EE-501 with the whole key and the line. */
public final class BadSetting extends AnepException {
    private final List<?> key;

    /**
     * A wrong value of one key of the section.
     *
     * @param key  as it is written
     * @param what follows the key and a colon: {@code it must be from 1 to 255, not 300}
     */
    public BadSetting(String key, String what) {
        this(List.of(key), what);
    }

    /** The same of a key within a list or a section of it: positions from 0 and names. */
    public BadSetting(List<?> key, String what) {
        super(ErrorCode.BAD_CONFIGURATION, what);
        this.key = List.copyOf(key);
    }

    List<?> key() {
        return key;
    }
}
