package org.tamanoir.node.deploy;

import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;

/** Code of a bundle that would end the process, in every way there is to write it. */
public final class Exiting implements Consumer<String> {
    @Override
    public void accept(String how) {
        switch (how) {
            case "System.exit" -> System.exit(3);
            case "Runtime.exit" -> Runtime.getRuntime().exit(3);
            case "Runtime.halt" -> Runtime.getRuntime().halt(3);
            case "lambda" -> ((IntConsumer) status -> System.exit(status)).accept(3);
            case "reference to System.exit" -> ((IntConsumer) System::exit).accept(3);
            case "reference to Runtime.halt" -> ((IntConsumer) Runtime.getRuntime()::halt).accept(3);
            case "unbound reference to Runtime.exit" -> ((ObjIntConsumer<Runtime>) Runtime::exit).accept(Runtime.getRuntime(), 3);
            case "its own exit" -> exit(Runtime.getRuntime().availableProcessors());
            default -> throw new IllegalArgumentException(how);
        }
    }

    private static void exit(int status) {
        throw new IllegalStateException("nothing ends here, " + status + " processors later");
    }
}
