import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Call from '../../../commands/call.ts';
import FolderCommand from '../../../commands/mail/folder.ts';
import Inbox from '../../../commands/mail/inbox.ts';
import Label from '../../../commands/mail/label.ts';
import Mailboxes from '../../../commands/mail/mailboxes.ts';
import Mark from '../../../commands/mail/mark.ts';
import Move from '../../../commands/mail/move.ts';
import Read from '../../../commands/mail/read.ts';
import Remove from '../../../commands/mail/remove.ts';
import Search from '../../../commands/mail/search.ts';
import Sent from '../../../commands/mail/sent.ts';
import Thread from '../../../commands/mail/thread.ts';
import { ways } from '../home.ts';
import { openMailPeople, type MailPeople } from './mail-people.ts';

const mailbox = (localPart: string) => ({ localPart, domain: 'home.example' });

/** sends as a program does, and answers the Message-ID */
async function sent(people: MailPeople, from: string, to: string, more: Record<string, unknown> = {}): Promise<string> {
  const message = { from: mailbox(from), to: [mailbox(to)], subject: 'Hello', textBody: 'Hi.', ...more };
  const input = ['mail.send', '--input', JSON.stringify(message)];
  return (await people.run(from, Call, input)).json().messageId;
}

describe.each(ways)('messages, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);

  it('are listed, read, marked, labelled, moved and deleted', async () => {
    expect(await run('bob', Inbox)).toMatchObject({ code: 0, stdout: '', stderr: 'There are no such messages.\n' });
    const messageId = await sent(people, 'ada', 'bob', {
      subject: 'The plan',
      textBody: 'At noon.\n\tBring \u001b[2J.',
    });
    const listed = await run('bob', Inbox);
    const [id = '', marks, date, from, subject, count] = listed.stdout.trimEnd().split('\t');
    expect([id, marks, from, subject, count]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      'unread',
      'ada@home.example',
      'The plan',
      '1',
    ]);
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);

    const kept = await run('bob', Read, [id.slice(0, 14), '--keep-unread']);
    expect(kept).toMatchObject({ code: 0, stderr: '' });
    expect(kept.stdout).toContain('From\tada@home.example\nTo\tbob@home.example\nSubject\tThe plan\n');
    expect(kept.stdout).toMatch(/\n\nAt noon\.\n {4}Bring \[2J\.\n$/);
    expect((await run('bob', Inbox, ['--unread', '--json'])).json()).toMatchObject({ total: 1 });
    const read = (await run('bob', Read, [`<${messageId}>`, '--json'])).json();
    expect(read).toMatchObject({ message: { id, read: false }, content: { textBody: 'At noon.\n\tBring [2J.\n' } });
    expect((await run('bob', Inbox, ['--unread', '--json'])).json()).toMatchObject({ total: 0, emails: [] });

    expect((await run('bob', Mark, [id, '--unread', '--flag'])).stdout).toBe(`${id} is in inbox, unread, flagged.\n`);
    expect((await run('bob', Inbox, ['--flagged'])).stdout).toContain(`${id}\tunread,flagged\t`);
    expect((await run('bob', Mark, [id, '--read', '--unflag'])).stdout).toBe(`${id} is in inbox, read.\n`);
    const labelled = await run('bob', Label, [id, '--add', 'Plans', '--add', 'Noon']);
    expect(labelled.stdout).toBe(`${id} is in inbox, read, labels: Noon, Plans.\n`);
    const taken = await run('bob', Label, [id, '--remove', 'Noon', '--json']);
    expect(taken.json()).toMatchObject({ labels: ['Plans'] });
    expect((await run('bob', Move, [id, 'archive'])).stdout).toBe(`${id} is in archive, read, labels: Plans.\n`);
    expect((await run('bob', FolderCommand, ['archive', '--label', 'Plans'])).stdout).toContain(id);
    const boxes = await run('bob', Mailboxes);
    expect(boxes.stdout).toContain('archive\tfolder\t1\t0\n');
    expect(boxes.stdout).toContain('Plans\tlabel\t1\t0');
    expect(boxes.stderr).toBe('Your address is bob@home.example.\n');

    const unsure = await run('bob', Remove, [id]);
    expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await run('bob', Remove, [id, '--yes'])).stdout).toBe(`Deleted ${id}.\n`);
    const gone = await run('bob', Read, [id, '--json']);
    expect([gone.code, gone.stdout]).toEqual([6, '']);
    expect(JSON.parse(gone.stderr)).toMatchObject({ error: { code: 'EMAIL_NOT_FOUND' } });
    expect((await run('ada', Sent)).stdout).toContain('\tThe plan\t');
  });
});

describe('lists of messages', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople('url', ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const subjects = async (command: Parameters<MailPeople['run']>[1], argv: readonly string[]): Promise<string[]> => {
    const { emails } = (await run('bob', command, [...argv, '--json'])).json();
    return emails.map(({ subject }: { subject: string }) => subject);
  };

  it('are filtered, sorted and cut into pages', async () => {
    const file = { filename: 'a.txt', contentType: 'text/plain', content: 'YQ==' };
    await sent(people, 'ada', 'bob', { subject: 'Carrots', textBody: 'Orange ones.' });
    await sent(people, 'ada', 'bob', { subject: 'Apples', attachments: [file] });
    await sent(people, 'bob', 'bob', { subject: 'Beans', textBody: 'Green ones.' });
    expect(await subjects(Inbox, ['--sort', 'subject'])).toEqual(['Apples', 'Beans', 'Carrots']);
    expect(await subjects(Inbox, ['--sort', 'subject', '--reverse'])).toEqual(['Carrots', 'Beans', 'Apples']);
    expect(await subjects(Inbox, ['--from', 'ada@home.example', '--sort', 'subject'])).toEqual(['Apples', 'Carrots']);
    expect(await subjects(Inbox, ['--attachments'])).toEqual(['Apples']);
    expect(await subjects(Inbox, ['--subject', 'bEA'])).toEqual(['Beans']);
    expect(await subjects(Inbox, ['--since', '2000-01-01', '--until', '2000-12-31'])).toEqual([]);
    expect(await subjects(Search, ['orange', 'ones'])).toEqual(['Carrots']);
    expect(await subjects(Search, ['ones', '--folder', 'inbox', '--sort', 'subject'])).toEqual(['Beans', 'Carrots']);
    const first = await run('bob', Inbox, ['--page-size', '2']);
    expect(first.stderr).toBe('Page 1 of 2. For the next: --page 2\n');
    const beyond = await run('bob', Inbox, ['--page-size', '2', '--page', '9']);
    expect([beyond.stdout, beyond.stderr]).toEqual(['', 'There is no page 9. The last is 2.\n']);
  });

  it('have short ids and signs on a terminal, and every id works', async () => {
    const shown = await run('bob', Inbox, ['--subject', 'Apples'], { person: [] });
    const [heading, row = ''] = shown.stdout.split('\n');
    expect(heading).toMatch(/^ID +MARK +DATE +FROM +SUBJECT +THREAD$/);
    expect(row).toMatch(/^[0-9a-f]{12} {2}\*@ /);
    expect(shown.stderr).toBe('Marks: * unread, ! flagged, r answered, @ with attachments\n');
    const read = await run('bob', Read, [row.slice(0, 12)], { person: [] });
    expect(read.stdout).toContain('Attachment 0  a.txt, text/plain, 1 byte\n');
    const [id = ''] = (await run('bob', Inbox, ['--subject', 'Apples'])).stdout.split('\t');
    const trashed = await run('bob', Move, [id, 'trash']);
    expect(trashed).toMatchObject({ code: 0 });
    expect(await run('bob', Read, [row.slice(0, 12)])).toMatchObject({ code: 0 });
  });

  it('show what belongs to one thread', async () => {
    const messageId = await sent(people, 'ada', 'bob', { subject: 'Tea?', textBody: 'Black or green?' });
    const answer = { messageId, from: mailbox('bob'), textBody: 'Green, please.' };
    await run('bob', Call, ['mail.reply', '--input', JSON.stringify(answer)]);
    const rows = (await run('bob', Thread, [messageId])).stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t').slice(2))).toEqual([
      ['ada@home.example', 'inbox', 'Black or green?'],
      ['bob@home.example', 'sent', 'Green, please.'],
    ]);
  });

  it('say what is wrong', async () => {
    const said = async (command: Parameters<MailPeople['run']>[1], ...argv: string[]) => {
      const { code, stderr } = await run('bob', command, [...argv, '--json']);
      const { error } = JSON.parse(stderr);
      return [code, error.code, error.message];
    };
    expect(await said(Inbox, '--since', 'soon')).toEqual([
      2,
      'USAGE',
      '--since must be a time: 2027-01-31, or 2027-01-31T08:00:00Z.',
    ]);
    expect(await said(Read, '00000000')).toEqual([
      6,
      'EMAIL_NOT_FOUND',
      'None of your newest 200 messages has an id that begins with "00000000". To list messages, run: conclave mail inbox',
    ]);
    expect(await said(Search)).toEqual([2, 'USAGE', 'The words to search for are missing.']);
    expect(await said(Label, 'nobody@far')).toEqual([2, 'USAGE', 'Nothing would change. Give --add or --remove.']);
    expect(await said(Mark, 'nobody@far')).toEqual([
      2,
      'USAGE',
      'Nothing would change. Give --read, --unread, --flag or --unflag.',
    ]);
    expect((await said(FolderCommand, 'attic'))[1]).toBe('USAGE');
    const inInbox = async (): Promise<string[]> =>
      (await run('bob', Inbox, ['--json'])).json().emails.map(({ id }: { id: string }) => id);
    // Ids of the same minute begin alike.
    let alike: string[] = [];
    while (alike.length < 2) {
      await sent(people, 'ada', 'bob');
      const ids = await inInbox();
      alike = ids.filter((id) => id.startsWith(ids[0]!.slice(0, 8)));
    }
    const many = await run('bob', Read, [alike[0]!.slice(0, 8)]);
    expect(many.code).toBe(7);
    expect(many.stderr).toContain(`"${alike[0]!.slice(0, 8)}" matches more than one:`);
    for (const id of alike) expect(many.stderr).toContain(`${id}: inbox, `);
  });
});
