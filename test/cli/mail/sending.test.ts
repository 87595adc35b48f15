import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Call from '../../../commands/call.ts';
import Cancel from '../../../commands/mail/cancel.ts';
import Draft from '../../../commands/mail/draft.ts';
import DraftSend from '../../../commands/mail/draft/send.ts';
import Drafts from '../../../commands/mail/drafts.ts';
import Forward from '../../../commands/mail/forward.ts';
import Inbox from '../../../commands/mail/inbox.ts';
import Read from '../../../commands/mail/read.ts';
import Reply from '../../../commands/mail/reply.ts';
import Send from '../../../commands/mail/send.ts';
import Sent from '../../../commands/mail/sent.ts';
import { mailboxesFrom } from '../../../src/cli/mail/recipients.ts';
import { sendTime } from '../../../src/cli/mail/send-time.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from './mail-people.ts';

const bob = ['--to', 'bob@home.example'];

describe.each(fewWays)('messages that are sent by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const newest = async (name: string) => {
    const [item] = (await run(name, Inbox, ['--json'])).json().emails;
    return (await run(name, Read, [item.id, '--json'])).json();
  };

  it('have recipients, a text and attachments', async () => {
    const small = await people.home.file('plan.txt', 'At noon.');
    const large = join(people.home.folder, 'photo.png');
    await writeFile(large, Buffer.alloc(300 * 1024, 7));
    const argv = ['--to', 'Bob, the <bob@home.example>', '--cc', 'ada@home.example', '--subject', 'The plan'];
    const refused = await run('ada', Send, argv, { stdin: 'x' });
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    argv[1] = '"Bob, the" <bob@home.example>';
    const sent = await run('ada', Send, [...argv, '--name', 'Ada', '--attach', small, '--attach', large], {
      stdin: 'See the files.\n',
    });
    expect(sent.code).toBe(0);
    const id = /^Sent "The plan", ([0-9a-f]{32})\.\n/.exec(sent.stdout)?.[1];
    expect(sent.stdout).toContain('bob@home.example: DELIVERED');
    expect(sent.stderr).toBe(`To see what became of it, run: conclave mail status ${id}\n`);
    const { message, content } = await newest('bob');
    expect(message).toMatchObject({
      subject: 'The plan',
      from: { displayName: 'Ada', address: 'ada@home.example' },
      to: [{ displayName: 'Bob, the', address: 'bob@home.example' }],
      cc: [{ address: 'ada@home.example' }],
    });
    expect(content.textBody.trimEnd()).toBe('See the files.');
    expect(content.attachments).toMatchObject([
      { filename: 'plan.txt', contentType: 'text/plain', size: 8 },
      { filename: 'photo.png', contentType: 'image/png', size: 300 * 1024 },
    ]);
  });

  it('are answered and forwarded with the text', async () => {
    await run('ada', Send, [...bob, '--subject', 'Tea?'], { stdin: 'Black\nor green?\n' });
    const { message } = await newest('bob');
    const argv = [message.id, '--body-file', '-'];
    expect(await run('bob', Reply, argv, { stdin: 'Green.\n' })).toMatchObject({ code: 0 });
    const answer = await newest('ada');
    expect(answer.message).toMatchObject({ subject: 'Re: Tea?', inReplyTo: message.messageId });
    expect(answer.content.textBody).toMatch(
      /^Green\.\n\nOn [\dT:.-]+Z, ada@home\.example wrote:\n> Black\n> or green\?\n$/,
    );
    await run('bob', Reply, [...argv, '--no-quote', '--all'], { stdin: 'Black.\n' });
    expect((await newest('ada')).content.textBody.trimEnd()).toBe('Black.');
    const text = await people.home.file('note.txt', 'Look:');
    const forwarded = await run('bob', Forward, [
      message.id,
      '--to',
      'ada@home.example',
      '--body-file',
      text,
      '--json',
    ]);
    expect(forwarded.json()).toMatchObject({ subject: 'Fwd: Tea?' });
    expect((await newest('ada')).content.textBody).toMatch(/^Look:[^]*Black\nor green\?/);
  });

  it('are taken back until they leave, and sent from the drafts', async () => {
    const later = await run('ada', Send, [...bob, '--subject', 'Later', '--undo', '1h'], { stdin: 'Hi.\n' });
    expect(later.stdout).toMatch(/^"Later" leaves at \S+Z: [0-9a-f]{32}\.\nbob@home\.example: PENDING\n$/);
    const id = /: ([0-9a-f]{32})\./.exec(later.stdout)?.[1] ?? '';
    expect(later.stderr).toBe(`To take it back until then, run: conclave mail cancel ${id}\n`);
    const taken = await run('ada', Cancel, [id, '--json']);
    expect(taken.json()).toMatchObject({ cancelled: true });
    const draft = taken.json().id;
    expect((await run('ada', Drafts)).stdout).toContain('\tLater\t');
    expect((await run('bob', Inbox, ['--subject', 'Later', '--json'])).json()).toMatchObject({ total: 0 });
    expect((await run('ada', DraftSend, [draft])).stdout).toContain('bob@home.example: DELIVERED');
    expect((await run('bob', Inbox, ['--subject', 'Later', '--json'])).json()).toMatchObject({ total: 1 });
    const over = await run('ada', Cancel, [(await run('ada', Sent, ['--json'])).json().emails[0].id, '--json']);
    expect(over.code).toBe(7);
    expect(JSON.parse(over.stderr)).toMatchObject({ error: { code: 'EMAIL_NOT_PENDING' } });

    const kept = await run('ada', Draft, ['--subject', 'Not finished'], { stdin: 'So' });
    const own = /^Kept ([0-9a-f]{32})\.\n$/.exec(kept.stdout)?.[1] ?? '';
    expect(kept.stderr).toBe(`To send it, run: conclave mail draft send ${own}\n`);
    const nobody = await run('ada', DraftSend, [own, '--json']);
    expect(nobody).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('writing', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople('url', ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);

  it('happens in the editor on a terminal', async () => {
    const editor = await people.home.file('editor.sh', 'printf "Typed." > "$1"\n');
    const env = { EDITOR: `sh ${editor}` };
    const sent = await run('ada', Send, [...bob, '--subject', 'By hand'], { env, person: [] });
    expect(sent).toMatchObject({ code: 0 });
    const [{ id }] = (await run('bob', Inbox, ['--json'])).json().emails;
    expect((await run('bob', Read, [id])).stdout).toMatch(/\n\nTyped\.\n$/);
    const idle = await run('ada', Send, [...bob], { env: { EDITOR: 'true' }, person: [] });
    expect([idle.code, idle.stderr]).toEqual([2, 'Error: The text was not changed. Nothing was sent.\n']);
  });

  it('takes HTML as well', async () => {
    const html = await people.home.file('a.html', '<p>Hi <b>Bob</b></p>');
    await run('ada', Send, [...bob, '--subject', 'Rich', '--html-file', html]);
    const [{ messageId }] = (await run('bob', Inbox, ['--json'])).json().emails;
    const raw = await run('bob', Call, ['mail.content', `messageId=${messageId}`]);
    expect(raw.json().htmlBody).toContain('<b>Bob</b>');
    expect((await run('bob', Read, [messageId])).stdout).toContain('Hi Bob\n');
  });

  it('goes to members by their names, and ends with 1 if somebody does not get it', async () => {
    const named = await run('ada', Send, ['--to', 'bob', '--subject', 'By name', '--json'], { stdin: 'x' });
    expect(named.json().deliveryStatus).toEqual({ 'bob@home.example': 'DELIVERED' });
    const lost = await run('ada', Send, ['--to', 'bob', '--cc', 'x@elsewhere.example'], { stdin: 'x' });
    expect(lost.code).toBe(1);
    expect(lost.stdout).toContain('bob@home.example: DELIVERED\nx@elsewhere.example: FAILED');
    expect(lost.stderr).toContain('Not delivered to x@elsewhere.example. To see why, run: conclave mail status ');
    const nobody = await run('ada', Send, ['--to', 'x@elsewhere.example'], { stdin: 'x' });
    expect([nobody.code, nobody.stdout]).toEqual([
      1,
      expect.stringMatching(/^Nobody gets the message, [0-9a-f]{32}\./),
    ]);
  });

  it('says what is wrong, and sends nothing', async () => {
    const said = async (...argv: string[]) => {
      const { code, stdout, stderr } = await run('ada', Send, [...argv, '--json'], { stdin: 'x' });
      expect(stdout).toBe('');
      const { error } = JSON.parse(stderr);
      return [code, error.code, error.message];
    };
    expect(await said()).toEqual([2, 'USAGE', 'The recipients are missing. Name somebody with --to.']);
    expect(await said('--to', 'bob@')).toEqual([
      2,
      'USAGE',
      '--to has "bob@", which is no address. Write ada@home.example, or "Ada <ada@home.example>", or the name of a member.',
    ]);
    expect(await said('--to', 'bob,nobody')).toEqual([
      2,
      'NO_SUCH_MAILBOX',
      'There is no mailbox nobody@home.example. Nothing was sent to anybody. Correct the address, or leave it out.',
    ]);
    expect(await said(...bob, '--at', 'yesterday')).toEqual([
      2,
      'USAGE',
      '--at must be in the future, and at most 365 days ahead: 2027-01-31T08:00:00Z, 90m, or 2d.',
    ]);
    expect(await said(...bob, '--undo', '0s')).toEqual([2, 'USAGE', '--undo must be a duration: 10s, 5m, or 1h.']);
    expect(await said(...bob, '--attach', '/nowhere/x')).toEqual([
      2,
      'INPUT_UNREADABLE',
      '/nowhere/x cannot be read: it does not exist.',
    ]);
    expect(await said(...bob, '--attach', people.home.folder)).toEqual([
      2,
      'INPUT_UNREADABLE',
      `${people.home.folder} cannot be read: it is a folder.`,
    ]);
    expect(await said(...bob, '--body-file', '-', '--html-file', '-')).toEqual([
      2,
      'USAGE',
      'Standard input can be either --body-file or --html-file. Give a file for one.',
    ]);
    const bytes = join(people.home.folder, 'bytes');
    await writeFile(bytes, Buffer.from([0xff, 0xfe]));
    expect(await said(...bob, '--body-file', bytes)).toEqual([
      2,
      'INPUT_INVALID',
      `${bytes} is not text in UTF-8. Attach it with --attach.`,
    ]);
    expect((await run('ada', Sent, ['--subject', 'x', '--json'])).json()).toMatchObject({ total: 0 });
  });
});

describe('recipients', () => {
  it.each([
    ['a@b', [{ localPart: 'a', domain: 'b' }]],
    ['Ada L <a@b>', [{ localPart: 'a', domain: 'b', displayName: 'Ada L' }]],
    [
      String.raw`"L, \"Ada\"" <a@b>, c@d`,
      [
        { localPart: 'a', domain: 'b', displayName: 'L, "Ada"' },
        { localPart: 'c', domain: 'd' },
      ],
    ],
    ['<a@b>,', [{ localPart: 'a', domain: 'b' }]],
    ['"a b"@c', [{ localPart: 'a b', domain: 'c' }]],
    // Names of members; their node has the domain.
    [
      'a, b+x',
      [
        { localPart: 'a', domain: '' },
        { localPart: 'b+x', domain: '' },
      ],
    ],
    [
      'jürgen,c@d',
      [
        { localPart: 'jürgen', domain: '' },
        { localPart: 'c', domain: 'd' },
      ],
    ],
  ])('are read from %j', (text, mailboxes) => {
    expect(mailboxesFrom([text], '--to')).toEqual(mailboxes);
  });

  it.each(['a b', '@b', 'a@', 'Ada <a>', 'Ada, the <a@b>', 'a@b c', '<a@b', '"a@b'])('are not read from %j', (text) => {
    expect(() => mailboxesFrom([text], '--to')).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('which is no address') }),
    );
  });
});

describe('the time of sending', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [undefined, undefined, undefined],
    ['90m', undefined, '2026-01-01T01:30:00.000Z'],
    ['2026-02-01', undefined, '2026-02-01T00:00:00.000Z'],
    [undefined, '10s', '2026-01-01T00:00:10.000Z'],
  ])('of --at %s and --undo %s is %s', (at, undo, time) => {
    expect(sendTime(at, undo, now)).toBe(time);
  });

  it('is never past', () => {
    expect(() => sendTime('2025-12-31', undefined, now)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('must be in the future') }),
    );
  });
});
