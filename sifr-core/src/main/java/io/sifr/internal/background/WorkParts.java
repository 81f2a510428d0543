package io.sifr.internal.background;

import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;

/**
 * The objects that the schedules of background work share.
 *
 * @param setup where the store lies
 * @param state its state
 * @param monitor guards the state of the schedules
 * @param threads on which the work runs
 * @param tasks environments of flushes and compactions
 * @param commits makes their results durable and visible
 * @param obsoleteFiles deletes what they have replaced
 */
public record WorkParts(
    Setup setup,
    StoreState state,
    WorkMonitor monitor,
    BackgroundThreads threads,
    TaskEnvironments tasks,
    Commits commits,
    ObsoleteFiles obsoleteFiles) {}
