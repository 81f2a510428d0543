/**
 * Configuration: checked, immutable values. Every option documents the costs and benefits of larger
 * values. Each setting of a store is one row of the table in {@link io.sifr.config.StoreOptions},
 * from which programs and documents take theirs.
 */
@NullMarked
package io.sifr.config;

import org.jspecify.annotations.NullMarked;
