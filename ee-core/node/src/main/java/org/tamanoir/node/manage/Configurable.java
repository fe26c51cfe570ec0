package org.tamanoir.node.manage;

import org.tamanoir.node.manage.configuration.NodeConfiguration;

/**
 * A part of the node that goes by the configuration and can change while the node runs. {@link LiveConfiguration} changes all parts
 * together or none.
 */
@FunctionalInterface
interface Configurable {
    /**
     * Gets ready for a configuration. Until {@link Change#commit} nobody notices.
     *
     * @param before the configuration in force
     * @throws org.tamanoir.anep.AnepException if the part cannot go by {@code now}; it holds nothing for {@code now} any more
     */
    Change prepare(NodeConfiguration before, NodeConfiguration now);

    /** A change that is ready. Exactly one of the two is called, once. */
    @FunctionalInterface
    interface Change {
        /** Puts it in force. Must not throw. */
        void commit();

        /** Gives back what was made ready. Must not throw. */
        default void discard() {
        }

        static Change of(Runnable commit, Runnable discard) {
            return new Change() {
                @Override
                public void commit() {
                    commit.run();
                }

                @Override
                public void discard() {
                    discard.run();
                }
            };
        }
    }
}
