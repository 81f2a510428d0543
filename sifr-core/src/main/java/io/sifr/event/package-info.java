/**
 * What a store tells about itself while it runs: events as they happen, statistics and the shape of
 * its forests when asked. Values are immutable.
 */
@NullMarked
package io.sifr.event;

import org.jspecify.annotations.NullMarked;
