package io.sifr.internal.background;

import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;

/**
 * What the schedules share.
 *
 * @param setup where the store lies
 * @param state what it is
 * @param monitor guards what they decide by
 * @param threads on which the works run
 */
record WorkParts(Setup setup, StoreState state, WorkMonitor monitor, BackgroundThreads threads) {}
