package io.sifr.internal.util;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * The operations that depend on a type of buffers.
 *
 * @param <B> the type
 */
public interface BufferKind<B> {
  /** Netty's, which hold what lies between reader and writer index, and grow. */
  BufferKind<ByteBuf> BYTE_BUF =
      new BufferKind<>() {
        @Override
        public ByteBuf readable(ByteBuf buffer) {
          return buffer;
        }

        @Override
        public ByteBuf key(ByteBuf buffer) {
          return buffer;
        }

        @Override
        public ByteBuf writable(ByteBuf target) {
          return target;
        }

        @Override
        public void wasAppended(ByteBuf target, ByteBuf writable) {}

        @Override
        public ByteBuf around(byte[] bytes) {
          return Unpooled.wrappedBuffer(bytes);
        }

        @Override
        public byte[] bytes(ByteBuf buffer) {
          return ByteBufUtil.getBytes(buffer, buffer.readerIndex(), buffer.readableBytes(), false);
        }
      };

  /** Java's, which hold what lies between position and limit, and do not grow. */
  BufferKind<ByteBuffer> BYTE_BUFFER =
      new BufferKind<>() {
        @Override
        public ByteBuf readable(ByteBuffer buffer) {
          return Unpooled.wrappedBuffer(buffer);
        }

        @Override
        public ByteBuf key(ByteBuffer buffer) {
          return Unpooled.wrappedBuffer(bytes(buffer));
        }

        @Override
        public ByteBuf writable(ByteBuffer target) {
          return Unpooled.wrappedBuffer(target).clear();
        }

        @Override
        public void wasAppended(ByteBuffer target, ByteBuf writable) {
          target.position(target.position() + writable.writerIndex());
        }

        @Override
        public ByteBuffer around(byte[] bytes) {
          return ByteBuffer.wrap(bytes);
        }

        @Override
        public byte[] bytes(ByteBuffer buffer) {
          byte[] copy = new byte[buffer.remaining()];
          buffer.get(buffer.position(), copy);
          return copy;
        }
      };

  /** What a buffer holds; the buffer does not change. */
  ByteBuf readable(B buffer);

  /** A key to be looked up; the search copies it unless it is on the heap. */
  ByteBuf key(B buffer);

  /** The room of a buffer, to be appended to. */
  ByteBuf writable(B target);

  /** Notes in a buffer what was appended to its {@linkplain #writable room}. */
  void wasAppended(B target, ByteBuf writable);

  /** A buffer that holds an array. */
  B around(byte[] bytes);

  /** What a buffer holds, as an array: a copy, or perhaps its own if that holds nothing else. */
  byte[] bytes(B buffer);
}
