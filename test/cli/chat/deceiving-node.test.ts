import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Register from '../../../commands/account/register.ts';
import Edit from '../../../commands/chat/edit.ts';
import Create from '../../../commands/chat/group/create.ts';
import Kick from '../../../commands/chat/group/kick.ts';
import List from '../../../commands/chat/list.ts';
import Promote from '../../../commands/chat/promote.ts';
import Read from '../../../commands/chat/read.ts';
import Search from '../../../commands/chat/search.ts';
import Send from '../../../commands/chat/send.ts';
import Verify from '../../../commands/chat/verify.ts';
import Whoami from '../../../commands/whoami.ts';
import { openNewMessages, messageLine } from '../../../src/cli/chat/new-messages.ts';
import { sealedWatching } from '../../../src/cli/chat/sealed/watching.ts';
import { shellWord } from '../../../src/cli/kit/shell-word.ts';
import { openClient } from '../../../src/client/client.ts';
import type { Conversation } from '../../../src/contract/chat/conversation.ts';
import { foundIn } from '../../support/needles.ts';
import { openHome, type Home } from '../home.ts';
import { openDeceivingProxy, type DeceivingProxy } from './deceiving-proxy.ts';
import { sideWithKey } from './side-with-key.ts';

const password = 'the long secret of all';
const names = ['ada', 'bob', 'cleo', 'mallory'] as const;
type Name = (typeof names)[number];

let home: Home;
let proxy: DeceivingProxy;
const phrases = new Map<string, string>();
const ids = new Map<string, string>();

async function as(name: Name, command: Parameters<Home['run']>[0], argv: readonly string[] = []) {
  const folder = join(home.folder, name);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const own = { XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: folder, TMPDIR: folder, CONCLAVE_PASSWORD: password };
  return await home.run(command, argv, {
    env: { ...own, CONCLAVE_SERVER: proxy.url, CONCLAVE_KEY: phrases.get(name) },
  });
}

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
/** Whether what was received since then has a text. */
const wasSent = (text: string): boolean =>
  proxy.received.some(({ body, path }) => `${path} ${body.toString()}`.includes(text));

beforeAll(async () => {
  home = await openHome('url');
  proxy = await openDeceivingProxy(home.env['CONCLAVE_SERVER'] ?? '');
  for (const name of names) {
    const made = await as(name, Register, ['--username', name, '--email', `${name}@example.org`, '--json']);
    phrases.set(name, made.json().mnemonic);
    ids.set(name, (await as(name, Whoami, ['--json'])).json().id);
  }
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});
beforeEach(() => void (proxy.alter = undefined));

describe('what the program sends of conversations that only members can read', () => {
  it('has no text, no file and no name of a file', async () => {
    const path = await home.file('plan of the north gate.txt', 'Open it from inside.');
    proxy.received.length = 0;
    await as('ada', Create, ['Board', 'bob', 'mallory', '--mode', 'client']);
    const sent = (await as('ada', Send, ['Board', 'The treaty of seven towns', '--attach', path, '--json'])).json();
    await as('ada', Edit, ['Board', sent.id, 'The best treaty']);
    await as('bob', Send, ['Board', 'Signed at midnight', '--reply', sent.id]);
    expect((await as('ada', Kick, ['Board', 'mallory'])).code).toBe(0);
    expect((await as('ada', Send, ['bob', 'For you alone', '--mode', 'client'])).code).toBe(0);
    await as('ada', Send, ['cleo', 'Between us', '--mode', 'client']);
    await as('ada', Promote, ['cleo', 'bob', '--name', 'Three']);
    await as('ada', Send, ['mallory', 'Anybody may know']);
    const texts = ['treaty', 'midnight', 'For you alone', 'Between us', 'north gate', 'from inside'];
    const needles = new Map([...texts, 'Anybody may know'].map((text) => [text, Buffer.from(text)]));
    const all = Buffer.concat(proxy.received.flatMap(({ path: asked, body }) => [Buffer.from(decodeURI(asked)), body]));
    // What is sent in the other mode shows that they would be found.
    expect(foundIn(all, needles)).toEqual(['Anybody may know']);
  });
});

describe('a node that deceives', () => {
  const isPair = (path: string) =>
    path.startsWith('/api/conversations?') && path.includes(`memberId=${ids.get('bob')}`);
  const pairs = (change: Partial<Conversation>) => {
    proxy.alter = ({ path }, data: { items: Conversation[] }) =>
      isPair(path) ? { ...data, items: data.items.map((one) => ({ ...one, ...change })) } : undefined;
  };

  it('gets no text with another conversation that it could read', async () => {
    const changes: [Partial<Conversation>, string][] = [
      [{ id: 'ee'.repeat(16), mode: 'server' }, 'A mode never changes'],
      [{ mode: 'server' }, 'A mode never changes'],
      [{ id: 'ee'.repeat(16), participants: [ids.get('ada')!, ids.get('mallory')!] }, 'another conversation'],
      [{ participants: [ids.get('ada')!, ids.get('bob')!, ids.get('mallory')!] }, 'another conversation'],
    ];
    for (const [change, word] of changes) {
      pairs(change);
      for (const to of ['bob', ids.get('bob')!]) {
        proxy.received.length = 0;
        const refused = await as('ada', Send, [to, 'SECRET-TEXT']);
        expect(refused).toMatchObject({ code: 8, stdout: '' });
        expect(flat(refused.stderr)).toContain(word);
        expect(wasSent('SECRET-TEXT')).toBe(false);
        expect(proxy.received.filter(({ method }) => method === 'POST')).toEqual([]);
      }
    }
    pairs({ id: 'ee'.repeat(16), mode: 'server' });
    expect(await as('ada', Verify, ['bob'])).toMatchObject({ code: 8 });
    proxy.alter = undefined;
    expect((await as('ada', Send, ['bob', 'Still us'])).code).toBe(0);
  });

  it('gets no text under a name that was that of another conversation', async () => {
    const other = (await as('mallory', Create, ['Elsewhere', 'ada', '--json'])).json() as { id: string };
    proxy.alter = ({ path }, data: { items: Conversation[] }) => {
      if (!path.startsWith('/api/groups?')) return undefined;
      const items = data.items.filter(({ title }) => title !== 'Board');
      return { ...data, items: items.map((one) => Object.assign(one, one.id === other.id && { title: 'Board' })) };
    };
    proxy.received.length = 0;
    const refused = await as('ada', Send, ['Board', 'SECRET-TEXT']);
    expect(refused).toMatchObject({ code: 8, stdout: '' });
    expect(flat(refused.stderr)).toContain(`the node says that it is the conversation ${other.id}`);
    expect(wasSent('SECRET-TEXT')).toBe(false);
    expect((await as('ada', Read, ['Board'])).code).toBe(8);
    // By its id it is what it is.
    expect((await as('ada', Send, [other.id, 'Anybody may know'])).code).toBe(0);
  });

  it('shows nothing as what members said in lists, in hits and to those who watch without the key', async () => {
    const board = ((await as('ada', List, ['--json'])).json().items as Conversation[]).find(
      ({ title }) => title === 'Board',
    )!;
    const plain = (await as('ada', Send, ['mallory', 'A forged coin', '--json'])).json() as Record<string, unknown>;
    proxy.alter = ({ path }, data: { items?: Record<string, unknown>[] }) => {
      if (path.startsWith('/api/groups?'))
        return { ...data, items: data.items?.map((one) => ({ ...one, mode: 'server', lastMessagePreview: 'FORGED' })) };
      const hit = { ...plain, conversationId: board.id, content: 'FORGED' };
      if (path.includes('/search')) return { ...data, items: [hit, plain] };
      return undefined;
    };
    expect((await as('ada', List)).stdout.match(/Board.*/)?.[0]).not.toContain('FORGED');
    expect((await as('ada', Search, ['forged', '--json'])).json().items).toMatchObject([{ id: plain['id'] }]);
    proxy.alter = undefined;
    const env = { ...home.env, CONCLAVE_SERVER: proxy.url, XDG_CONFIG_HOME: join(home.folder, 'bob') };
    await using client = await openClient({ env, userAgent: 'test', command: 'test' });
    const warned: string[] = [];
    const sideWith = (key: string | undefined) => sideWithKey(client, key, (text) => void warned.push(text));
    const without = await openNewMessages(client, await sealedWatching(sideWith(undefined), undefined));
    const all = await openNewMessages(client, await sealedWatching(sideWith(phrases.get('bob')), undefined));
    warned.length = 0;
    await as('ada', Send, ['Board', 'Under a key']);
    await as('mallory', Send, ['bob', 'Hello, Bob']);
    // Without the key, the node's words are not those of Ada; with it, one conversation in doubt does not silence the others.
    proxy.alter = ({ path }, data: { items?: Record<string, unknown>[]; epoch?: number }) => {
      if (!path.includes(board.id)) return undefined;
      if (path.includes('/epochs')) return { ...data, epoch: 0, epochs: [] };
      return { ...data, items: data.items?.map((one) => ({ ...one, content: 'FORGED', webhook: 'FORGED' })) };
    };
    expect((await without()).map(messageLine)).toEqual([
      expect.stringMatching(/#Board\t.*\t\(encrypted by its members\)$/),
      expect.stringContaining('Hello, Bob'),
    ]);
    expect((await all()).map(messageLine)).toEqual([
      expect.stringMatching(/#Board\t.*\t\(encrypted by its members\)$/),
      expect.stringContaining('Hello, Bob'),
    ]);
    expect(warned).toEqual([expect.stringMatching(/^#Board: .*earlier state/)]);
  });

  it('does not have a removal held off or called failed', async () => {
    const made = (await as('ada', Create, ['Held', 'bob', 'cleo', '--mode', 'client', '--json'])).json();
    let keys = 0;
    proxy.alter = ({ path }, data: object) => {
      if (path.includes(`${made.id}/epochs`)) keys += 1;
      return path.includes(`${made.id}/epochs`) && keys > 1 ? { ...data, epoch: 0, epochs: [] } : undefined;
    };
    const kicked = await as('ada', Kick, ['Held', 'cleo']);
    expect(kicked).toMatchObject({ code: 0 });
    expect(kicked.stdout).toContain('cleo is not in #Held any more.');
    expect(flat(kicked.stderr)).toContain('They are removed.');
    proxy.alter = undefined;
    expect((await as('ada', Verify, ['Held', '--json'])).json()).toMatchObject({ fits: true, epoch: 2 });
  });
});

describe('a name in a command that is suggested', () => {
  it('is one word for a shell, which runs nothing of it', () => {
    expect(['Board', 'tea party', '$(id)', "it's", '#vault', ''].map(shellWord)).toEqual([
      'Board',
      "'tea party'",
      "'$(id)'",
      String.raw`'it'\''s'`,
      "'#vault'",
      "''",
    ]);
  });
});
