/**
 * Values of {@link io.sifr.map.SifrMap} as Jackson writes them: see {@link
 * io.sifr.jackson.JacksonCodec}. May use only the public packages of the store.
 */
@NullMarked
package io.sifr.jackson;

import org.jspecify.annotations.NullMarked;
