import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Register from '../../../../commands/account/register.ts';
import Chat from '../../../../commands/chat.ts';
import DraftShow from '../../../../commands/chat/draft/show.ts';
import CreateGroup from '../../../../commands/chat/group/create.ts';
import RenameGroup from '../../../../commands/chat/group/rename.ts';
import List from '../../../../commands/chat/list.ts';
import Read from '../../../../commands/chat/read.ts';
import Send from '../../../../commands/chat/send.ts';
import Login from '../../../../commands/login.ts';
import Logout from '../../../../commands/logout.ts';
import MessageSend from '../../../../commands/social/message/send.ts';
import { silentLink } from '../../../support/silent-link.ts';
import { openHome, type Home } from '../../home.ts';
import { keys, type RunOptions } from '../../run-command.ts';
import { acting } from './acting.ts';

const names = ['ada', 'bob', 'cleo'] as const;
type Name = (typeof names)[number];
const phone = { columns: 40, rows: 20 };

let home: Home;
const tokens = new Map<Name, string>();
const phrases = new Map<Name, string>();

async function as(
  name: Name,
  command: Parameters<Home['run']>[0],
  argv: readonly string[] = [],
  options: RunOptions = {},
) {
  const folder = join(home.folder, name);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const own = { XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: folder, TMPDIR: folder, CONCLAVE_TOKEN: tokens.get(name) };
  return await home.run(command, argv, { ...options, env: { ...own, ...options.env } });
}

async function texts(name: Name, place: string, env: NodeJS.ProcessEnv = {}): Promise<(string | null)[]> {
  const { items } = (await as(name, Read, [place, '--json'], { env })).json();
  return items.map(({ content }: { content: string | null }) => content);
}

beforeAll(async () => {
  home = await openHome('url');
  for (const name of names) {
    const env = { CONCLAVE_PASSWORD: `the long secret of ${name}` };
    const made = await as(name, Register, ['--username', name, '--email', `${name}@example.org`, '--json'], { env });
    phrases.set(name, made.json().mnemonic);
    tokens.set(name, (await as(name, Login, [name, '--print-token'], { env })).stdout.trim());
  }
  await as('ada', CreateGroup, ['tea', 'bob', 'cleo']);
});
afterAll(async () => await home[Symbol.asyncDispose]());

describe('bare conclave chat', () => {
  it('lists conversations without a terminal, and knows no other words', async () => {
    expect((await as('ada', Chat)).stdout).toBe((await as('ada', List)).stdout);
    expect((await as('ada', Chat, ['--json'])).json()).toMatchObject({
      items: [{ title: 'tea' }],
      social: [],
      hasMore: false,
    });
    const wrong = await as('ada', Chat, ['sned']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no command "chat sned".')]);
  });

  it('shows three people what each says, edits and marks, one of them on a small screen', async () => {
    const [ada, bob, cleo] = await Promise.all([
      as('ada', Chat, [], {
        person: acting(
          ['> #tea', ''],
          ['Nothing was said here.', 'Cake at fuor?'],
          ['I come.', '/edit Cake at four?'],
          ['👍 1', 'Good.'],
          ['bye from cleo', '/quit'],
        ),
      }),
      as('bob', Chat, [], {
        size: phone,
        person: acting(
          ['> #tea', ''],
          ['Cake at fuor?', 'I come.'],
          ['Good.', 'bye from bob'],
          ['bye from cleo', '/quit'],
        ),
      }),
      as('cleo', Chat, [], {
        person: acting(
          ['> #tea', ''],
          ['Cake at four?', '/react 👍'],
          ['bye from bob', 'bye from cleo'],
          ['bye from cleo', '/quit'],
        ),
      }),
    ]);
    expect([ada.code, bob.code, cleo.code]).toEqual([0, 0, 0]);
    expect(ada.stdout).toBe('');
    expect(ada.stderr.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(ada.stderr).toContain('\u001b[?2004h');
    expect(ada.stderr.endsWith('\u001b[?2004l\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(await texts('bob', 'tea')).toEqual(['Cake at four?', 'I come.', 'Good.', 'bye from bob', 'bye from cleo']);
    // What was on the screen is read.
    expect((await as('bob', List, ['--json'])).json().items).toMatchObject([{ title: 'tea', unread: 0 }]);
  });

  it('shows another name of a conversation in the list, also while another one is open', async () => {
    await as('bob', CreateGroup, ['quiet', 'cleo']);
    await as('bob', Send, ['tea', 'Still here']);
    const rename = async () => await as('bob', RenameGroup, ['quiet', 'renamed room']);
    const cleo = await as('cleo', Chat, [], {
      person: acting(['> #tea', ''], ['Still here', () => void rename()], ['renamed room', '/quit']),
    });
    expect(cleo.code).toBe(0);
  });

  it('sends when the connection is back what was written without it, and misses nothing of others', async () => {
    await using link = await silentLink(Number(new URL(home.ready!.url).port));
    const server = `http://127.0.0.1:${link.address.split('/').at(-1)}`;
    await as('ada', Send, ['bob', 'First']);
    const parted = (): void => {
      link.isClosed = true;
      link.end();
    };
    const meanwhile = async (): Promise<void> => {
      await as('ada', Send, ['bob', 'Meanwhile 1']);
      await as('ada', Send, ['bob', 'Meanwhile 2']);
      link.isClosed = false;
    };
    const run = await as('bob', Chat, [], {
      env: { CONCLAVE_SERVER: server },
      size: phone,
      person: acting(
        ['> ada', ''],
        ['First', parted],
        ['not connected, trying again', 'Are you there?'],
        ['not sent', () => void meanwhile()],
        ['Meanwhile 2', '/quit'],
      ),
    });
    expect(run.code).toBe(0);
    const there = await texts('ada', 'bob');
    expect(there.toSorted()).toEqual(['Are you there?', 'First', 'Meanwhile 1', 'Meanwhile 2']);
  });

  it('keeps what is half written as a draft, and pastes without sending', async () => {
    const half = await as('ada', Chat, [], {
      person: [
        ['> bob', [keys.enter]],
        ['Are you there?', ['\u001b[200~one\rtwo\u001b[201~', '!']],
        ['two!', [keys.interrupt]],
      ],
    });
    expect([half.code, half.stderr.endsWith('\u001b[?25h\u001b[?1049l')]).toEqual([130, true]);
    expect((await as('ada', DraftShow, ['bob', '--json'])).json().draft).toMatchObject({ content: 'one\ntwo!' });
    const sent = await as('ada', Chat, [], { person: acting(['> bob', ''], ['two!', ''], ['two!', '/quit']) });
    expect(sent.code).toBe(0);
    expect((await as('ada', DraftShow, ['bob', '--json'])).json().draft).toBeNull();
    expect(await texts('bob', 'ada')).toContain('one\ntwo!');
  });

  it('opens and seals what only members can read, and asks for the key where it is missing', async () => {
    const env = (name: Name) => ({ CONCLAVE_KEY: phrases.get(name) });
    const made = await as('ada', CreateGroup, ['board', 'bob', '--mode', 'client'], { env: env('ada') });
    expect(made.code).toBe(0);
    await as('ada', Send, ['#board', 'The treaty'], { env: env('ada') });
    const written = await as('bob', Chat, [], {
      env: env('bob'),
      person: acting(
        ['> #board', ''],
        ['The treaty', 'Signed'],
        ['Signed', '/verify'],
        ['Safety number', ''],
        ['/help', '/quit'],
      ),
    });
    expect(written.code).toBe(0);
    expect(written.stderr).toMatch(/#board {2}client/);
    expect(await texts('ada', '#board', env('ada'))).toEqual(['The treaty', 'Signed']);
    const asked = await as('ada', Chat, [], {
      person: acting(
        ['> #board', ''],
        ['/unlock asks for your key', 'Not this way'],
        ['Your key is needed', '/unlock'],
        ['Recovery phrase', phrases.get('ada') ?? ''],
        ['Signed', '/retry'],
        ['Not this way', '/quit'],
      ),
    });
    expect(asked.code).toBe(0);
    expect(asked.stderr).toContain('(encrypted by its members)');
    expect(await texts('bob', '#board', env('bob'))).toEqual(['The treaty', 'Signed', 'Not this way']);
  });

  it('reads and writes in conversations of the social network, and says what it does not do there', async () => {
    await as('ada', MessageSend, ['cleo', 'Hello from elsewhere']);
    const run = await as('ada', Chat, [], {
      person: acting(
        ['cleo', '\t/open cleo'],
        ['Hello from elsewhere', 'And once more'],
        ['not sent: ', '/pins'],
        ['For this, run', '\u0015/quit'],
      ),
    });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/cleo {2}social/);
    expect(run.stderr).toContain('not sent: Your message request waits for an answer.');
    // Nothing that somebody wrote is lost.
    expect(run.stderr.endsWith('You have not sent this to cleo:\nAnd once more\n')).toBe(true);
  });

  it('ends with the session, with the message and exit code of other commands', async () => {
    const env = { CONCLAVE_PASSWORD: 'the long secret of cleo' };
    const other = (await as('cleo', Login, ['cleo', '--print-token'], { env })).stdout.trim();
    const signedOut: Promise<unknown>[] = [];
    const signOut = () => void signedOut.push(as('cleo', Logout, [], { env: { CONCLAVE_TOKEN: other } }));
    const ended = await as('cleo', Chat, [], {
      env: { CONCLAVE_TOKEN: other },
      person: acting(['> #tea', ''], ['bye from cleo', signOut]),
    });
    await Promise.all(signedOut);
    expect(ended.code).toBe(4);
    expect(ended.stderr.split('\u001b[?1049l').at(-1)).toMatch(/^Error: .*conclave login/s);
  });
});
