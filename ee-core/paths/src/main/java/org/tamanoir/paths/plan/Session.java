package org.tamanoir.paths.plan;

/**
 * One measurement that a theodolite repeats, with all that it needs to know (GlueDomains: "the session should not need to access the monitoring or topology
 * databases").
 *
 * @param task      of the plan
 * @param from      the theodolite that runs it
 * @param to        the one that answers
 * @param toAddress host name or address of that one, with or without a port
 * @param qosClass  in whose packets it measures
 * @param codePoint of the class, 0 to 63
 * @param test      what is done
 * @param schedule  null for one that runs on demand only
 */
public record Session(String task, String from, String to, String toAddress, String qosClass, int codePoint, Measurement test, Schedule schedule) {
    /** Unique in a plan, and the same in the next version if it is the same measurement: {@code task/class/from/to}. */
    public String id() {
        return task + "/" + qosClass + "/" + from + "/" + to;
    }

    public boolean isPeriodic() {
        return schedule != null;
    }
}
