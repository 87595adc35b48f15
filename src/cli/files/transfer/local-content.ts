import { createReadStream, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Problem } from '../../../base/problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import { changedIn, millisecondsIn, sizeIn } from './file-stats.ts';
import type { Content } from './outgoing.ts';

/** Bytes that are read, hashed and sent at a time. */
const PIECE = 256 * 1024;

/** A file of this machine, as it is now. */
export function localContent(path: string, found: BigIntStats): Content {
  return {
    label: path,
    size: sizeIn(found),
    modifiedAt: millisecondsIn(found),
    changedAt: changedIn(found),
    rereads: true,
    async *pieces(start, end) {
      let left = end - start;
      try {
        const stream = createReadStream(path, { start, end: end - 1, highWaterMark: PIECE });
        for await (const piece of stream as AsyncIterable<Uint8Array>) {
          left -= piece.length;
          yield piece;
        }
      } catch (cause) {
        if (cause instanceof Problem) throw cause;
        throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
      }
      if (left > 0) throw changed(path);
    },
    async assertUnchanged() {
      const now = await stat(path, { bigint: true }).catch(() => undefined);
      if (now?.size !== found.size || now.mtimeNs !== found.mtimeNs || now.ino !== found.ino) throw changed(path);
    },
  };
}

/** Chunks of two states of a file make no file. */
function changed(path: string): Problem {
  return new Problem(
    'conflict',
    'NOTHING_CHANGED',
    `${path} changed while it was sent. Nothing was stored. Send it again.`,
  );
}
