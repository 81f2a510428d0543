/**
 * Random operations on a real store, compared with sorted maps in memory. A failure names its seed.
 */
@NullMarked
package io.sifr.model;

import org.jspecify.annotations.NullMarked;
