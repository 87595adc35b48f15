import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createAdministrator } from '../../src/cli/accounts/first-administrator.ts';
import type { Caller } from '../../src/client/perform.ts';
import type { WireReply } from '../../src/client/transport.ts';
import { Problem } from '../../src/base/problem.ts';
import { temporaryFolder } from '../support/stores.ts';

const input = { username: 'admin', email: 'admin@localhost', password: 'seven-quiet-otters' };

/** Somebody whose node answers so. */
function answered(dataDir: string, send: () => Promise<WireReply>): Caller & { connection: { dataDir: string } } {
  const transport = { send, [Symbol.asyncDispose]: async () => {} };
  return { connection: { dataDir }, transport, place: 'a test', userAgent: 'test', tokenFor: async () => 'a.b.c' };
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const reply = (status: number, body: object) => async (): Promise<WireReply> => ({
  status,
  headers: {},
  body: chunks(JSON.stringify(body)),
});

describe('a generated password', () => {
  it.each([
    [
      'the answer is lost',
      async () => {
        throw new Problem('network', 'NETWORK', 'The connection was reset.');
      },
      'NETWORK',
    ],
    ['the node does not know itself', reply(500, { message: 'm', error: 'INTERNAL_ERROR' }), 'INTERNAL_ERROR'],
    ['the answer is another shape', reply(201, { message: 'm', data: { memberId: 1 } }), 'BAD_REPLY'],
  ])('stays in its file where there may be an account with it: %s', async (_, send, code) => {
    await using folder = await temporaryFolder();
    await expect(createAdministrator(answered(folder.path, send), input, true)).rejects.toMatchObject({ code });
    expect(await readFile(`${folder.path}/first-administrator.txt`, 'utf8')).toContain(`password: ${input.password}\n`);
  });

  it.each([
    ['is refused', reply(400, { message: 'm', error: 'PASSWORD_WEAK' })],
    ['finds no room', reply(503, { message: 'm', error: 'STORE_FULL' })],
  ])('goes with its file where the account %s', async (_, send) => {
    await using folder = await temporaryFolder();
    await expect(createAdministrator(answered(folder.path, send), input, true)).rejects.toThrow('m');
    expect(await readdir(folder.path)).toEqual([]);
  });
});
