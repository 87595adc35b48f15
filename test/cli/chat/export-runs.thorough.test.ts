import { execa } from 'execa';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Export from '../../../commands/chat/export.ts';
import Create from '../../../commands/chat/group/create.ts';
import CreateChannel from '../../../commands/chat/channel/create.ts';
import Join from '../../../commands/chat/channel/join.ts';
import Edit from '../../../commands/chat/edit.ts';
import Send from '../../../commands/chat/send.ts';
import Login from '../../../commands/login.ts';
import Register from '../../../commands/account/register.ts';
import { eventually } from '../../support/eventually.ts';
import { openHoldingProxy } from '../../support/holding-proxy.ts';
import { program } from '../../support/program.ts';
import { openHome, type Home } from '../home.ts';

const password = 'the long secret of all';
const names = ['ada', 'bob'] as const;
type Name = (typeof names)[number];

let home: Home;
const phrases = new Map<string, string>();
const tokens = new Map<string, string>();

const at = (...parts: string[]) => join(home.folder, ...parts);

async function as(name: Name, command: Parameters<Home['run']>[0], argv: readonly string[] = []) {
  const env = { XDG_CONFIG_HOME: at(`config-${name}`), CONCLAVE_PASSWORD: password, CONCLAVE_KEY: phrases.get(name) };
  return await home.run(command, argv, { env });
}

// oxlint-disable-next-line typescript/no-explicit-any -- lines as they are
async function linesIn(...parts: string[]): Promise<any[]> {
  const text = await readFile(at(...parts, 'messages.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

beforeAll(async () => {
  home = await openHome('url');
  for (const name of names) {
    const made = await as(name, Register, ['--username', name, '--email', `${name}@example.org`, '--json']);
    phrases.set(name, made.json().mnemonic);
    tokens.set(name, (await as(name, Login, [name, '--print-token'])).stdout.trim());
  }
});
afterAll(async () => await home[Symbol.asyncDispose]());

describe('an export', () => {
  it('opens what only members can read, and says in its line what it cannot open', async () => {
    await as('ada', Create, ['Board', 'bob', '--mode', 'client']);
    const sent = (await as('ada', Send, ['Board', 'The treaty', '--json'])).json();
    await as('ada', Edit, ['Board', sent.id, 'The treaty of the towns']);
    const plan = await home.file('plan.txt', 'Open it from inside.');
    await as('bob', Send, ['Board', 'The plan', '--attach', plan, '--reply', sent.id]);
    await as('ada', CreateChannel, ['vault', '--mode', 'client', '--visibility', 'public']);
    await as('bob', Join, ['vault']);
    await as('ada', Send, ['vault', 'Not for newcomers']);
    const { code, stderr } = await as('bob', Export, ['--to', at('sealed')]);
    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('1 message could not be written whole. The reason stands in the');
    const [first, second] = await linesIn('sealed', 'Board');
    expect(first).toMatchObject({ content: 'The treaty of the towns', edits: [{ content: 'The treaty' }] });
    expect(first).not.toHaveProperty('sealed');
    const [file] = second.attachments;
    expect(second).toMatchObject({ content: 'The plan', replyToMessageId: sent.id });
    expect(file).toMatchObject({ filename: 'plan.txt', path: 'attachments/2-plan.txt', size: 20 });
    expect(file).not.toHaveProperty('key');
    expect(await readFile(at('sealed', 'Board', file.path), 'utf8')).toBe('Open it from inside.');
    expect(await linesIn('sealed', 'vault')).toMatchObject([
      {
        content: null,
        problem: { code: 'MESSAGE_UNREADABLE' },
        sealed: { encryptedContent: expect.any(String), epoch: 1 },
      },
    ]);
    const facts = JSON.parse(await readFile(at('sealed', 'Board', 'conversation.json'), 'utf8'));
    expect(facts).toMatchObject({ kind: 'group', mode: 'client', members: [{ role: expect.any(String) }, {}] });
  });

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'that %s ends in the middle of a file is completed by the next one',
    async (signal) => {
      const name = `group-${signal.toLowerCase()}`;
      await as('ada', Create, [name, 'bob']);
      const big = await home.file('big.bin', 'x'.repeat(300_000));
      await as('ada', Send, [name, 'First']);
      await as('ada', Send, [name, 'Second', '--attach', big]);
      await as('ada', Send, [name, 'Third']);
      await using proxy = await openHoldingProxy(home.env['CONCLAVE_SERVER'] ?? '');
      proxy.hold(({ path }) => path.startsWith('/api/chat/attachments/'));
      const dir = at(signal);
      const env = {
        ...home.env,
        CONCLAVE_SERVER: proxy.url,
        CONCLAVE_TOKEN: tokens.get('ada'),
        XDG_CONFIG_HOME: at('c'),
      };
      const child = execa(...program('chat', 'export', name, '--to', dir), { env, extendEnv: false, reject: false });
      // Its first part is there, and no more comes.
      await eventually(async () => {
        const [unfinished = 'none'] = await readdir(join(dir, name, 'attachments'));
        expect((await stat(join(dir, name, 'attachments', unfinished))).size).toBeGreaterThan(0);
      });
      const busy = await as('ada', Export, [name, '--to', dir]);
      expect([busy.code, busy.stderr]).toEqual([7, expect.stringContaining('Another process exports')]);
      child.kill(signal);
      const ended = await child;
      if (signal === 'SIGINT') expect(ended.stderr).toContain('it goes on where it stopped');
      expect(ended.exitCode ?? ended.signal).toBe(signal === 'SIGINT' ? 130 : signal);
      const left = await readdir(join(dir, name));
      expect(left.toSorted()).toEqual(['attachments', 'conversation.json', 'messages.jsonl.part']);
      const again = await as('ada', Export, [name, '--to', dir, '--json']);
      expect(again.json()).toMatchObject({ conversations: [{ messages: 3, added: 2, attachments: 1 }], failed: [] });
      expect((await linesIn(signal, name)).map(({ content }) => content)).toEqual(['First', 'Second', 'Third']);
      expect(await readdir(join(dir, name, 'attachments'))).toEqual(['2-big.bin']);
      expect((await stat(join(dir, name, 'attachments', '2-big.bin'))).size).toBe(300_000);
      expect((await readdir(dir)).toSorted()).toEqual(['export.json', name]);
    },
  );
});
