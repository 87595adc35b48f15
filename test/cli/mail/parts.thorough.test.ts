import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import AttachmentsSave from '../../../commands/mail/attachments/save.ts';
import Import from '../../../commands/mail/import.ts';
import Inbox from '../../../commands/mail/inbox.ts';
import Raw from '../../../commands/mail/raw.ts';
import RulesList from '../../../commands/mail/rules/list.ts';
import RulesSet from '../../../commands/mail/rules/set.ts';
import Send from '../../../commands/mail/send.ts';
import Sent from '../../../commands/mail/sent.ts';
import Status from '../../../commands/mail/status.ts';
import { openClient } from '../../../src/client/client.ts';
import { openArrivals } from '../../../src/cli/mail/arrivals.ts';
import { differentNames, safeFileName } from '../../../src/cli/mail/safe-name.ts';
import { watchMail } from '../../../src/cli/mail/watching.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from './mail-people.ts';
import { elapses } from '../../support/real-time.ts';
import { inStage } from '../../support/stage.ts';

const bob = ['--to', 'bob@home.example'];

describe.each(fewWays)('parts of messages, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const about = async (subject: string): Promise<string> =>
    (await run('bob', Inbox, ['--subject', subject, '--json'])).json().emails[0].id;

  it('are saved under harmless names, and never over another file', async () => {
    const names = ['../../evil.txt', 'evil.txt', '.bashrc', 'plain.txt'];
    const files = names.map((name, at) =>
      ['--x', 'Content-Type: text/plain', `Content-Disposition: attachment; filename="${name}"`, '', `file ${at}`].join(
        '\r\n',
      ),
    );
    const head = [
      'From: ada@far.example',
      'MIME-Version: 1.0',
      'Subject: Files',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '',
    ];
    const eml = await people.home.file('in.eml', [...head, ...files, '--x--', ''].join('\r\n'));
    expect(await run('bob', Import, [eml])).toMatchObject({ code: 0 });
    const id = await about('Files');
    const unsure = await run('bob', AttachmentsSave, [id, '--dir', people.home.folder]);
    expect([unsure.code, unsure.stderr]).toEqual([
      2,
      expect.stringContaining('Several files are attached. Give the number of one of them, or --all:'),
    ]);
    const folder = people.home.folder;
    const before = await readdir(folder);
    const all = await run('bob', AttachmentsSave, [id, '--all', '--dir', folder]);
    expect([all.code, all.stderr]).toEqual([0, '']);
    const added = (await readdir(folder)).filter((name) => !before.includes(name)).toSorted();
    expect(added).toEqual(['bashrc', 'evil-2.txt', 'evil.txt', 'plain.txt']);
    expect(all.stdout).toContain(`Saved ${join(folder, 'evil-2.txt')}, 6 bytes.\n`);
    expect(await readFile(join(folder, 'evil-2.txt'), 'utf8')).toBe('file 1');
    expect((await stat(join(folder, 'plain.txt'))).mode & 0o777).toBe(0o600);
    const again = await run('bob', AttachmentsSave, [id, '3', '--dir', folder]);
    expect([again.code, again.stderr]).toEqual([
      7,
      `Error: ${join(folder, 'plain.txt')} exists already. It was not changed.\n`,
    ]);
    const none = await run('bob', AttachmentsSave, [id, '9', '--json']);
    expect(none.code).toBe(6);
    expect(JSON.parse(none.stderr)).toMatchObject({
      error: { code: 'EMAIL_ATTACHMENT_NOT_FOUND', message: 'There is no attachment 9. There are:' },
    });
  });

  it('are written as they were sent', async () => {
    await run('ada', Send, [...bob, '--subject', 'Raw'], { stdin: 'Hi.\n' });
    const id = await about('Raw');
    const raw = await run('bob', Raw, [id]);
    expect(raw.stdout).toMatch(/^(?:[A-Z][\w-]*: .*\r\n(?:[ \t].*\r\n)*)+\r\nHi\.\r\n$/);
    const coded = (await run('bob', Raw, [id, '--json'])).json();
    expect(Buffer.from(coded.base64, 'base64').toString()).toBe(raw.stdout);
    const output = join(people.home.folder, 'message.eml');
    expect((await run('bob', Raw, [id, '--output', output])).stdout).toBe(`Wrote ${output}.\n`);
    expect(await readFile(output, 'utf8')).toBe(raw.stdout);
    expect((await run('bob', Raw, [id], { person: [] })).stdout).toContain('\nSubject: Raw\n');
  });

  it('have a status by recipient', async () => {
    await run('ada', Send, [...bob, '--subject', 'Status'], { stdin: 'Hi.\n' });
    const [{ id }] = (await run('ada', Sent, ['--json'])).json().emails;
    const status = await run('ada', Status, [id, '--watch']);
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toMatch(/^bob@home\.example\tto\tDELIVERED\t\S+Z\t-\n$/);
    expect((await run('ada', Status, [id, '--json'])).json()).toMatchObject({ deliveries: [{ status: 'DELIVERED' }] });
    const received = await run('bob', Status, [await about('Status')]);
    expect(received).toMatchObject({ code: 0, stderr: 'Only the sender sees what became of this message.\n' });
  });

  it('are sorted by rules', async () => {
    expect((await run('bob', RulesList)).stderr).toContain('There are no rules.');
    const rules = [
      { name: 'Bills', conditions: { subject: 'invoice' }, actions: { addLabels: ['bills'], markRead: true } },
      { name: 'Noise', conditions: { from: 'eve@' }, actions: { moveTo: 'trash' }, stop: true, enabled: false },
    ];
    const file = await people.home.file('rules.json', JSON.stringify(rules));
    const set = await run('bob', RulesSet, [file]);
    expect(set).toMatchObject({ code: 0, stderr: '' });
    expect(set.stdout).toBe(
      'Bills\tsubject "invoice"\taddLabels bills, markRead\nNoise (off)\tfrom "eve@"\tmoveTo "trash", stop\n',
    );
    const listed = await run('bob', RulesList, ['--json']);
    expect((await run('bob', RulesSet, ['-'], { stdin: listed.stdout })).stdout).toBe(set.stdout);
    await run('ada', Send, [...bob, '--subject', 'Your Invoice'], { stdin: 'Pay.\n' });
    expect((await run('bob', Inbox, ['--label', 'bills', '--json'])).json().emails).toMatchObject([{ read: true }]);
    const wrong = await run('bob', RulesSet, ['-', '--json'], { stdin: '[{"name": "x", "conditions": {}}]' });
    expect(wrong.code).toBe(2);
    expect(JSON.parse(wrong.stderr)).toMatchObject({
      error: {
        code: 'INPUT_INVALID',
        message: 'Standard input is no list of rules. See docs/mail.md for an example.',
        fields: expect.arrayContaining([expect.objectContaining({ path: 'rules.0.conditions' })]),
      },
    });
    const noJson = await run('bob', RulesSet, ['-'], { stdin: 'rules' });
    expect(noJson.stderr).toBe('Error: Standard input is not JSON. See docs/mail.md for an example.\n');
    expect((await run('bob', RulesSet, ['-'], { stdin: '[]' })).stderr).toBe('There are no rules any more.\n');
  });
});

describe('what comes in', () => {
  it.each(inStage(['events'], ['events'], ['events', 'looks']))('is told by %s', async (by) => {
    await using people = await openMailPeople('url', ['ada', 'bob']);
    await people.run('ada', Send, [...bob, '--subject', 'Before'], { stdin: 'Hi.\n' });
    await using client = await openClient({
      env: { ...people.home.env, CONCLAVE_TOKEN: people.tokens['bob'] },
      userAgent: 'test',
      command: 'test',
      server: people.home.env['CONCLAVE_SERVER'],
    });
    const arrived = await openArrivals(client, 'inbox');
    const told: string[] = [];
    let looks = 0;
    const patience = { deafMs: elapses(20), perReadMs: 0, hearingMs: by === 'events' ? 600_000 : elapses(20) };
    const watching = watchMail(client, {
      look: async () => {
        looks += 1;
        told.push(...(await arrived()).map(({ subject }) => subject));
        return told.length < 2;
      },
      trouble: (problem) => void told.push(problem.code),
      patience,
    });
    await expect.poll(() => looks).toBeGreaterThan(0);
    for (const subject of ['One', 'Two'])
      await people.run('ada', Send, [...bob, '--subject', subject], { stdin: 'Hi.\n' });
    await watching;
    expect(told).toEqual(['One', 'Two']);
  });
});

describe('names of files', () => {
  it.each([
    ['plan.pdf', 'plan.pdf'],
    ['/etc/passwd', 'passwd'],
    [String.raw`C:\autoexec.bat`, 'autoexec.bat'],
    ['..', 'attachment-0'],
    ['', 'attachment-0'],
    ['.profile', 'profile'],
    ['-rf', 'rf'],
    ['a\u001b[2J.txt', 'a_x1b[2J.txt'],
    ['invoice\u202Efdp.exe', 'invoice_u{202e}fdp.exe'],
    ['nul.txt', '_nul.txt'],
    ['nul .txt', '_nul .txt'],
    ['COM¹.log', '_COM¹.log'],
    ['CONOUT$', '_CONOUT$'],
    ['console.txt', 'console.txt'],
    [`${'ü'.repeat(200)}.png`, `${'ü'.repeat(88)}.png`],
  ])('are made of %j', (given, name) => {
    expect(safeFileName(given, 'attachment-0')).toBe(name);
  });

  it('differ in one folder', () => {
    expect(differentNames(['a.txt', 'A.txt', 'a.txt', 'b'])).toEqual(['a.txt', 'A-2.txt', 'a-3.txt', 'b']);
    expect(differentNames(['\u00e9', 'e\u0301'])).toEqual(['\u00e9', 'e\u0301-2']);
  });
});
