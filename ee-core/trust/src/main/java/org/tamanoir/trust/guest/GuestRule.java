package org.tamanoir.trust.guest;

import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.trust.Publisher;

/** What is for guests, and what guests are kept to: WebAssembly, names below their own label, and Type IDs that nobody else may have. */
public final class GuestRule {
    /** The {@code runtime} of a bundle that holds a WebAssembly module. */
    public static final String WASM = "wasm";
    /** The level of a guest's service: on no event loop, where it would keep others waiting. */
    public static final String LEVEL = "heavy";

    private GuestRule() {
    }

    /**
     * Checks what a bundle claims against who has signed it.
     *
     * @param publisher   null for nobody, which is possible in development mode only
     * @param development whether signatures prove nothing: whoever uses a guest's name is that guest then
     * @param level       of the capability
     * @param runtime     of the capability; null if it does not say
     * @throws AnepException EE-656
     */
    public static void check(Publisher publisher, boolean development, String name, int typeId, String level, String runtime) {
        boolean isGuest = publisher != null && publisher.isGuest() || development && ServiceName.isGuest(name);
        if (isGuest) {
            checkGuest(publisher, development, name, typeId, level, runtime);
        } else if (ServiceName.isGuest(name)) {
            throw refused("the name " + name + " is one for guests alone, and " + who(publisher) + " is a publisher who is trusted: take a name without ~");
        } else if (ServiceName.isGuestType(typeId)) {
            throw refused("the Type IDs from " + range() + " are for guests alone, and " + name + " has " + Anep.typeName(typeId));
        }
    }

    private static void checkGuest(Publisher publisher, boolean development, String name, int typeId, String level, String runtime) {
        String label = development ? ServiceName.label(name) : publisher.label();
        if (label == null) {
            throw refused("'" + name + "' is no name for a guest's service: ~LABEL/NAME, each lower-case letters, digits, dots, dashes and underscores");
        }
        if (label.isEmpty()) {
            throw refused(who(publisher) + " is a guest, and the certificate gives no label: its common name (CN) must begin with a letter or digit and have at most "
                    + ServiceName.MOST_LABEL + " characters");
        }
        if (!label.equals(ServiceName.label(name))) {
            throw refused(who(publisher) + " is a guest, and names of that guest's services begin with " + ServiceName.prefix(label) + "; this one is called " + name);
        }
        if (!ServiceName.isGuestType(typeId)) {
            throw refused(name + " is a guest's service, whose Type ID is from " + range() + "; it has " + Anep.typeName(typeId));
        }
        if (!WASM.equals(runtime)) {
            throw refused(name + " is a guest's service, which must be WebAssembly (runtime=\"" + WASM + "\"); its runtime is " + (runtime == null ? "Java" : runtime));
        }
        if (!LEVEL.equals(level)) {
            throw refused(name + " is a guest's service, whose level is " + LEVEL + "; it has level " + level);
        }
    }

    private static String range() {
        return Anep.typeName(ServiceName.FIRST_GUEST_TYPE) + " to " + Anep.typeName(ServiceName.LAST_GUEST_TYPE);
    }

    private static String who(Publisher publisher) {
        return publisher == null ? "nobody" : publisher.name();
    }

    private static AnepException refused(String why) {
        return new AnepException(ErrorCode.NOT_FOR_GUESTS, why);
    }
}
