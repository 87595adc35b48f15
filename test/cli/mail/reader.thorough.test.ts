import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Mail from '../../../commands/mail.ts';
import Draft from '../../../commands/mail/draft.ts';
import FolderCommand from '../../../commands/mail/folder.ts';
import Inbox from '../../../commands/mail/inbox.ts';
import Read from '../../../commands/mail/read.ts';
import Remove from '../../../commands/mail/remove.ts';
import Reply from '../../../commands/mail/reply.ts';
import Send from '../../../commands/mail/send.ts';
import { loadMeasure } from '../../../src/cli/kit/display-width.ts';
import { linesWithin } from '../../../src/cli/kit/canvas.ts';
import { listHelp, messageHelp } from '../../../src/cli/mail/reader/help.ts';
import { fewWays, type WayIn } from '../home.ts';
import { keys } from '../run-command.ts';
import { openMailPeople, type MailPeople } from './mail-people.ts';
import { inStage } from '../../support/stage.ts';

describe.each(fewWays)('the reader, by the way %s', (way) => {
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
      person: [...search, ['search: tea', ['r']], ['Message:', ['s']], ['Sent to ada@home.example', ['q']]],
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

  /** An editor that writes a text, whatever was there. */
  const writing = async (text: string): Promise<NodeJS.ProcessEnv> => ({
    EDITOR: `sh ${await people.home.file('editor.sh', `printf '${text}' > "$1"\n`)}`,
  });

  it('writes a message, keeps it as a draft, and goes on with it', async () => {
    const file = await people.home.file('list.txt', 'one\ntwo\n');
    const kept = await run('bob', Mail, [], {
      env: await writing('First version.'),
      person: [
        [help, ['c']],
        ['To', 'nobody at all'],
        ['which is no address', '\u0015ada@home.example'],
        ['Cc', ''],
        ['Subject', 'Written in the reader'],
        ['Message:', ['f']],
        ['File to attach', file],
        ['Attached: ', ['k']],
        ['Kept as a draft.', ['q']],
      ],
    });
    expect(kept).toMatchObject({ code: 0 });
    expect(await subjects('drafts')).toEqual(['Written in the reader']);
    const sent = await run('bob', Mail, [], {
      env: await writing('Second version.'),
      person: [
        [help, ['f']],
        ['Folder', [keys.down, keys.down, keys.enter]],
        ['Mail: drafts', ['e']],
        ['To', ''],
        ['Cc', ''],
        ['Subject', ''],
        ['Message:', ['f']],
        ['File to attach', file],
        ['Attached: ', ['s']],
        ['Files that are attached to a draft would be lost.', ['x']],
        ['The message was discarded.', ['e']],
        ['To', ''],
        ['Cc', ''],
        ['Subject', ''],
        ['Message:', ['s']],
        ['Sent to ada@home.example', ['q']],
      ],
    });
    expect(sent).toMatchObject({ code: 0 });
    expect(await subjects('drafts')).toEqual([]);
    const [got] = (await run('ada', Inbox, ['--json'])).json().emails;
    expect(got).toMatchObject({ subject: 'Written in the reader', hasAttachments: true });
    expect((await run('ada', Read, [got.id])).stdout).toContain('Second version.');
  });

  it('edits no draft that would lose its HTML', async () => {
    const html = await people.home.file('bold.html', '<p>So <b>bold</b>.</p>');
    const kept = await run('bob', Draft, ['--subject', 'Bold', '--html-file', html, '--json']);
    const opened = await run('bob', Mail, [], {
      person: [
        [help, ['f']],
        ['Folder', [keys.down, keys.down, keys.enter]],
        ['Mail: drafts', ['e']],
        ['This draft has HTML, which would be lost.', ['q']],
      ],
    });
    expect(opened).toMatchObject({ code: 0 });
    expect((await run('bob', Remove, [kept.json().id, '--yes'])).code).toBe(0);
  });

  it('takes back what was done: moves, flags, and a message that still waits', async () => {
    await send('Taken back');
    const done = await run('bob', Mail, [], {
      env: await writing('Too early.'),
      person: [
        [help, ['/']],
        ['Words to search for', 'taken'],
        ['search: taken', ['s', 'd']],
        ['Moved 1 message to the trash.', ['z']],
        ['Took it back for 1 message.', ['z']],
        ['There is nothing to take back.', ['r']],
        ['Message:', ['u']],
        ['It goes to ada@home.example in 10s.', ['z']],
        ['Took the message back. It is in drafts.', ['q']],
      ],
    });
    expect(done).toMatchObject({ code: 0 });
    expect(await subjects('inbox')).toContain('Taken back');
    expect(await subjects('drafts')).toEqual(['Re: Taken back']);
    const [draft] = (await run('bob', FolderCommand, ['drafts', '--json'])).json().emails;
    expect((await run('bob', Remove, [draft.id, '--yes'])).code).toBe(0);
  });

  it('acts on all that are marked, and moves and labels them', { tags: 'soak' }, async () => {
    for (const subject of ['Bill one', 'Bill two', 'Bill three']) await send(subject);
    const done = await run('bob', Mail, [], {
      person: [
        [help, ['/']],
        ['Words to search for', 'bill'],
        ['search: bill', ['x', 'x', 'L']],
        ['Labels, with commas between them', 'bills, later'],
        ['Labels of 2 messages were changed.', ['\u001b[H', 'x', 'L']],
        ['Labels, with commas between them', '-later'],
        ['Labels of 1 message were changed.', ['m']],
        ['Move to', [keys.down, keys.down, keys.enter]],
        ['Moved 1 message to archive.', ['q']],
      ],
    });
    expect(done).toMatchObject({ code: 0 });
    const labelled = async (label: string) =>
      (await run('bob', FolderCommand, ['all', '--label', label, '--json'])).json().total;
    expect([await labelled('bills'), await labelled('later')]).toEqual([2, 1]);
  });

  it('forwards a message, and saves what is attached', { tags: 'soak' }, async () => {
    const file = await people.home.file('plan.txt', 'The plan.');
    await run('ada', Send, ['--to', 'bob@home.example', '--subject', 'With a file', '--attach', file], {
      stdin: 'See.',
    });
    const folder = `${people.home.folder}/${way}-saved`;
    const done = await run('bob', Mail, [], {
      env: await writing('Look at this.'),
      person: [
        [help, ['/']],
        ['Words to search for', 'file'],
        ['search: file', [keys.enter]],
        ['plan.txt', ['v']],
        ['Folder', folder],
        ['Saved ', ['F']],
        ['Forward to', 'ada@home.example'],
        ['Forward it:', ['w']],
        ['Forward it:', ['s']],
        ['Sent to ada@home.example.', ['q']],
        ['Mail: ', ['q']],
      ],
    });
    expect(done).toMatchObject({ code: 0 });
    expect(await readFile(`${folder}/plan.txt`, 'utf8')).toBe('The plan.');
    const [got] = (await run('ada', Inbox, ['--json'])).json().emails;
    expect(got).toMatchObject({ subject: 'Fwd: With a file', hasAttachments: true });
    expect((await run('ada', Read, [got.id])).stdout).toContain('Look at this.');
  });

  it('shows all keys', async () => {
    const shown = await run('bob', Mail, [], {
      person: [
        [help, ['?']],
        ['any key goes back', ['x']],
        ['Mail: inbox', ['q']],
      ],
    });
    expect(shown.stderr).toContain('undo the last of these');
  });

  it('ends at Ctrl-C with the terminal as it was', async () => {
    const ended = await run('bob', Mail, [], { person: [[help, [keys.interrupt]]] });
    expect(ended.code).toBe(130);
    expect(ended.stderr.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });
});

describe.each(inStage<readonly WayIn[]>(['url'], ['url'], ['socket', 'url']))(
  'the reader beside a server, by the way %s',
  (way) => {
    it('shows a message that comes meanwhile', async () => {
      await using people = await openMailPeople(way, ['ada', 'bob']);
      let sent = false;
      const reading = await people.run('bob', Mail, [], {
        person: (shown) => {
          if (shown.includes('New: ada@home.example, Just now')) return 'q';
          if (shown.includes('q:quit') && !sent) {
            sent = true;
            void people.run('ada', Send, ['--to', 'bob@home.example', '--subject', 'Just now'], { stdin: 'Hi.' });
          }
          return undefined;
        },
      });
      expect(reading).toMatchObject({ code: 0 });
    });
  },
);

describe('the last line', () => {
  it('fits into 80 columns', () => {
    for (const line of [listHelp, messageHelp]) expect(line.length).toBeLessThanOrEqual(80);
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
