/**
 * Encryption of what is in files: keys by their numbers, and the pieces of a file that are sealed
 * with one of them. Knows bytes, and nothing of what they mean.
 */
@NullMarked
package io.sifr.internal.crypt;

import org.jspecify.annotations.NullMarked;
