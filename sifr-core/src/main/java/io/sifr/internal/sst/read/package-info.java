/** Open SSTs: their lifetime, point searches, iterators, and runs of several of them. */
@NullMarked
package io.sifr.internal.sst.read;

import org.jspecify.annotations.NullMarked;
