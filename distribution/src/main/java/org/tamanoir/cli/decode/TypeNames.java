package org.tamanoir.cli.decode;

import java.util.Arrays;
import java.util.List;
import org.tamanoir.anep.Anep;

/** Type IDs as they are printed everywhere. */
final class TypeNames {
    private TypeNames() {
    }

    static List<String> of(int[] typeIds) {
        return Arrays.stream(typeIds).mapToObj(Anep::typeName).toList();
    }
}
