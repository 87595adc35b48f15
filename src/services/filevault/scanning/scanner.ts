import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../../../service/context.ts';
import { inTurn } from './turns.ts';

/** What a scanner says of a content. */
export interface Verdict {
  readonly clean: boolean;
  /** what it found, if it says so */
  readonly name: string | undefined;
}

/** Bytes of an answer that are read. */
const LONGEST_ANSWER = 64 * 1024;
const LONGEST_NAME = 200;
/** Where a program is looked for whose name has no folder. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What is wrong with a scanner. It never holds what the scanner wrote. */
export class ScannerFailed extends Error {
  override readonly name = 'ScannerFailed';
}

export function hasScanner({ config: { files } }: Pick<Context, 'config'>): boolean {
  return files.scanUrl !== undefined || files.scanCommand !== undefined;
}

/**
 * Has a content scanned, when it is its turn. The bytes stream, as fast as the scanner takes them.
 * @throws ScannerFailed; Problem unavailable OVERLOADED; and what reading the content throws
 */
export async function scan(
  ctx: Pick<Context, 'config' | 'store'>,
  read: () => AsyncIterable<Uint8Array>,
): Promise<Verdict> {
  const { scanUrl, scanCommand, scanTimeoutMs, scanAtOnce } = ctx.config.files;
  return await inTurn(ctx, scanAtOnce, async () => {
    if (scanUrl !== undefined) return await askService(scanUrl, read(), scanTimeoutMs);
    return await askProgram(scanCommand ?? [], read(), scanTimeoutMs);
  });
}

/** Exit code 0 is clean, 1 is infected. What it writes to its standard output is the name of what it found. */
async function askProgram(
  [program = '', ...args]: readonly string[],
  content: AsyncIterable<Uint8Array>,
  timeoutMs: number,
): Promise<Verdict> {
  // It leads a group of its own, so that what it starts ends with it. It gets nothing of the environment.
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    shell: false,
    detached: true,
    env: { PATH },
  });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, timeoutMs);
  const said = textOf(child.stdout);
  const ended = once(child, 'close').catch((cause: unknown) => {
    throw new ScannerFailed('the program cannot be started', { cause });
  });
  let failure: unknown;
  const source = watched(content, (error) => {
    failure = error;
    kill();
  });
  try {
    // A program that has seen enough ends, and takes no more bytes.
    const sending = pipeline(Readable.from(source), child.stdin).catch(() => undefined);
    const [ending] = await Promise.all([ended, sending]);
    const [code] = ending as [number | null];
    if (failure !== undefined) throw asError(failure);
    if (late) throw new ScannerFailed(`the program did not end within ${timeoutMs} ms`);
    if (code !== 0 && code !== 1) throw new ScannerFailed(`the program ended with the code ${code ?? 'of a signal'}`);
    return { clean: code === 0, name: code === 0 ? undefined : nameIn(await said) };
  } finally {
    clearTimeout(timer);
    kill();
  }
}

/** Tells of an error of the source, which `pipeline` can't be told apart from one of the other end. */
async function* watched(
  content: AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    onError(error);
    throw error;
  }
}

/** The beginning of what is written. The rest is read and dropped, so that the writer is not held up. */
async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of stream) {
      if (size < LONGEST_ANSWER) pieces.push(piece);
      size += piece.length;
    }
  } catch {
    // What was read counts.
  }
  return Buffer.concat(pieces).subarray(0, LONGEST_ANSWER).toString('utf8');
}

async function askService(url: string, content: AsyncIterable<Uint8Array>, timeoutMs: number): Promise<Verdict> {
  let failure: unknown;
  const source = watched(content, (error) => (failure = error));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'user-agent': 'conclave' },
      body: Readable.toWeb(Readable.from(source)) as ReadableStream,
      duplex: 'half',
      // A redirect would send the content to another server.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new ScannerFailed(`the service answered ${response.status}`);
    }
    const text = await textOf((response.body ?? []) as AsyncIterable<Uint8Array>);
    return verdictIn(text);
  } catch (error) {
    // What reading the content threw is no fault of the service.
    if (failure !== undefined) throw asError(failure);
    if (error instanceof ScannerFailed) throw error;
    throw new ScannerFailed('the service cannot be reached, or took too long', { cause: error });
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function verdictIn(text: string): Verdict {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new ScannerFailed('the answer of the service is no JSON', { cause });
  }
  const { clean, name } = (answer ?? {}) as { clean?: unknown; name?: unknown };
  if (typeof clean !== 'boolean') throw new ScannerFailed('the answer of the service does not say whether it is clean');
  return { clean, name: typeof name === 'string' ? nameIn(name) : undefined };
}

/** People and logs see it, so only plain characters of its first line stay. */
function nameIn(text: string): string | undefined {
  const [line = ''] = text.trim().split('\n');
  const name = line
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, LONGEST_NAME)
    .trim();
  return name === '' ? undefined : name;
}
