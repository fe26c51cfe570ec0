package org.tamanoir.service.worker;

import java.util.List;

/**
 * A service's way to run programs beside the node; from {@code ServiceContext.workers()}. Safe for all threads.
 *
 * <p>A worker is a process in a sandbox: no network, no files but those of the system's programs, to read, no file that it could write, a cleared
 * environment, no rights, bounded memory and processes. It gets octets on its standard input and gives octets on its standard output. It ends with its
 * service and with its node, however that ends. The operator names in {@code workers} of the service's policy which programs there are, and how many may run
 * at once; by default none.
 *
 * <pre>{@code
 * Worker worker = service.workers().start(new Program("gzip", List.of("-9")), this);     // a WorkerHandler
 * worker.write(octets);
 * worker.finish();
 * }</pre>
 */
public interface Workers {
    /**
     * Starts a worker. What is written before it runs is kept and given to it then.
     *
     * @param handler told of everything, one call at a time, among the tasks of the service
     * @throws org.tamanoir.anep.AnepException EE-216 if the policy does not name the program, EE-309 if there are as many workers as the policy allows,
     *     EE-319 if the program or what makes the sandbox is not installed, EE-210 if the service stops. What goes wrong later is told to the handler
     * @throws IllegalStateException in the start of the service
     */
    Worker start(Program program, WorkerHandler handler);

    /**
     * Whether {@link #start} could start a program now, but for the number of workers.
     *
     * @return null, or why not: the text of EE-216 or EE-319
     * @throws IllegalStateException in the start of the service
     */
    String problem(String program);

    /**
     * What is to be run.
     *
     * @param name      as the operator has written it in the policy: {@code ffmpeg}, or a path below {@code /usr}
     * @param arguments each of them as the program sees it, since no shell reads them. Never put there what a packet says before you have checked it
     */
    record Program(String name, List<String> arguments) {
        /** Arguments, and characters of all of them. */
        public static final int MOST_ARGUMENTS = 256;
        public static final int MOST_CHARACTERS = 32_768;

        /** @throws IllegalArgumentException for too many arguments, or one that no program can be given */
        public Program {
            arguments = List.copyOf(arguments);
            if (arguments.size() > MOST_ARGUMENTS || arguments.stream().mapToInt(String::length).sum() > MOST_CHARACTERS) {
                throw new IllegalArgumentException("a program has at most " + MOST_ARGUMENTS + " arguments of " + MOST_CHARACTERS + " characters together");
            }
            if (arguments.stream().anyMatch(each -> each.indexOf('\0') >= 0)) {
                throw new IllegalArgumentException("an argument holds the character 0");
            }
        }
    }
}
