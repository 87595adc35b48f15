import { readUint32, uint32 } from '../../../crypto/bytes.ts';
import { gatherPieces } from '../../../base/pieces.ts';
import type { StreamPriority } from '../../../service/ports/network.ts';
import { protocolId } from '../requests.ts';

/**
 * A stream of bytes: the asker sends one frame, the other node answers with one frame, and then with the bytes. While they come, the asker
 * sends how many more it has room for, as numbers of four bytes, big-endian. Windows of Yamux alone don't do: it makes them larger by itself,
 * and a paused stream is reset when it holds 4 MiB, in pieces as small as the sender likes.
 */
export function bytesProtocol(protocol: string): string {
  return protocolId(protocol, 'bytes/');
}

/** Bytes of the first frame of either side. */
export const HEAD_BYTES = 64 * 1024;
/** Two peers with windows smaller than this would talk more about room than they send. */
const LEAST_WINDOW = 64 * 1024;
const MOST_WINDOW = 16 * 1024 * 1024;
const MAX_HASH = 256;

export interface StreamQuestion {
  readonly question: unknown;
  readonly offset: number;
  readonly priority: StreamPriority;
  /** bytes that may be sent at first */
  readonly window: number;
}

export interface StreamAnswer {
  readonly size: number;
  readonly hash: string;
}

function isCount(value: unknown, most: number = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

export function questionIn(value: unknown): StreamQuestion | undefined {
  const { question, offset, priority, window } = (value ?? {}) as Record<string, unknown>;
  if (priority !== 'interactive' && priority !== 'bulk') return undefined;
  if (!isCount(offset) || !isCount(window, MOST_WINDOW) || window < LEAST_WINDOW) return undefined;
  return { question, offset, priority, window };
}

export function answerIn(value: unknown): StreamAnswer | undefined {
  const { size, hash } = (value ?? {}) as Record<string, unknown>;
  return isCount(size) && typeof hash === 'string' && hash.length <= MAX_HASH ? { size, hash } : undefined;
}

/** How many more bytes the asker has room for. */
export function roomFor(bytes: number): Uint8Array {
  return uint32(bytes);
}

/** Adds up the room that comes in pieces of any size. */
export function roomReader(): (chunk: Uint8Array) => number {
  const pieces = gatherPieces();
  return (chunk) => {
    pieces.add(chunk);
    const whole = pieces.whole();
    let room = 0;
    let at = 0;
    for (; at + 4 <= whole.length; at += 4) room += readUint32(whole, at);
    pieces.clear();
    if (at < whole.length) pieces.add(whole.subarray(at));
    return room;
  };
}
