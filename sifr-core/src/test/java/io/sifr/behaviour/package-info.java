/**
 * What the public API does, one behaviour a class; nothing but the public API is used to see it.
 */
@NullMarked
package io.sifr.behaviour;

import org.jspecify.annotations.NullMarked;
