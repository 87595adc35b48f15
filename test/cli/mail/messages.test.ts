import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Register from '../../../commands/account/register.ts';
import Login from '../../../commands/login.ts';
import Call from '../../../commands/call.ts';
import Cancel from '../../../commands/mail/cancel.ts';
import Drafts from '../../../commands/mail/drafts.ts';
import Folder from '../../../commands/mail/folder.ts';
import Forward from '../../../commands/mail/forward.ts';
import Inbox from '../../../commands/mail/inbox.ts';
import Label from '../../../commands/mail/label.ts';
import Mailboxes from '../../../commands/mail/mailboxes.ts';
import Mark from '../../../commands/mail/mark.ts';
import Move from '../../../commands/mail/move.ts';
import Read from '../../../commands/mail/read.ts';
import Remove from '../../../commands/mail/remove.ts';
import Reply from '../../../commands/mail/reply.ts';
import Search from '../../../commands/mail/search.ts';
import Send from '../../../commands/mail/send.ts';
import Sent from '../../../commands/mail/sent.ts';
import Status from '../../../commands/mail/status.ts';
import Thread from '../../../commands/mail/thread.ts';
import { openHome, ways, type Home, type WayIn } from '../home.ts';
import type { Run, RunOptions } from '../run-command.ts';

interface Correspondence extends AsyncDisposable {
  readonly home: Home;
  readonly domain: string;
  run(name: string, command: Parameters<Home['run']>[0], argv?: readonly string[], options?: RunOptions): Promise<Run>;
}

async function openCorrespondence(way: WayIn): Promise<Correspondence> {
  const home = await openHome(way);
  const tokens: Record<string, string> = {};
  for (const name of ['ada', 'bob', 'cyd']) {
    const env = { CONCLAVE_PASSWORD: `the long secret of ${name}` };
    await home.run(Register, ['--username', name, '--email', `${name}@home.test`, '--json'], { env });
    tokens[name] = (await home.run(Login, [name, '--print-token'], { env })).stdout.trim();
  }
  const run: Correspondence['run'] = async (name, command, argv = [], options = {}) =>
    await home.run(command, argv, {
      ...options,
      env: { CONCLAVE_TOKEN: tokens[name], XDG_CONFIG_HOME: `${home.folder}/${name}`, ...options.env },
    });
  const { address } = (await run('ada', Mailboxes, ['--json'])).json();
  const domain = (address as string).slice(4);
  return { home, domain, run, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

describe.each(ways)('mail on the command line by %s', (way) => {
  it('is sent, listed, read, answered, forwarded and put in order', async () => {
    await using mail = await openCorrespondence(way);
    const { run, domain, home } = mail;
    const [bob, cyd] = [`bob@${domain}`, `cyd@${domain}`];
    const file = join(home.folder, 'list.txt');
    await writeFile(file, 'one\ntwo\n');
    const sent = await run(
      'ada',
      Send,
      ['--to', `Bob B. <${bob}>`, '--cc', cyd, '--subject', 'Plans', '--attach', file],
      {
        stdin: 'At \u001b[31m noon?\n',
      },
    );
    const [, id] = /^Sent ([0-9a-f]{32})\.\n/.exec(sent.stdout) ?? [];
    expect(sent.stdout).toBe(`Sent ${id}.\n${bob}: DELIVERED\n${cyd}: DELIVERED\n`);
    const inbox = await run('bob', Inbox, []);
    const [theirs] = inbox.stdout.split('\t');
    expect(inbox.stdout).toMatch(/^[0-9a-f]{32}\t\*\+ {2}\t[^\t]+\tada@[^\t]+\tPlans\t\n$/);
    const short = theirs!.slice(0, 30);
    const read = await run('bob', Read, [short]);
    expect(read.stdout).toContain(`From\tada@${domain}\nTo\tBob B. <${bob}>\nCc\t${cyd}\n`);
    expect(read.stdout).toContain('At [31m noon?\n\n[0] list.txt (');
    expect(read.stdout).not.toContain('\u001b');
    expect((await run('bob', Inbox, ['--read-status', 'unread'])).stderr).toContain('There are no messages.');
    const answered = await run('bob', Reply, [theirs!, '--all'], { stdin: 'Yes.' });
    expect(answered.stdout).toContain(`ada@${domain}: DELIVERED\n${cyd}: DELIVERED\n`);
    expect((await run('bob', Forward, [theirs!, '--to', cyd])).stdout).toContain(`${cyd}: DELIVERED\n`);
    expect((await run('cyd', Search, ['noon', '--json'])).json().total).toBe(2);
    expect((await run('ada', Thread, [id!, '--json'])).json().messages).toHaveLength(2);
    expect((await run('ada', Status, [id!])).stdout).toContain(`${bob}\tto\tDELIVERED\t`);
    expect((await run('ada', Sent, ['--json'])).json().total).toBe(1);
    expect((await run('bob', Mark, [theirs!, '--unread', '--flag'])).stdout).toBe('It is unread, and flagged.\n');
    expect((await run('bob', Label, [theirs!, '--add', 'Work'])).stdout).toBe('Work\n');
    expect((await run('bob', Move, [theirs!, 'archive'])).stdout).toBe('Moved it to archive.\n');
    expect((await run('bob', Folder, ['archive', '--json'])).json().emails).toMatchObject([
      { labels: ['Work'], read: false },
    ]);
    expect((await run('bob', Mailboxes, [])).stdout).toContain('archive\tfolder\t1\t1\n');
    expect((await run('bob', Remove, [theirs!])).stderr).toContain('--yes');
    expect((await run('bob', Remove, [theirs!, '--yes'])).stdout).toBe('Deleted it.\n');
    expect(await run('bob', Read, [theirs!])).toMatchObject({ code: 6, stdout: '' });
    const raw = join(await mkdtemp(join(tmpdir(), 'conclave-raw-')), 'm.eml');
    expect(await run('ada', Call, ['mail.raw', `messageId=${id}`, '--output', raw])).toMatchObject({ code: 0 });
    expect(await readFile(raw, 'utf8')).toContain('Subject: Plans\r\n');
  });
});

describe('mail on the command line', () => {
  it('can wait and be taken back, and says what is wrong', async () => {
    await using mail = await openCorrespondence('process');
    const { run, domain } = mail;
    const bob = `bob@${domain}`;
    const later = await run('ada', Send, ['--to', bob, '--at', '2126-01-01T00:00:00Z'], { stdin: 'x' });
    expect([later.code, later.stderr]).toEqual([
      2,
      'Error: Some values are not valid.\n  sendAt: must be within 365 days\n',
    ]);
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const waiting = await run('ada', Send, ['--to', bob, '--at', at, '--json'], { stdin: 'x' });
    const { id } = waiting.json();
    expect(waiting.stderr).toContain(`To take it back until then, run: conclave mail cancel ${id.slice(0, 12)}`);
    expect((await run('ada', Cancel, [id])).stdout).toBe('Took it back. It is a draft now.\n');
    expect((await run('ada', Drafts, ['--json'])).json().emails).toMatchObject([{ id }]);
    for (const [argv, code, message] of [
      [[], 2, 'Error: Some values are not valid.\n  --to: must name at least one recipient, or cc or bcc must\n'],
      [['--to', 'nobody'], 2, 'Error: "nobody" is no address. Write ada@home.example, or "Ada <ada@home.example>".\n'],
      [['--to', bob, '--attach', '/nowhere'], 2, 'Error: /nowhere cannot be read. Check its name.\n'],
      [['--to', bob, '--at', 'soon'], 2, 'Error: "soon" is no moment. Write 2026-12-24T18:00:00Z.\n'],
    ] as const)
      expect(await run('ada', Send, argv, { stdin: 'x' })).toMatchObject({ code, stderr: message });
    const nothing = await run('ada', Read, ['0123456789']);
    expect([nothing.code, nothing.stderr]).toEqual([
      6,
      'Error: There is no message "0123456789". To list them, run: conclave mail inbox\n',
    ]);
  });
});
