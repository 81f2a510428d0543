package io.sifr.internal.background;

import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;

/**
 * The objects that the schedules share.
 *
 * @param setup where the store lies
 * @param state its state
 * @param monitor guards the state of the schedules
 * @param threads on which the work runs
 */
public record WorkParts(
    Setup setup, StoreState state, WorkMonitor monitor, BackgroundThreads threads) {}
