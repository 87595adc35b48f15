import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromLine, isFromLine, timeInFromLine } from '../../../src/cli/mail/files/from-line.ts';
import { quoteFrom, unquoteFrom } from '../../../src/cli/mail/files/from-quoting.ts';
import { filtered, toCrlf, toLf, type Filter } from '../../../src/cli/mail/files/line-ends.ts';
import { flagsOfState, splitName, stateOfFlags } from '../../../src/cli/mail/files/maildir.ts';
import { directoryOf, mailboxIn } from '../../../src/cli/mail/files/maildir-folders.ts';
import { messageInMbox, messagesInMbox } from '../../../src/cli/mail/files/mbox.ts';

/** Text that has what these files stumble over. */
const text = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', '>', 'F', 'From ', '>From ', 'Fro', ' ', 'x', '\n\n'), { maxLength: 30 })
  .map((parts) => parts.join(''));

async function* inPieces(whole: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += size) yield Buffer.from(whole.slice(at, at + size), 'latin1');
}

async function through(whole: string, size: number, ...filters: readonly Filter[]): Promise<string> {
  return (await buffer(filtered(inPieces(whole, size), ...filters))).toString('latin1');
}

describe('files of mail', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'conclave-mail-'))));
  afterAll(async () => await rm(folder, { recursive: true }));

  const read = async (content: string) => {
    const path = join(folder, 'some.mbox');
    await writeFile(path, content, 'latin1');
    const messages: string[] = [];
    for await (const place of messagesInMbox(path))
      messages.push((await buffer(messageInMbox(path, place))).toString('latin1'));
    return messages;
  };

  it('change the ends of lines wherever pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (whole, size) => {
        expect(await through(whole, size, toCrlf())).toBe(whole.replaceAll(/(?<!\r)\n/g, '\r\n'));
        expect(await through(whole, size, toLf())).toBe(whole.replaceAll('\r\n', '\n'));
      }),
    );
  });

  it('quote lines of an mbox wherever pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (whole, size) => {
        expect(await through(whole, size, quoteFrom())).toBe(whole.replaceAll(/(?<=^|\n)(>*From )/g, '>$1'));
        expect(await through(whole, size, unquoteFrom())).toBe(whole.replaceAll(/(?<=^|\n)>(>*From )/g, '$1'));
      }),
    );
  });

  it('give the same messages back from an mbox', async () => {
    const line = fromLine(new Date('2026-03-01T08:09:10Z'));
    expect(line).toBe('From MAILER-DAEMON Sun Mar  1 08:09:10 2026');
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 4 }), async (all) => {
        const messages = all.map((one) => `A: b\n\n${one.replaceAll('\r', '')}\n`);
        const quoted = await Promise.all(messages.map((one) => through(one, 9, quoteFrom())));
        const mbox = quoted.map((one) => `${line}\n${one}\n`).join('');
        const crlf = messages.map((one) => one.replaceAll('\n', '\r\n'));
        expect(await read(mbox)).toEqual(crlf);
        expect(await read(mbox.replaceAll('\n', '\r\n'))).toEqual(crlf);
      }),
      { numRuns: 50 },
    );
  });

  it('tell a sentence from the line before a message', async () => {
    const sentence = 'A: b\n\nText.\n\nFrom here on it is prose.\n';
    expect(await read(`From ada@home.test Sun Mar  1 08:09:10 2026\n${sentence}`)).toEqual([
      sentence.replaceAll('\n', '\r\n'),
    ]);
    expect(isFromLine('From - Mon Nov 23 13:30:55 2026')).toBe(true);
    expect(isFromLine('From ')).toBe(true);
    expect(isFromLine('From ada@home.test Fri, 21 Nov 1997 09:55:06 -0600')).toBe(true);
    expect(isFromLine('From what I know, 2026 was good.')).toBe(false);
    expect(timeInFromLine(fromLine(new Date(1_000_000_000_000)))).toBe(1_000_000_000_000);
    expect(timeInFromLine('From a Sun Mar  1 08:09:10 +0100 2026')).toBe(Date.parse('2026-03-01T07:09:10Z'));
    expect(timeInFromLine('From a Sun Mar  1 08:09:10 2026 -0100')).toBe(Date.parse('2026-03-01T09:09:10Z'));
    expect(timeInFromLine('From nobody')).toBeUndefined();
  });

  it('take what is at the end of an mbox without an empty line', async () => {
    const line = fromLine(new Date(0));
    expect(await read('')).toEqual([]);
    expect(await read(`${line}\n`)).toEqual(['']);
    expect(await read(`${line}\nA: b\n\nend`)).toEqual(['A: b\r\n\r\nend']);
    expect(await read(`${line}\nA: b\n\nend\n`)).toEqual(['A: b\r\n\r\nend\r\n']);
    expect(await read(`${line}\nA: b\n\nend\n\n${line}\n\n`)).toEqual(['A: b\r\n\r\nend\r\n', '']);
  });

  it('have flags in their names', () => {
    const state = { read: true, keywords: ['$answered', '$draft', '$flagged', '$forwarded', 'other'] };
    expect(flagsOfState(state, true)).toBe('DFPRST');
    expect(stateOfFlags('DFPRST')).toEqual({
      read: true,
      inTrash: true,
      keywords: ['$draft', '$flagged', '$forwarded', '$answered'],
    });
    expect(flagsOfState({ read: false, keywords: [] })).toBe('');
    expect(splitName('1.a.b:2,FS')).toEqual({ base: '1.a.b', flags: 'FS' });
    expect(splitName('1.a.b')).toEqual({ base: '1.a.b', flags: '' });
  });

  it('have folders of their own', () => {
    for (const mailbox of [
      { folder: 'inbox' },
      { folder: 'sent' },
      { folder: 'trash' },
      { label: 'Work 2.0' },
    ] as const)
      expect(mailboxIn(directoryOf(mailbox))).toEqual(mailbox);
    expect(directoryOf({ label: 'Work 2.0' })).toBe('.Labels.Work 2%2E0');
    expect(mailboxIn('.Other')).toBeUndefined();
    expect(mailboxIn('.Labels.')).toBeUndefined();
  });
});
