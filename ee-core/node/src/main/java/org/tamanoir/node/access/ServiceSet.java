package org.tamanoir.node.access;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ServiceName;

/**
 * Services that a rule is for. Guests' are among them only where the rule names them: code of strangers is not meant by accident.
 *
 * @param typeIds of services that are not guests'
 * @param guests  patterns of {@link ServiceName#isPattern}
 */
record ServiceSet(Set<Integer> typeIds, Set<String> guests) {
    /** No service is said. */
    static final ServiceSet UNSAID = new ServiceSet(Set.of(), Set.of());

    /** Whether something is so, or depends on names that are not known yet. */
    enum Answer { YES, NO, UNKNOWN }

    ServiceSet {
        typeIds = Set.copyOf(typeIds);
        guests = Set.copyOf(guests);
    }

    /** @throws IllegalArgumentException if one is neither a name nor a Type ID, or a guest's by number */
    static ServiceSet of(List<String> texts) {
        Set<Integer> typeIds = new HashSet<>();
        Set<String> guests = new HashSet<>();
        for (String text : texts) {
            if (text == null) {
                throw new IllegalArgumentException("one of the list has no value");
            }
            if (!ServiceName.isGuest(text)) {
                typeIds.add(ordinary(text));
            } else if (ServiceName.isPattern(text)) {
                guests.add(text);
            } else {
                throw new IllegalArgumentException("'" + text + "' is neither ~LABEL/NAME, nor ~LABEL/* for all services of a guest, nor ~* for those of all guests");
            }
        }
        return new ServiceSet(typeIds, guests);
    }

    private static int ordinary(String text) {
        int typeId = BundledServices.parse(text);
        if (ServiceName.isGuestType(typeId)) {
            throw new IllegalArgumentException(Anep.typeName(typeId) + " is a guest's service, and does not say whose: name it ~LABEL/NAME, or ~LABEL/*, or ~*");
        }
        return typeId;
    }

    boolean isUnsaid() {
        return typeIds.isEmpty() && guests.isEmpty();
    }

    /** Whether all of some services may be used by a rule that allows. @param names of guests' services, by Type ID, as far as they are known */
    Answer allowAll(List<Integer> services, Map<Integer, String> names) {
        Answer all = Answer.YES;
        for (int typeId : services) {
            Answer one = ServiceName.isGuestType(typeId) ? guest(names.get(typeId)) : isUnsaid() || typeIds.contains(typeId) ? Answer.YES : Answer.NO;
            if (one == Answer.NO) {
                return one;
            }
            all = one == Answer.UNKNOWN ? one : all;
        }
        return all;
    }

    /** Whether a rule that refuses is for one of them at least. */
    Answer denyAny(List<Integer> services, Map<Integer, String> names) {
        Answer any = isUnsaid() ? Answer.YES : Answer.NO;
        for (int typeId : services) {
            Answer one = ServiceName.isGuestType(typeId) ? guest(names.get(typeId)) : typeIds.contains(typeId) ? Answer.YES : Answer.NO;
            any = any == Answer.YES || one == Answer.YES ? Answer.YES : any == Answer.UNKNOWN ? any : one;
        }
        return any;
    }

    /** Whether a guest's service is named. @param name null if it is not known */
    private Answer guest(String name) {
        if (guests.isEmpty() || guests.contains(ServiceName.GUESTS)) {
            return guests.isEmpty() ? Answer.NO : Answer.YES;
        }
        return name == null ? Answer.UNKNOWN : has(name) ? Answer.YES : Answer.NO;
    }

    /** Whether a guest's service is named. */
    boolean has(String name) {
        return guests.stream().anyMatch(pattern -> ServiceName.isAmong(pattern, name));
    }

    /** Whether everything that is named there is named here too. */
    boolean covers(ServiceSet other) {
        return typeIds.containsAll(other.typeIds) && other.guests.stream().allMatch(their -> guests.stream().anyMatch(mine -> mine.equals(their) || isWider(mine, their)));
    }

    private static boolean isWider(String mine, String their) {
        return mine.equals(ServiceName.GUESTS) || !their.equals(ServiceName.GUESTS) && ServiceName.isAmong(mine, their);
    }
}
