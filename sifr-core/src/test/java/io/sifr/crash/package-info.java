/** What survives a crash: stores whose process is really killed. */
@NullMarked
package io.sifr.crash;

import org.jspecify.annotations.NullMarked;
