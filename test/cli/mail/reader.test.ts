import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Mail from '../../../commands/mail.ts';
import FolderCommand from '../../../commands/mail/folder.ts';
import Inbox from '../../../commands/mail/inbox.ts';
import Reply from '../../../commands/mail/reply.ts';
import Send from '../../../commands/mail/send.ts';
import { loadMeasure } from '../../../src/cli/kit/display-width.ts';
import { linesWithin } from '../../../src/cli/mail/reader/canvas.ts';
import { ways } from '../home.ts';
import { keys } from '../run-command.ts';
import { openMailPeople, type MailPeople } from './mail-people.ts';

describe.each(ways)('the reader, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const send = async (subject: string, text = 'Hi.') =>
    await run('ada', Send, ['--to', 'bob@home.example', '--subject', subject], { stdin: text });
  const subjects = async (folder: string): Promise<string[]> =>
    (await run('bob', FolderCommand, [folder, '--json'])).json().emails.map((one: { subject: string }) => one.subject);
  const help = 'q:quit';

  it('lists the inbox without a terminal, and knows no other words', async () => {
    expect((await run('bob', Mail)).stderr).toBe('There are no such messages.\n');
    expect((await run('bob', Mail, ['--json'])).json()).toMatchObject({ total: 0 });
    const wrong = await run('bob', Mail, ['inbx']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no command "mail inbx".')]);
  });

  it('shows threads, and acts on them by one key', async () => {
    for (const subject of ['One', 'Two', 'Three']) await send(subject, `This is ${subject}.`);
    const inbox = await run('bob', Inbox, ['--json']);
    const sorted: string[] = inbox.json().emails.map(({ subject }: { subject: string }) => subject);
    const reading = await run('bob', Mail, [], {
      person: [
        [help, ['j', keys.enter]],
        [`This is ${sorted[1]}.`, ['s', 'q']],
        ['Mail: inbox', ['a']],
        ['Moved 1 message to the archive.', ['d']],
        ['Moved 1 message to the trash.', ['q']],
      ],
    });
    expect(reading).toMatchObject({ code: 0, stdout: '' });
    expect(reading.stderr.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(reading.stderr.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(await subjects('archive')).toEqual([sorted[1]]);
    expect(await subjects('trash')).toEqual([sorted[2]]);
    expect(await subjects('inbox')).toEqual([sorted[0]]);
    expect((await run('bob', FolderCommand, ['archive'])).stdout).toContain('\tflagged\t');
  });

  it('answers in the editor, and shows the whole thread', async () => {
    await send('Tea?', 'Black or green?');
    const editor = await people.home.file('editor.sh', 'printf "Green." > "$1"\n');
    const env = { EDITOR: `sh ${editor}` };
    const search = [
      [help, ['/']],
      ['Words to search for', 'tea'],
    ] as const;
    const answered = await run('bob', Mail, [], {
      env,
      person: [...search, ['search: tea', ['r']], ['Your answer:', ['s']], ['Sent to ada@home.example', ['q']]],
    });
    expect(answered).toMatchObject({ code: 0 });
    await run('ada', Reply, [(await run('ada', Inbox, ['--json'])).json().emails[0].id], { stdin: 'Fine.' });
    const thread = await run('bob', Mail, [], {
      person: [
        [help, [keys.enter]],
        ['of 3 of the thread', ['h', 'h', 'l', 'l', 'q']],
        ['Mail: inbox', ['q']],
      ],
    });
    for (const text of ['Black or green?', 'Green.', 'Fine.']) expect(thread.stderr).toContain(text);
    expect((await run('bob', Inbox, ['--unread', '--subject', 'Tea', '--json'])).json()).toMatchObject({ total: 0 });
  });

  it('ends at Ctrl-C with the terminal as it was', async () => {
    const ended = await run('bob', Mail, [], { person: [[help, [keys.interrupt]]] });
    expect(ended.code).toBe(130);
    expect(ended.stderr.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });
});

describe('lines of a screen', () => {
  it('are never wider than it', async () => {
    const measure = await loadMeasure();
    const lines = linesWithin(`${'word '.repeat(20)}\n${'x'.repeat(45)}\n\n漢字漢字漢字漢字漢字漢字`, 20, measure);
    expect(Math.max(...lines.map(measure))).toBeLessThanOrEqual(20);
    expect(lines.slice(-3)).toEqual(['', '漢字漢字漢字漢字漢字', '漢字']);
  });
});
