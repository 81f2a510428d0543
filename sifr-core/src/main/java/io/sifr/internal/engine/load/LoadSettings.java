package io.sifr.internal.engine.load;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The resources that a bulk load may use.
 *
 * @param memoryBytes of the heap, for entries
 * @param threads threads of its own
 * @param temporaryDirectory where sorted runs are written; null: in the directory of the store
 */
public record LoadSettings(long memoryBytes, int threads, @Nullable Path temporaryDirectory) {}
