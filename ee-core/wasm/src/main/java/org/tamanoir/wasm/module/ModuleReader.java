package org.tamanoir.wasm.module;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Reads a module (WebAssembly core specification 1.0, chapter 5) from front to back once, and keeps no more of it than a few names. What the
 * library would make of a hostile module when the node loads it, such as a million elements of a table in a few octets, is refused here.
 */
final class ModuleReader {
    private static final int MAGIC = 0x0061736D;
    private static final int VERSION = 0x01000000;
    /** Octets of sections that the library keeps as objects many times their size. */
    private static final int MOST_SECTION = 512 << 10;
    private static final int MOST_TABLES = 16;
    private static final int MOST_TABLE_ENTRIES = 65_536;
    private static final int MOST_LOCALS = 20_000;
    private static final int MOST_LOCALS_OF_ALL = 1_000_000;
    private static final int MOST_DATA = 65_536;
    private static final String[] NAMES = {"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code",
        "data", "data count"};
    /** In this order the sections stand; the last one in front of the code. */
    private static final int[] ORDER = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 10};

    private final byte[] octets;
    private final WasmLimits limits;
    private final List<Signature> types = new ArrayList<>();
    private final List<Import> imports = new ArrayList<>();
    private final Map<String, Signature> exports = new HashMap<>();
    private int[] functions = new int[0];
    private int bodies;
    private int memories;
    private int pages;
    private boolean memoryExported;

    ModuleReader(byte[] octets, WasmLimits limits) {
        this.octets = octets;
        this.limits = limits;
    }

    WasmModule read() {
        if (octets.length > limits.moduleOctets()) {
            throw tooLarge(octets.length + " octets", limits.moduleOctets() + " octets");
        }
        OctetReader in = new OctetReader(octets, 0, octets.length);
        if (fixed(in) != MAGIC || fixed(in) != VERSION) {
            throw OctetReader.malformed("it does not begin as one of version 1 does");
        }
        int last = 0;
        while (in.hasMore()) {
            int id = in.octet();
            OctetReader section = in.part(in.number());
            if (id == 0) {
                section.name();
                continue;
            }
            if (id == 13) {
                throw unsupported("exceptions");
            }
            if (id >= ORDER.length) {
                throw OctetReader.malformed("it has a section " + id);
            }
            if (ORDER[id] <= last) {
                throw OctetReader.malformed("its section '" + NAMES[id] + "' is in the wrong place");
            }
            last = ORDER[id];
            section(id, section);
        }
        if (bodies != functions.length) {
            throw OctetReader.malformed("it has " + functions.length + " functions, and code for " + bodies);
        }
        if (memories != 1 || !memoryExported) {
            throw Contracts.outside("it exports no memory of its own as 'memory'");
        }
        Abi abi = Contracts.of(exports);
        Contracts.check(abi, imports, exports);
        return new WasmModule(octets, abi, imports, exports, functions.length, pages);
    }

    private static int fixed(OctetReader in) {
        return in.octet() << 24 | in.octet() << 16 | in.octet() << 8 | in.octet();
    }

    private void section(int id, OctetReader in) {
        if (id < 10 && id != 3 && in.remaining() > MOST_SECTION) {
            throw tooLarge("a section '" + NAMES[id] + "' of " + in.remaining() + " octets", MOST_SECTION + " octets");
        }
        switch (id) {
            case 1 -> types(in);
            case 2 -> imports(in);
            case 3 -> functions(in);
            case 4 -> tables(in);
            case 5 -> memory(in);
            case 7 -> exports(in);
            case 10 -> code(in);
            case 11 -> {
                if (in.count(1) > MOST_DATA) {
                    throw tooLarge("more than " + MOST_DATA + " segments of data", String.valueOf(MOST_DATA));
                }
                return;
            }
            // Constants and places of globals, elements and data are read by the compiler, in its own process.
            default -> {
                return;
            }
        }
        in.end("its section '" + NAMES[id] + "'");
    }

    private void types(OctetReader in) {
        for (int count = in.count(3); count > 0; count--) {
            if (in.octet() != 0x60) {
                throw unsupported("types of the collector's proposal");
            }
            types.add(new Signature(values(in), values(in)));
        }
    }

    private static String values(OctetReader in) {
        StringBuilder text = new StringBuilder();
        for (int count = in.count(1); count > 0; count--) {
            text.append(switch (in.octet()) {
                case 0x7F -> 'i';
                case 0x7E -> 'I';
                case 0x7D -> 'f';
                case 0x7C -> 'F';
                case 0x70, 0x6F -> 'r';
                default -> throw unsupported("vectors or references to types");
            });
        }
        return text.toString();
    }

    private Signature type(long index) {
        if (index >= types.size()) {
            throw OctetReader.malformed("it has no type " + index);
        }
        return types.get((int) index);
    }

    private void imports(OctetReader in) {
        for (int count = in.count(4); count > 0; count--) {
            String module = in.name();
            String name = in.name();
            if (in.octet() != 0) {
                throw Contracts.outside("it imports " + module + "." + name + ", which is no function");
            }
            imports.add(new Import(module, name, type(in.number())));
        }
    }

    private void functions(OctetReader in) {
        int count = in.count(1);
        if (count > limits.functions()) {
            throw tooLarge(count + " functions", String.valueOf(limits.functions()));
        }
        functions = new int[count];
        for (int i = 0; i < count; i++) {
            long index = in.number();
            type(index);
            functions[i] = (int) index;
        }
    }

    private void tables(OctetReader in) {
        int count = in.count(3);
        if (count > MOST_TABLES) {
            throw tooLarge(count + " tables", String.valueOf(MOST_TABLES));
        }
        for (; count > 0; count--) {
            int kind = in.octet();
            if (kind != 0x70 && kind != 0x6F) {
                throw unsupported("tables of other than functions");
            }
            long least = limits(in, "table");
            if (least > MOST_TABLE_ENTRIES) {
                throw tooLarge("a table of " + least + " entries", String.valueOf(MOST_TABLE_ENTRIES));
            }
        }
    }

    private void memory(OctetReader in) {
        memories = in.count(2);
        if (memories > 1) {
            throw unsupported("several memories");
        }
        if (memories == 1) {
            long least = limits(in, "memory");
            if (least > limits.pages()) {
                throw tooLarge("a memory of " + least + " pages", limits.pages() + " pages");
            }
            pages = (int) least;
        }
    }

    private static long limits(OctetReader in, String what) {
        int flags = in.octet();
        if (flags > 1) {
            throw unsupported("a shared or a large " + what);
        }
        long least = in.number();
        if (flags == 1 && in.number() < least) {
            throw OctetReader.malformed("a " + what + " is to begin larger than it may be");
        }
        return least;
    }

    private void exports(OctetReader in) {
        for (int count = in.count(3); count > 0; count--) {
            String name = in.name();
            int kind = in.octet();
            long index = in.number();
            if (kind == 0) {
                if (index >= (long) imports.size() + functions.length) {
                    throw OctetReader.malformed("it exports a function " + index + " that it does not have");
                }
                int own = (int) index - imports.size();
                exports.put(name, own < 0 ? imports.get((int) index).signature() : types.get(functions[own]));
            } else if (kind == 2 && name.equals("memory")) {
                memoryExported = true;
            }
        }
    }

    /** Only how long each body is, and how many locals it has: the library makes an object of each. */
    private void code(OctetReader in) {
        bodies = in.count(2);
        long ofAll = 0;
        for (int i = 0; i < bodies; i++) {
            OctetReader body = in.part(in.number());
            long locals = 0;
            for (int groups = body.count(2); groups > 0; groups--) {
                locals += body.number();
                body.octet();
            }
            ofAll += locals;
            if (locals > MOST_LOCALS || ofAll > MOST_LOCALS_OF_ALL) {
                throw tooLarge(locals + " local variables in function " + i, MOST_LOCALS + ", and " + MOST_LOCALS_OF_ALL + " in all functions");
            }
        }
    }

    private static AnepException tooLarge(String has, String may) {
        return new AnepException(ErrorCode.MODULE_TOO_LARGE, "the module has " + has + "; it may have " + may);
    }

    private static AnepException unsupported(String what) {
        return new AnepException(ErrorCode.NOT_COMPILED, "the module uses " + what + ", which this engine does not take; build it for WebAssembly 2.0 without it");
    }
}
