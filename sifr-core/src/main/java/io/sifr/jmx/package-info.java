/** Open stores as beans of JMX, off by default: {@link io.sifr.jmx.StoreBeans}. */
@NullMarked
package io.sifr.jmx;

import org.jspecify.annotations.NullMarked;
