package org.tamanoir.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What figures depend on: processor, kernel, memory, Java. */
public final class Machine {
    private Machine() {
    }

    /** By name, in the order of printing. */
    public static Map<String, String> describe() {
        Map<String, String> machine = new LinkedHashMap<>();
        machine.put("processor", field("/proc/cpuinfo", "model name"));
        machine.put("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
        machine.put("memory", field("/proc/meminfo", "MemTotal"));
        machine.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("load", load());
        machine.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        return machine;
    }

    /** Adds what the load is now, once. */
    public static Map<String, String> after(Map<String, String> machine) {
        machine.computeIfPresent("load", (name, before) -> before.contains("before") ? before : before + " before, " + load() + " after");
        return machine;
    }

    /** Processes that ran or waited over the last minute: well above zero, and others shared the machine with the bench. */
    public static String load() {
        try {
            return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String field(String file, String name) {
        try {
            return Files.readAllLines(Path.of(file)).stream().filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
