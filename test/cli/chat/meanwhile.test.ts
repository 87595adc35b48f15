import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../../commands/account/register.ts';
import Add from '../../../commands/chat/group/add.ts';
import Create from '../../../commands/chat/group/create.ts';
import Delete from '../../../commands/chat/group/delete.ts';
import Kick from '../../../commands/chat/group/kick.ts';
import Show from '../../../commands/chat/group/show.ts';
import Read from '../../../commands/chat/read.ts';
import Send from '../../../commands/chat/send.ts';
import Verify from '../../../commands/chat/verify.ts';
import { memoryOf } from '../../../src/cli/chat/sealed/own-side.ts';
import { remember } from '../../../src/client/chat/known-conversations.ts';
import { openClient } from '../../../src/client/client.ts';
import { openHome, type Home } from '../home.ts';
import { openDeceivingProxy, type DeceivingProxy, type Received } from './deceiving-proxy.ts';

const names = ['ada', 'bob', 'cleo', 'dan'] as const;
type Name = (typeof names)[number];

let home: Home;
/** Stands between Ada and the node. */
let proxy: DeceivingProxy;
const phrases = new Map<string, string>();

async function as(name: Name, command: Parameters<Home['run']>[0], argv: readonly string[] = []) {
  const folder = join(home.folder, name);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const own = {
    XDG_CONFIG_HOME: folder,
    XDG_RUNTIME_DIR: folder,
    TMPDIR: folder,
    CONCLAVE_PASSWORD: 'the secret of all',
  };
  return await home.run(command, argv, {
    env: { ...own, CONCLAVE_SERVER: proxy.url, CONCLAVE_KEY: phrases.get(name) },
  });
}

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Has the key that comes with requests to a path be one too late, as if others made keys all the time. @returns how often one came, and did not */
function makeLate(path: string): { with: number; without: number } {
  const count = { with: 0, without: 0 };
  proxy.before = async ({ method, path: asked, body }: Received) => {
    if (method !== 'POST' || !asked.includes(path)) return undefined;
    const input = JSON.parse(body.toString() || '{}') as { epoch?: { epoch: number } };
    count[input.epoch === undefined ? 'without' : 'with'] += 1;
    return input.epoch && JSON.stringify({ ...input, epoch: { ...input.epoch, epoch: input.epoch.epoch + 1 } });
  };
  return count;
}

beforeAll(async () => {
  home = await openHome('url');
  proxy = await openDeceivingProxy(home.env['CONCLAVE_SERVER'] ?? '');
  for (const name of names) {
    const made = await as(name, Register, ['--username', name, '--email', `${name}@example.org`, '--json']);
    phrases.set(name, made.json().mnemonic);
  }
  expect((await as('ada', Create, ['Board', 'bob', 'cleo', '--mode', 'client'])).code).toBe(0);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});
afterEach(() => void (proxy.before = undefined));

describe('who changes a conversation while others make keys all the time', () => {
  it('removes a member all the same, without a key, and the next message makes it', async () => {
    const count = makeLate('/kick/');
    const kicked = await as('ada', Kick, ['Board', 'cleo']);
    expect(kicked).toMatchObject({ code: 0, stdout: 'cleo is not in #Board any more.\n' });
    expect(count).toEqual({ with: 5, without: 1 });
    proxy.before = undefined;
    expect((await as('bob', Verify, ['Board', '--json'])).json()).toMatchObject({ epoch: 1, closed: true });
    expect((await as('ada', Kick, ['Board', 'cleo'])).code).toBe(6);
    expect((await as('ada', Send, ['Board', 'Without cleo', '--json'])).json()).toMatchObject({ epoch: 2 });
    expect((await as('cleo', Read, ['Board'])).code).toBe(6);
  });

  it('adds nobody without their key, says so, and does when asked again', async () => {
    const count = makeLate('/members');
    const added = await as('ada', Add, ['Board', 'dan']);
    expect(added).toMatchObject({ code: 7, stdout: '' });
    expect(added.stderr).not.toBe('');
    expect(count).toEqual({ with: 5, without: 0 });
    proxy.before = undefined;
    expect((await as('ada', Show, ['Board', '--json'])).json().members).toHaveLength(2);
    expect((await as('ada', Add, ['Board', 'dan'])).stdout).toBe('Added 1 member to #Board.\n');
    await as('bob', Send, ['Board', 'Hello, Dan']);
    expect((await as('dan', Read, ['Board', '--json'])).json().items).toMatchObject([{ content: 'Hello, Dan' }]);
  });

  it('is in the conversation of two that the other one began meanwhile', async () => {
    const began: (number | undefined)[] = [];
    proxy.before = async ({ method, path }) => {
      if (began.length > 0 || method !== 'POST' || !path.startsWith('/api/conversations')) return undefined;
      began.push(undefined);
      began[0] = (await as('bob', Send, ['ada', 'Bob was first', '--mode', 'client'])).code;
      return undefined;
    };
    const sent = (await as('ada', Send, ['bob', 'Ada was second', '--mode', 'client', '--json'])).json();
    expect(began).toEqual([0]);
    expect(sent).toMatchObject({ content: 'Ada was second', seq: 2, epoch: 1 });
    const read = async (who: Name, other: Name) =>
      (await as(who, Read, [other, '--json'])).json().items.map(({ content }: { content: string }) => content);
    expect(await read('bob', 'ada')).toEqual(['Bob was first', 'Ada was second']);
    expect(await read('ada', 'bob')).toEqual(['Bob was first', 'Ada was second']);
    const numbers = [await as('ada', Verify, ['bob', '--json']), await as('bob', Verify, ['ada', '--json'])];
    expect(new Set(numbers.map((one) => one.json().safetyNumber)).size).toBe(1);
  });
});

describe('a name that belongs to another one by now', () => {
  it('of a group is free once that is accepted, whoever can read the new one', { tags: 'thorough' }, async () => {
    for (const [name, mode] of Object.entries({ Den: 'client', Attic: 'server' })) {
      await as('bob', Create, [name, 'ada', '--mode', 'client']);
      await as('bob', Send, [name, 'The first one']);
      expect((await as('ada', Read, [name])).code).toBe(0);
      await as('bob', Delete, [name, '--yes']);
      await as('bob', Create, [name, 'ada', '--mode', mode]);
      const refused = await as('ada', Send, [name, 'Hello']);
      expect(refused).toMatchObject({ code: 8, stdout: '' });
      expect(flat(refused.stderr)).toContain(`conclave chat verify ${name} --accept`);
      expect((await as('ada', Verify, [name, '--json'])).json()).toMatchObject({ fits: false });
      const accepted = await as('ada', Verify, [name, '--accept', '--json']);
      expect(accepted).toMatchObject({ code: 0 });
      expect(accepted.json()).toMatchObject({ fits: true, epoch: mode === 'client' ? 1 : null });
      if (mode === 'server') expect(flat(accepted.stderr)).toContain(`The node can read what is said in ${name}.`);
      expect((await as('ada', Send, [name, 'Hello'])).code).toBe(0);
    }
  });

  it('of a member is free once that is accepted, though nothing was said between them', async () => {
    const env = { ...home.env, CONCLAVE_SERVER: proxy.url, XDG_CONFIG_HOME: join(home.folder, 'ada') };
    await using client = await openClient({ env, userAgent: 'test', command: 'test' });
    const before = { conversationId: 'ee'.repeat(16), title: 'dan', with: 'a1'.repeat(12), epochs: [], memberIds: [] };
    await remember(await memoryOf(client), before.conversationId, () => ({ ...before, files: [] }));
    const refused = await as('ada', Send, ['dan', 'Hello']);
    expect(refused).toMatchObject({ code: 8, stdout: '' });
    expect(flat(refused.stderr)).toContain(`This machine knows dan as the member ${before.with}`);
    const accepted = await as('ada', Verify, ['dan', '--accept']);
    expect(accepted).toMatchObject({ code: 6, stdout: '' });
    expect(flat(accepted.stderr)).toContain('This machine believes that now.');
    expect((await as('ada', Send, ['dan', 'Hello'])).code).toBe(0);
  });
});
