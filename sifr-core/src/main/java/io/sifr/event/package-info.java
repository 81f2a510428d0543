/**
 * Information about a running store: events as they happen, and statistics and the shape of its
 * forests on request. Values are immutable.
 */
@NullMarked
package io.sifr.event;

import org.jspecify.annotations.NullMarked;
