package io.sifr.stress;

import io.sifr.Store;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Where an actor acts.
 *
 * @param random the actor's own
 * @param ending whether the run is about to end
 */
record Stage(Store store, StressModel model, Random random, BooleanSupplier ending) {}
