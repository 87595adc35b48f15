import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/client/perform.ts';
import type { WireReply } from '../../../src/client/transport.ts';
import { withImportProgress } from '../../../src/cli/passvault/transfer/import-progress.ts';
import type { Progress } from '../../../src/cli/kit/waiting.ts';
import { Problem } from '../../../src/base/problem.ts';
import { staysSo, until } from '../../support/real-time.ts';

const vaultId = 'a'.repeat(32);

/** A server that gives these answers one after another, the last one again and again. */
function serverOf(answers: readonly [status: number, body: object][]): { caller: Caller; asked: () => number } {
  let asked = 0;
  const send = async (): Promise<WireReply> => {
    const [status, body] = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    return { status, headers: {}, body: bytesOf(JSON.stringify(body)) };
  };
  const transport = { send, [Symbol.asyncDispose]: async () => {} };
  const caller = { transport, place: 'a server', userAgent: 'test', tokenFor: async () => 'token' };
  return { caller, asked: () => asked };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const running = (progress: object | null): [number, object] => [
  200,
  { success: true, data: { running: progress }, message: 'Import' },
];

/** What is told while it works; how often the server was asked, and what was told so far, is for the work to know. */
async function told(
  answers: readonly [number, object][],
  work: (asked: () => number, reported: (count: number) => Promise<void>) => Promise<unknown>,
) {
  const server = serverOf(answers);
  const reports: Progress[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const report = (one: Progress): void => {
    reports.push(one);
    for (const { count, resolve } of waiting) if (reports.length >= count) resolve();
  };
  const reported = async (count: number) => await new Promise<void>((resolve) => waiting.push({ count, resolve }));
  const teller = { report, aside: <T>(talk: () => Promise<T>) => talk() };
  const working = work(server.asked, reported);
  const outcome = await withImportProgress(server.caller, vaultId, teller, 'Importing', working).catch(
    (error: unknown) => error,
  );
  return { outcome, reports, asked: server.asked() };
}

describe('the progress of an import', () => {
  it('is told as the server says it, and never past the end of the work', async () => {
    const answers = [
      running(null),
      running({ stage: 'reading', done: 512, total: 1024 }),
      running({ stage: 'encrypting', done: 10, total: 40 }),
    ];
    const { outcome, reports, asked } = await told(answers, async (_, reported) => {
      await reported(2);
      return 'imported';
    });
    expect(outcome).toBe('imported');
    expect(reports).toEqual([
      { what: 'Importing: reading the file', done: 512, total: 1024 },
      { what: 'Importing: encrypting entries', done: 10, total: 40 },
    ]);
    expect(asked).toBe(3);
  });

  it('is not told, and not asked for again, where the server does not know the question', async () => {
    const refusal = {
      success: false,
      error: { code: 'METHOD_NOT_ALLOWED', message: 'This path does not support this method.' },
    };
    const { outcome, reports, asked } = await told([[405, refusal]], async (questions) => {
      await until(() => questions() > 0);
      await staysSo(() => expect(questions()).toBe(1), 400);
      return 'imported';
    });
    expect({ outcome, reports, asked }).toEqual({ outcome: 'imported', reports: [], asked: 1 });
  });

  it('is over when the work fails', async () => {
    const failure = new Problem('invalid', 'IMPORT_UNREADABLE', 'no');
    expect(await told([running(null)], () => Promise.reject(failure))).toEqual({
      outcome: failure,
      reports: [],
      asked: 0,
    });
  });
});
