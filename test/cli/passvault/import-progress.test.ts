import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/client/perform.ts';
import type { WireReply } from '../../../src/client/transport.ts';
import { withImportProgress } from '../../../src/cli/passvault/transfer/import-progress.ts';
import type { Progress } from '../../../src/cli/kit/waiting.ts';
import { Problem } from '../../../src/problem.ts';

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

async function told(answers: readonly [number, object][], work: Promise<unknown>) {
  const server = serverOf(answers);
  const reports: Progress[] = [];
  const teller = { report: (one: Progress) => void reports.push(one), aside: <T>(talk: () => Promise<T>) => talk() };
  const outcome = await withImportProgress(server.caller, vaultId, teller, 'Importing', work).catch(
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
    const { outcome, reports, asked } = await told(answers, sleep(900, 'imported'));
    expect(outcome).toBe('imported');
    expect(reports.slice(0, 2)).toEqual([
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
    const { outcome, reports, asked } = await told([[405, refusal]], sleep(700, 'imported'));
    expect({ outcome, reports, asked }).toEqual({ outcome: 'imported', reports: [], asked: 1 });
  });

  it('is over when the work fails', async () => {
    const failure = new Problem('invalid', 'IMPORT_UNREADABLE', 'no');
    const work = sleep(10).then(() => Promise.reject(failure));
    expect(await told([running(null)], work)).toEqual({ outcome: failure, reports: [], asked: 0 });
  });
});
