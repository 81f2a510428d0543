package io.sifr.bench.measure;

/**
 * The state of a run at one moment.
 *
 * @param seconds since the run began
 * @param operations done by then
 * @param diskBytes bytes of all files of the store
 * @param memoryBytes private memory of the process, 0 where that is unknown
 * @param tableBytes bytes of tables written since the run began, as the store reports them; 0 if it
 *     does not
 */
public record Sample(
    double seconds, long operations, long diskBytes, long memoryBytes, long tableBytes) {}
