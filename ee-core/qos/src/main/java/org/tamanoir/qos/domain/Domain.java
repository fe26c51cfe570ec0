package org.tamanoir.qos.domain;

import java.util.List;
import org.tamanoir.qos.StandardClass;

/**
 * What a file asks for.
 *
 * @param rate    bits a second that the interface sends at most, Ethernet headers included as the kernel counts them
 * @param classes in the order of {@link StandardClass}; one of them is {@link StandardClass#BE}
 */
public record Domain(long rate, List<Share> classes) {
    /**
     * What one class gets.
     *
     * @param of         which class
     * @param rate       bits a second that it has for itself whenever it wants them
     * @param ceiling    bits a second that it gets at most, with what others leave
     * @param queue      where its packets wait
     * @param codePoints of the packets that belong to it, 0 to 63
     */
    public record Share(StandardClass of, long rate, long ceiling, Queue queue, List<Integer> codePoints) {
    }

    public Domain {
        classes = List.copyOf(classes);
    }
}
