/** Backups of Sifr stores in S3, and on servers with its interface. */
@NullMarked
package io.sifr.s3;

import org.jspecify.annotations.NullMarked;
