package org.tamanoir.client.interest;

/** What a program hears in a space. */
public sealed interface Heard {
    /**
     * An event.
     *
     * @param content  what its data is
     * @param position x and y, or null
     * @param data     as it was published
     */
    record Event(String topic, Content content, double[] position, byte[] data) implements Heard {
    }

    /** What was wanted under this number is in force: an event that is published from now on, anywhere in the space, comes. */
    record Ready(int number) implements Heard {
    }

    /** Events were thrown away. @param away false: so many of this program's, for it took them too slowly; true: on a link farther away, for whomever they were */
    record Dropped(boolean away, long events) implements Heard {
    }

    /** What the data of an event is. */
    enum Content {
        OCTETS, JSON, CBOR, PROTOBUF
    }
}
