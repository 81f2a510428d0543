/** What a store tells about itself while it runs. */
@NullMarked
package io.sifr.event;

import org.jspecify.annotations.NullMarked;
