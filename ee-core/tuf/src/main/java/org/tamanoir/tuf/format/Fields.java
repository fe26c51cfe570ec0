package org.tamanoir.tuf.format;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The fields of one object of a document; what is missing or of another type is named by its place. */
final class Fields {
    private final Map<?, ?> object;
    private final String place;

    private Fields(Map<?, ?> object, String place) {
        this.object = object;
        this.place = place;
    }

    /** @param place where the object is, for errors: {@code root.keys} */
    static Fields of(Object object, String place) {
        if (object instanceof Map<?, ?> map) {
            return new Fields(map, place);
        }
        throw bad(place + " is no object");
    }

    static AnepException bad(String why) {
        return new AnepException(ErrorCode.BAD_METADATA, "this is no metadata: " + why);
    }

    boolean has(String name) {
        return object.containsKey(name);
    }

    String text(String name) {
        if (object.get(name) instanceof String text) {
            return text;
        }
        throw bad(place(name) + " is no text");
    }

    long integer(String name, long least) {
        if (object.get(name) instanceof Long value && value >= least) {
            return value;
        }
        throw bad(place(name) + " is no integer from " + least + " on");
    }

    boolean truth(String name) {
        if (object.get(name) instanceof Boolean value) {
            return value;
        }
        throw bad(place(name) + " is neither true nor false");
    }

    Fields object(String name) {
        return of(object.get(name), place(name));
    }

    /** Hexadecimal digits, as octets. */
    byte[] octets(String name) {
        try {
            return HexFormat.of().parseHex(text(name));
        } catch (IllegalArgumentException e) {
            throw bad(place(name) + " is not hexadecimal");
        }
    }

    List<String> texts(String name, int most) {
        List<String> texts = new ArrayList<>();
        for (Object each : list(name, most)) {
            if (!(each instanceof String text)) {
                throw bad(place(name) + " has something that is no text");
            }
            texts.add(text);
        }
        return List.copyOf(texts);
    }

    List<Fields> objects(String name, int most) {
        List<Fields> objects = new ArrayList<>();
        list(name, most).forEach(each -> objects.add(of(each, place(name) + "[" + objects.size() + "]")));
        return objects;
    }

    private List<?> list(String name, int most) {
        if (!(object.get(name) instanceof List<?> list)) {
            throw bad(place(name) + " is no list");
        }
        if (list.size() > most) {
            throw bad(place(name) + " has more than " + most + " entries");
        }
        return list;
    }

    /** Every field of this object, which is itself an object, made into something; in the order of the document. */
    <T> Map<String, T> each(int most, BiFunction<String, Fields, T> made) {
        if (object.size() > most) {
            throw bad(place + " has more than " + most + " entries");
        }
        Map<String, T> all = new LinkedHashMap<>();
        object.forEach((name, value) -> all.put((String) name, made.apply((String) name, of(value, place((String) name)))));
        return Collections.unmodifiableMap(all);
    }

    /** The object as it was read. */
    @SuppressWarnings("unchecked")
    Map<String, Object> raw() {
        return (Map<String, Object>) object;
    }

    String place(String name) {
        return place + "." + name;
    }
}
