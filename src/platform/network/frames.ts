import type { Stream } from '@libp2p/interface';
import { concat, fromUtf8, readUint32, uint32, utf8 } from '../../crypto/bytes.ts';
import { gatherPieces } from '../../base/pieces.ts';

/** One JSON value on a stream: four bytes of length, big-endian, then UTF-8. */
export function frameOf(value: unknown): Uint8Array {
  const text = utf8(JSON.stringify(value));
  return concat(uint32(text.length), text);
}

export type FrameFault = 'size' | 'format' | 'late' | 'closed';

export class FrameError extends Error {
  readonly fault: FrameFault;

  constructor(fault: FrameFault) {
    super(`a frame is no good: ${fault}`);
    this.fault = fault;
  }
}

export interface FrameReader {
  /**
   * Returns the value when the frame is complete; undefined: more bytes are needed.
   * @throws FrameError size as soon as the length is known to be too large; format when the value isn't JSON, or when bytes follow the
   *   frame that nobody expects
   */
  push(chunk: Uint8Array): { readonly value: unknown; readonly rest?: Uint8Array } | undefined;
}

/** @param before what comes before other bytes: those are returned as the rest */
export function frameReader(maxBytes: number, { before = false } = {}): FrameReader {
  const pieces = gatherPieces();
  let have = 0;
  let length: number | undefined;
  return {
    push(chunk) {
      pieces.add(chunk);
      have += chunk.length;
      if (have < 4) return undefined;
      length ??= readUint32(pieces.whole(), 0);
      if (length > maxBytes) throw new FrameError('size');
      if (have < 4 + length) return undefined;
      if (have > 4 + length && !before) throw new FrameError('format');
      const whole = pieces.whole();
      try {
        const value = JSON.parse(fromUtf8(whole.subarray(4, 4 + length))) as unknown;
        return before ? { value, rest: whole.subarray(4 + length) } : { value };
      } catch {
        throw new FrameError('format');
      }
    },
  };
}

/**
 * Reads the one value that the other side sends.
 * @throws FrameError
 */
export async function readFrame(stream: Stream, maxBytes: number, timeMs: number): Promise<unknown> {
  const reader = frameReader(maxBytes);
  return await new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(() => fail('late'), timeMs);
    const onMessage = (event: { data: { subarray(): Uint8Array } }): void => {
      try {
        const found = reader.push(event.data.subarray());
        if (found !== undefined) settle(() => resolve(found.value));
      } catch (error) {
        settle(() => reject(error instanceof Error ? error : new FrameError('format')));
      }
    };
    const onEnd = (): void => fail('closed');
    function settle(how: () => void): void {
      clearTimeout(timer);
      stream.removeEventListener('message', onMessage);
      stream.removeEventListener('close', onEnd);
      stream.removeEventListener('remoteCloseWrite', onEnd);
      how();
    }
    function fail(fault: FrameFault): void {
      settle(() => reject(new FrameError(fault)));
    }
    stream.addEventListener('close', onEnd);
    stream.addEventListener('remoteCloseWrite', onEnd);
    // This comes last, because data that has already arrived is delivered as soon as the listener is added.
    stream.addEventListener('message', onMessage);
    if (stream.status !== 'open' && stream.readBufferLength === 0) fail('closed');
  });
}
