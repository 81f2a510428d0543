/**
 * A page that shows what is in a store and what it does, to be looked at with a browser: {@link
 * io.sifr.web.StoreWindow}.
 */
@NullMarked
package io.sifr.web;

import org.jspecify.annotations.NullMarked;
