import { describe, expect, it } from 'vitest';
import { accounts } from '../../src/contract/accounts.ts';
import { members } from '../../src/contract/accounts/members.ts';
import { perform, type Caller } from '../../src/client/perform.ts';
import type { WireRequest } from '../../src/client/transport.ts';
import { Problem } from '../../src/base/problem.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function answering(
  answer: Answer,
  token: string | null = 'a.b.c',
): Caller & { sent: WireRequest[]; forgotten: string[] } {
  const sent: WireRequest[] = [];
  const forgotten: string[] = [];
  return {
    sent,
    forgotten,
    place: 'https://home.test',
    userAgent: 'test',
    tokenFor: async () => token ?? undefined,
    refused: async (refused) => void forgotten.push(refused),
    transport: {
      async send(request) {
        sent.push(request);
        return { status: answer.status, headers: answer.headers ?? {}, body: chunks(answer.body) };
      },
      [Symbol.asyncDispose]: async () => {},
    },
  };
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}

async function problemOf(answer: Answer): Promise<Problem> {
  const error: unknown = await perform(answering(answer), accounts.countBackupCodes, {}).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw new Error('no problem', { cause: error });
  return error;
}

describe('perform', () => {
  it('unwraps the envelope and checks the reply', async () => {
    const caller = answering({ status: 200, body: '{"message":"ü","codeCount":3,"more":1}' });
    expect(await perform(caller, accounts.countBackupCodes, {})).toEqual({ codeCount: 3 });
    expect(caller.sent[0]?.headers).toMatchObject({ authorization: 'Bearer a.b.c', 'user-agent': 'test' });
  });

  it('sends no token where none is needed', async () => {
    const caller = answering({ status: 400, body: '{"message":"m","error":"E"}' }, null);
    await expect(perform(caller, accounts.requestDirectLogin, {})).rejects.toThrow('m');
    expect(caller.sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('turns a failure into the problem that it is', async () => {
    const body = JSON.stringify({
      message: 'no',
      error: 'VALIDATION_ERROR',
      errors: [{ path: 'a.b', message: 'is bad' }],
    });
    expect(await problemOf({ status: 400, body })).toMatchObject({
      kind: 'invalid',
      code: 'VALIDATION_ERROR',
      fields: [{ path: 'a.b', message: 'is bad' }],
    });
    const limited = {
      status: 429,
      body: '{"message":"slow down","error":"RATE_LIMITED"}',
      headers: { 'retry-after': '12' },
    };
    expect(await problemOf(limited)).toMatchObject({ kind: 'tooMany', retryAfterSeconds: 12 });
    expect(await problemOf({ status: 503, body: '{"message":"m","error":"STORE_FULL"}' })).toMatchObject({
      kind: 'unavailable',
    });
    expect(await problemOf({ status: 409, body: '{"message":"Not yet.","error":"OF_TOMORROW"}' })).toMatchObject({
      kind: 'conflict',
      code: 'UNKNOWN',
      message: 'Not yet. (OF_TOMORROW)',
    });
  });

  it.each([
    { status: 502, body: '<html>Bad gateway</html>' },
    { status: 404, body: '{"error":"not found"}' },
    { status: 301, body: '', headers: { location: 'https://elsewhere.test' } },
    { status: 200, body: '' },
    { status: 200, body: '[]' },
    { status: 200, body: '{"message":"m"}' },
    { status: 200, body: '{"message":"m","codeCount":"three"}' },
    { status: 200, body: 'null' },
  ])('takes %j for what no server of ours says', async (answer) => {
    expect(await problemOf(answer)).toMatchObject({
      kind: 'network',
      code: 'BAD_REPLY',
      message: expect.stringContaining('https://home.test'),
    });
  });

  it('has a token forgotten that the server no longer takes, and not for a wrong password', async () => {
    const ended = answering({ status: 401, body: '{"message":"m","error":"UNAUTHORIZED"}' });
    await expect(perform(ended, members.list, {})).rejects.toThrow('m');
    expect(ended.forgotten).toEqual(['a.b.c']);
    const wrong = answering({ status: 401, body: '{"message":"m","error":"INVALID_CREDENTIALS"}' });
    await expect(perform(wrong, accounts.changePassword, { currentPassword: 'x', newPassword: 'y' })).rejects.toThrow(
      'm',
    );
    expect(wrong.forgotten).toEqual([]);
  });
});
