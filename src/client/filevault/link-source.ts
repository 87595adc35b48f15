import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../base/problem.ts';
import type { WireReply } from '../transport.ts';
import { askForContent, type LinkCaller } from './link-info.ts';

/** Where reading begins, and what an earlier process knew. */
export interface Beginning {
  /** in what the server sends */
  readonly at: number;
  readonly total: number;
  /** counts no access */
  readonly grant?: string | undefined;
  readonly etag?: string | undefined;
  /** hears what a later process needs */
  readonly onAnswer: (known: {
    readonly grant: string | undefined;
    readonly etag: string | undefined;
  }) => Promise<void>;
  /** tries after one without a byte, and milliseconds before the first */
  readonly patience?: { readonly tries: number; readonly pause: number };
}

export interface LinkSource extends AsyncDisposable {
  /** @returns exactly so many bytes. @throws Problem */
  read(bytes: number): Promise<Buffer>;
  /** Asks for the content, where nothing is read: that it is there counts as an access. */
  begin(): Promise<void>;
}

const usual = { tries: 5, pause: 500 };

/** The content of a link. It goes on where a connection breaks, as the same access. */
export function linkSource(caller: LinkCaller, beginning: Beginning): LinkSource {
  const { total, patience = usual } = beginning;
  let { at, grant, etag } = beginning;
  let pieces: AsyncIterator<Uint8Array> | undefined;
  let rest: Uint8Array = new Uint8Array();

  async function connect(): Promise<AsyncIterator<Uint8Array>> {
    const headers = at > 0 ? { range: `bytes=${at}-`, 'if-range': etag ?? '' } : {};
    const reply = await askForContent(caller, grant, headers);
    if (at > 0 && !continues(reply)) {
      throw new Problem('network', 'BAD_REPLY', `The file changed on ${caller.place}. Begin again, into another file.`);
    }
    grant = reply.headers['x-share-grant'] ?? grant;
    etag = reply.headers['etag'];
    await beginning.onAnswer({ grant, etag });
    return reply.body[Symbol.asyncIterator]();
  }

  function continues({ status, headers }: WireReply): boolean {
    return (
      status === 206 && headers['content-range'] === `bytes ${at}-${total - 1}/${total}` && headers['etag'] === etag
    );
  }

  async function next(): Promise<Uint8Array> {
    for (let tries = 0; ; tries += 1) {
      try {
        pieces ??= await connect();
        const { done, value } = (await pieces.next()) as IteratorResult<Uint8Array, undefined>;
        if (done === true) throw new Problem('network', 'NETWORK', `${caller.place} ended the content too early.`);
        at += value.length;
        return value;
      } catch (error) {
        pieces = undefined;
        if (tries >= patience.tries || !mayPass(error) || (at > 0 && etag === undefined)) throw error;
        await sleep(patience.pause * 2 ** tries);
      }
    }
  }

  return {
    async begin() {
      pieces ??= await connect();
    },
    async read(bytes) {
      const taken: Uint8Array[] = [];
      for (let left = bytes; left > 0;) {
        if (rest.length === 0) rest = await next();
        taken.push(rest.subarray(0, left));
        const used = Math.min(left, rest.length);
        rest = rest.subarray(used);
        left -= used;
      }
      return taken.length === 1 ? Buffer.from(taken[0] as Uint8Array) : Buffer.concat(taken);
    },
    async [Symbol.asyncDispose]() {
      await pieces?.return?.();
    },
  };
}

function mayPass(error: unknown): boolean {
  return error instanceof Problem && (error.code === 'NETWORK' || error.kind === 'unavailable');
}
