import { failureOf, LinkFailure } from './failure.ts';
import { discreet, passwordHeader } from './link-api.ts';
import { joined, type Octets } from './octets.ts';

/** What is asked for, and how far one may wait for it. */
export interface SourceRequest {
  /** of the content */
  readonly url: string;
  readonly password: string | undefined;
  /** bytes that have to come */
  readonly total: number;
  /** of an earlier try, so that this one counts no access */
  readonly grant?: string | undefined;
  readonly signal: AbortSignal;
  /** hears when a connection broke and when it is there again */
  readonly onBreak?: (isBroken: boolean) => void;
  /** milliseconds: without a byte for so long, a connection counts as broken; without one for so long after that, all does */
  readonly patience?: { readonly silence: number; readonly whole: number; readonly pause: number };
}

/** Bytes from the server, which goes on where a connection broke. Nothing is read ahead of what is asked for, but for one piece. */
export interface Source {
  /** Asks for the content: what the server refuses is known before anything is written. @throws LinkFailure */
  begin(): Promise<void>;
  /** @returns exactly so many bytes. @throws LinkFailure */
  read(bytes: number): Promise<Octets>;
  /** @throws LinkFailure damaged if there is anything left */
  end(): Promise<void>;
  readonly grant: string | undefined;
}

type Reader = ReadableStreamDefaultReader<Octets>;

const usual = { silence: 60_000, whole: 300_000, pause: 1_000 };
const LONGEST_PAUSE = 15_000;

export function openSource(request: SourceRequest): Source {
  const { total, signal, onBreak } = request;
  const patience = request.patience ?? usual;
  let reader: Reader | undefined;
  let grant = request.grant;
  let etag: string | undefined;
  /** bytes that came so far */
  let at = 0;
  const waiting: Octets[] = [];
  let held = 0;

  async function connect(): Promise<Reader> {
    const headers = {
      ...passwordHeader(request.password),
      ...(grant !== undefined && { 'x-share-grant': grant }),
      ...(at > 0 && { range: `bytes=${at}-`, 'if-range': etag ?? '' }),
    };
    const answer = await fetch(request.url, { ...discreet, headers, signal });
    if (!answer.ok) throw await failureOf(answer);
    grant = answer.headers.get('x-share-grant') ?? grant;
    const tag = answer.headers.get('etag') ?? undefined;
    if (at > 0) {
      const goesOn =
        answer.status === 206 && answer.headers.get('content-range') === `bytes ${at}-${total - 1}/${total}`;
      if (!goesOn || tag !== etag) throw new LinkFailure('changed');
    }
    etag = tag;
    if (answer.body === null) throw new LinkFailure('server');
    return answer.body.getReader();
  }

  /** @returns undefined at the end of the content */
  async function next(): Promise<Octets | undefined> {
    const since = Date.now();
    for (let failures = 0; ; failures += 1) {
      try {
        reader ??= await connect();
        if (failures > 0) onBreak?.(false);
        const { done, value } = await soon(reader, patience.silence);
        if (!done) return took(value);
        if (at === total) return undefined;
        throw new TypeError('the connection ended');
      } catch (error) {
        const broken = reader;
        reader = undefined;
        await broken?.cancel().catch(() => {});
        if (signal.aborted) throw new LinkFailure('cancelled');
        if (!(await isPassing(error, failures, since)))
          throw error instanceof LinkFailure ? error : new LinkFailure('network');
      }
    }
  }

  function took(piece: Octets): Octets {
    at += piece.length;
    if (at > total) throw new LinkFailure('damaged');
    return piece;
  }

  /** Waits, if trying again may help. */
  async function isPassing(error: unknown, failures: number, since: number): Promise<boolean> {
    const failed = error instanceof LinkFailure ? error.failed : { kind: 'network' as const };
    const passes = ['network', 'server', 'too-many'].includes(failed.kind);
    // Before the first byte a person may as well decide. Without a tag nobody knows what the rest belongs to.
    if (!passes || at === 0 || etag === undefined || Date.now() - since > patience.whole) return false;
    onBreak?.(true);
    const asked = (failed.retryAfterSeconds ?? 0) * 1_000;
    await pause(Math.max(asked, Math.min(LONGEST_PAUSE, patience.pause * 2 ** failures)), signal);
    return true;
  }

  return {
    get grant() {
      return grant;
    },
    async begin() {
      try {
        reader ??= await connect();
      } catch (error) {
        throw error instanceof LinkFailure ? error : new LinkFailure(signal.aborted ? 'cancelled' : 'network');
      }
    },
    async read(bytes) {
      while (held < bytes) {
        const piece = await next();
        if (piece === undefined) throw new LinkFailure('damaged');
        waiting.push(piece);
        held += piece.length;
      }
      const taken: Octets[] = [];
      for (let left = bytes; left > 0;) {
        const piece = waiting[0] as Octets;
        taken.push(piece.subarray(0, left));
        if (piece.length > left) waiting[0] = piece.subarray(left);
        else waiting.shift();
        left -= Math.min(left, piece.length);
      }
      held -= bytes;
      return joined(...taken);
    },
    async end() {
      if (held > 0 || (await next()) !== undefined) throw new LinkFailure('damaged');
    },
  };
}

/** The next piece, if it comes in time: a connection can be dead without an end. */
async function soon(reader: Reader, silence: number): Promise<Awaited<ReturnType<Reader['read']>>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('the connection is silent')), silence);
  });
  try {
    return await Promise.race([reader.read(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  if (signal.aborted) throw new LinkFailure('cancelled');
}
