/** Codecs that make blocks smaller. They know bytes, and nothing of entries or files. */
@NullMarked
package io.sifr.internal.codec;

import org.jspecify.annotations.NullMarked;
