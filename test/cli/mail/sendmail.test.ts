import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Call from '../../../commands/call.ts';
import Sendmail from '../../../commands/mail/sendmail.ts';
import { addressList } from '../../../src/cli/mail/sendmail/address-list.ts';
import { givenMail, mailToSend, namedMailbox } from '../../../src/cli/mail/sendmail/message.ts';
import { sendmailWords } from '../../../src/cli/mail/sendmail/words.ts';
import { openMailHome, type MailHome } from './mail-home.ts';

const words = (...argv: string[]) => sendmailWords(argv, (name) => name === 'server');

describe('arguments of sendmail', () => {
  it.each([
    ['cron', ['-FCronDaemon', '-i', '-B8BITMIME', '-oem', 'ada'], { name: 'CronDaemon', dotsStay: true }],
    ['git', ['-i', '-f', 'ada@home.example', '--', 'ada'], { sender: 'ada@home.example', dotsStay: true }],
    ['mutt', ['-oem', '-oi', '-fme', '--', 'ada'], { sender: 'me', dotsStay: true }],
    ['others', ['-ti', '-N', 'never', '-R', 'hdrs', '-Vabc', '-v', '-bm', 'ada'], { fromHeader: true, dotsStay: true }],
    ['nobody', ['--server', 'https://a', '--json', 'ada'], { own: ['--server', 'https://a', '--json'] }],
  ])('are those of %s', (_, argv, read) => {
    const none = { fromHeader: false, dotsStay: false, sender: undefined, name: undefined, own: [] };
    expect(words(...argv)).toEqual({ ...none, ...read, recipients: ['ada'] });
  });

  it.each([
    [['-bs'], '-bs is not available here: this command only sends a message.'],
    [['-f'], '-f needs a value.'],
    [['-K'], '-K is no option of sendmail.'],
  ])('are refused: %j', (argv, message) => {
    expect(() => words(...argv)).toThrow(expect.objectContaining({ code: 'USAGE', message }));
  });
});

describe('what is given to sendmail', () => {
  it.each([
    ['ada', 'ada@h', ['ada@h']],
    [
      ' "A, B" <ada>, bob@far (Bob, too),\n Carol <carol@far>',
      ' "A, B" <ada@h>, bob@far (Bob, too),\n Carol <carol@far>',
      ['ada@h', 'bob@far', 'carol@far'],
    ],
    ['Team: ada, bob;', 'Team: ada@h, bob@h;', ['ada@h', 'bob@h']],
    ['ada (Ada)', 'ada@h (Ada)', ['ada@h']],
    ['"a@b"', '"a@b"@h', ['"a@b"@h']],
    ['Two Words, <>', 'Two Words, <>', []],
  ])('has addresses with a domain: %j', (value, text, addresses) => {
    expect(addressList(value, 'h')).toEqual({ text, addresses });
  });

  it('is a message, whatever it begins with', () => {
    const sent = (text: string, dotsStay = false) =>
      mailToSend(givenMail(Buffer.from(text), dotsStay), 'h', 'me@h').toString();
    expect(sent('hello\nthere\n')).toBe('From: me@h\r\n\r\nhello\r\nthere\r\n');
    expect(sent('From: ada\r\nTo: bob,\n carl\n\nText.\n.\nMore.\n')).toBe(
      'From: ada@h\r\nTo: bob@h,\r\n carl@h\r\n\r\nText.\r\n',
    );
    expect(sent('From: ada\n\n.\n..\n', true)).toBe('From: ada@h\r\n\r\n.\r\n..\r\n');
    expect(sent('From ada Sun Mar  1 08:09:10 2026\nSubject: x')).toBe('From: me@h\r\nSubject: x\r\n\r\n');
    expect(() => sent('From: ada\n\nText\rmore\n')).toThrow(
      expect.objectContaining({
        code: 'EMAIL_MALFORMED',
        message: 'Line 3 of the message has a CR without LF. End lines with LF or CRLF.',
      }),
    );
  });

  it('has a name that every program can read', () => {
    expect(namedMailbox('a@h', undefined)).toBe('a@h');
    expect(namedMailbox('a@h', 'The "one"')).toBe(String.raw`"The \"one\"" <a@h>`);
    expect(namedMailbox('a@h', 'Größe')).toBe('=?utf-8?B?R3LDtsOfZQ==?= <a@h>');
    expect(namedMailbox('a@h', 'ü'.repeat(20)).split('\n ')).toHaveLength(2);
  });
});

describe('sendmail', () => {
  let home: MailHome;
  beforeAll(async () => void (home = await openMailHome()));
  afterAll(async () => await home[Symbol.asyncDispose]());

  const shown = async (id: string) => (await home.run(Call, ['mail.show', `messageId=${id}`])).json();

  it('sends to those who are named', async () => {
    const run = await home.run(Sendmail, ['-oi', '-F', 'Älice', '--json', 'alice'], {
      stdin: 'Subject: Report\n\nAll is well.\n.\nReally.\n',
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.json()).toMatchObject({ deliveryStatus: { 'alice@home.example': 'DELIVERED' } });
    expect(await shown(run.json().messageId)).toMatchObject({
      subject: 'Report',
      folder: 'inbox',
      from: { address: 'alice@home.example', displayName: 'Älice' },
    });
    const more = await home.run(Sendmail, ['-t', '-i', '--json', 'alice+more'], {
      stdin: 'Subject: S\nTo: Me <alice>\nBcc: alice+blind\n\nText.\n',
    });
    expect(Object.keys(more.json().deliveryStatus).toSorted()).toEqual([
      'alice+blind@home.example',
      'alice+more@home.example',
      'alice@home.example',
    ]);
    const quiet = await home.run(Sendmail, ['-t'], { stdin: 'To: alice\nSubject: Q\n\nText.\n.\nNot.\n' });
    expect(quiet).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it.each([
    [[], 'Subject: x\n\nText.\n', 2, 'USAGE', 'The recipients are missing. Give them as arguments, or use -t.'],
    [['-t'], 'Subject: x\n\nText.\n', 2, 'USAGE', 'The recipients are missing. To, Cc and Bcc name nobody.'],
    [['-t'], 'From: root\nTo: alice\n\nx\n', 5, 'FORBIDDEN', 'You can send from alice@home.example alone.'],
  ])('refuses %j with %j', async (argv, stdin, code, name, message) => {
    const run = await home.run(Sendmail, [...argv, '--json'], { stdin });
    expect(run).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: name, message } });
  });
});
