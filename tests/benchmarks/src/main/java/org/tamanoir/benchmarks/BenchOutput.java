package org.tamanoir.benchmarks;

import java.io.PrintWriter;
import java.util.function.Consumer;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.cli.Json;
import org.tamanoir.lab.LabException;

/** How every bench speaks: progress on a terminal only, then the result as JSON or as a table with its targets. */
final class BenchOutput {
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;

    BenchOutput(PrintWriter out, PrintWriter err, boolean json) {
        this.out = out;
        this.err = err;
        this.json = json;
    }

    /** Writes over one line of standard error where that is a terminal, and nothing otherwise. */
    Consumer<String> progress() {
        if (System.console() == null) {
            return line -> { };
        }
        return line -> {
            err.print("\r\033[K" + line);
            err.flush();
        };
    }

    /**
     * Prints a report.
     *
     * @param table prints the figures for people
     * @return the exit code: failed if a run gave no figure or a target is missed
     */
    int print(Report report, Consumer<PrintWriter> table) {
        progress().accept("");
        if (json) {
            Json.print(out, report);
        } else {
            report.machine().forEach((name, value) -> out.printf("%-12s %s%n", name, value));
            table.accept(out);
            out.println();
            report.targets().forEach(target -> out.println(text(target)));
        }
        report.failures().forEach(failure -> err.println("failed: " + failure));
        out.flush();
        err.flush();
        return report.failures().isEmpty() && report.targets().stream().noneMatch(Target::isMissed) ? ExitCode.DONE : ExitCode.FAILED;
    }

    int print(Findings found) {
        return print(found.report(), found::printTable);
    }

    /** Prints what is no figure. @param object the same as JSON @return the exit code */
    int print(Object object, String text) {
        if (json) {
            Json.print(out, object);
        } else {
            out.print(text);
        }
        out.flush();
        return ExitCode.DONE;
    }

    /** Says why a bench could not run. @return the exit code */
    int failed(LabException reason) {
        progress().accept("");
        err.println(ErrorCode.INTERNAL + " the bench cannot run: " + reason.getMessage());
        err.flush();
        return ExitCode.FAILED;
    }

    private static String text(Target target) {
        String value = target.value() == null ? "not measured" : String.format("%,.2f", target.value());
        return String.format("%-5s %s %,.2f: %s", target.holds() ? "holds" : target.isMissed() ? "MISSED" : "-", target.name(),
                target.target(), value);
    }
}
