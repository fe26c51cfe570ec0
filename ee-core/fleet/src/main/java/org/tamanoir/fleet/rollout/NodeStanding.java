package org.tamanoir.fleet.rollout;

/**
 * How a node stands.
 *
 * @param ring   its name
 * @param wants  the generation whose part it is to have; 0 for none yet
 * @param has    the generation whose part it has said to have; 0 for none
 * @param heard  its last report; null if it has never been heard of
 * @param why    it is as it is; null if all is well
 */
public record NodeStanding(String name, String ring, long wants, long has, State state, Heard heard, String why) {
    /** In one word. */
    public enum State {
        /** It has what it is to have, and is healthy. */
        HAS,
        /** It has it, and is not healthy. */
        UNHEALTHY,
        /** It has not said yet that it has it. */
        WAITS,
        /** It does not take it. */
        REFUSES,
        /** It has not been heard of for too long. */
        SILENT,
        /** Its fleet has nothing for it yet: its ring has not begun. */
        NEW,
        /** It has never been heard of. */
        NEVER
    }
}
