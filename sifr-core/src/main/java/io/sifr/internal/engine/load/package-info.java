/** Bulk loads and the ingestion of SSTs. */
@NullMarked
package io.sifr.internal.engine.load;

import org.jspecify.annotations.NullMarked;
