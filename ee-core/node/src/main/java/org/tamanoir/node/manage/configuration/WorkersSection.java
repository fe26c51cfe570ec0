package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.positive;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.WorkerLimits;

/** {@code workers:} of a policy: which programs a service may run, and what one of them may take; see {@link WorkerLimits}. Null is preset. */
record WorkersSection(List<String> programs, Integer count, Long memoryBytes, Integer cpus, Duration stall) {
    /** A file name, or a path below the directory of programs that every worker sees. */
    private static final Pattern PROGRAM = Pattern.compile("(/usr/([A-Za-z0-9_+-][A-Za-z0-9._+-]*/)*)?[A-Za-z0-9_+-][A-Za-z0-9._+-]*");

    WorkersSection {
        positive("count", count);
        positive("memory-bytes", memoryBytes);
        positive("cpus", cpus);
        positive("stall", stall);
        programs = programs == null ? List.of() : programs;
        for (String program : programs) {
            if (program == null || !PROGRAM.matcher(program).matches()) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "workers: programs: '" + program + "' is no name of a program such as ffmpeg, and no path below /usr");
            }
        }
    }

    WorkerLimits over(WorkerLimits preset) {
        return new WorkerLimits(programs, or(count, preset.count()), or(memoryBytes, preset.memoryBytes()), or(cpus, preset.cpus()), or(stall, preset.stall()));
    }
}
