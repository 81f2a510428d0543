package io.sifr.bench.measure;

/**
 * The state of a run at one moment.
 *
 * @param seconds since the run began
 * @param operations done by then
 * @param diskBytes bytes of all files of the store
 * @param memoryBytes private memory of the process, 0 where that is unknown
 * @param tableBytes bytes of tables the store says it has written since the run began, 0 where it
 *     says nothing
 */
public record Sample(
    double seconds, long operations, long diskBytes, long memoryBytes, long tableBytes) {}
