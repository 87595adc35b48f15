import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Export from '../../../commands/mail/export.ts';
import Import from '../../../commands/mail/import.ts';
import { importMail } from '../../../src/cli/mail/import/import-mail.ts';
import type { Transport } from '../../../src/client/transport.ts';
import { openMailHome, plainMessage, type MailHome } from './mail-home.ts';

const fromLine = 'From bob@far.example Sun Mar  1 08:09:10 2026';

describe('messages in files of other programs', () => {
  let home: MailHome;
  beforeAll(async () => void (home = await openMailHome()));
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('come from an mbox, and again without doubles', async () => {
    const [one, two] = [plainMessage(1), plainMessage(2, 'First.\n\n>From far away.\n>>From there.')];
    const file = await home.file('in.mbox', `${fromLine}\n${one}\n${fromLine}\n${two}\n`);
    const run = await home.run(Import, [file, '--label', 'Old', '--read', '--json']);
    expect(run).toMatchObject({ code: 0 });
    expect(run.json()).toEqual({ imported: 2, skipped: 0, failed: [] });
    const again = await home.run(Import, [file, '--skip-duplicates']);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toBe('Imported 0 messages. Skipped 2 messages that are there already.\n');
    expect(await home.messages()).toMatchObject(
      [1, 2].map((number) => ({
        messageId: `${number}@far.example`,
        folder: 'inbox',
        labels: ['Old'],
        read: true,
        receivedAt: '2026-03-01T08:09:10.000Z',
      })),
    );
    const out = join(home.folder, 'out.mbox');
    expect(await home.run(Export, [out])).toMatchObject({ code: 0, stderr: `Wrote 2 messages to ${out}.\n` });
    const line = 'From MAILER-DAEMON Sun Mar  1 08:09:10 2026';
    const begun = `${line}\nStatus: RO\nX-Mozilla-Status: 0001\n`;
    expect(await readFile(out, 'utf8')).toBe(`${begun}${one}\n${begun}${two}\n`);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
  });

  it('are never overwritten', async () => {
    const file = await home.file('there', 'mine');
    for (const format of ['mbox', 'maildir', 'eml']) {
      const run = await home.run(Export, [file, '--format', format, '--json']);
      expect(run).toMatchObject({ code: 7, stdout: '' });
      expect(JSON.parse(run.stderr)).toMatchObject({
        error: { code: 'FILE_EXISTS', message: `${file} exists already. It was not changed.` },
      });
    }
    expect(await readFile(file, 'utf8')).toBe('mine');
    const label = await home.run(Export, [`${file}2`, '--label', 'nobody', '--json']);
    expect(JSON.parse(label.stderr)).toMatchObject({
      error: { code: 'NOT_FOUND', message: 'No message has the label nobody.' },
    });
    const nowhere = await home.run(Export, [join(home.folder, 'no', 'such'), '--json']);
    expect(JSON.parse(nowhere.stderr)).toMatchObject({ error: { code: 'OUTPUT_UNWRITABLE' } });
    expect((await readdir(home.folder)).filter((name) => name.includes('.part'))).toEqual([]);
  });

  it('go to a Maildir and back with their flags and folders', async () => {
    const box = join(home.folder, 'box');
    for (const folder of ['', '.Sent', '.Trash', '.Other'])
      for (const part of ['cur', 'new', 'tmp']) await mkdir(join(box, folder, part), { recursive: true });
    const put = async (path: string, number: number) => {
      await writeFile(join(box, path), plainMessage(number));
      await utimes(join(box, path), 1_700_000_000, 1_700_000_000);
    };
    await put('new/11.a.b', 11);
    await put('cur/12.a.b:2,FRS', 12);
    await put('.Sent/cur/13.a.b:2,PS', 13);
    await put('.Trash/cur/14.a.b:2,ST', 14);
    await put('.Other/cur/15.a.b:2,', 15);
    expect(await home.run(Import, [box])).toMatchObject({ code: 0, stderr: 'Imported 4 messages.\n' });
    const all = join(home.folder, 'all');
    const some = await home.messages();
    const known = (number: number) => some.find(({ messageId }) => messageId === `${number}@far.example`);
    expect(known(11)).toMatchObject({ folder: 'inbox', read: false, receivedAt: '2023-11-14T22:13:20.000Z' });
    expect(known(12)).toMatchObject({
      folder: 'inbox',
      read: true,
      keywords: expect.arrayContaining(['$answered', '$flagged']),
    });
    expect(known(13)).toMatchObject({ folder: 'sent', keywords: ['$forwarded'] });
    expect(known(14)).toMatchObject({ folder: 'trash', read: true });
    expect(known(15)).toBeUndefined();
    expect(await home.run(Export, [all, '--all', '--format', 'maildir'])).toMatchObject({ code: 0 });
    const names = async (path: string) => (await readdir(join(all, path))).map((name) => name.replace(/\.[^:]*/, ''));
    expect(await names('new')).toEqual(['1700000000']);
    expect(await names('cur')).toContain('1700000000:2,FRS');
    expect(await names('.Sent/cur')).toEqual(['1700000000:2,PS']);
    expect(await names('.Trash/cur')).toEqual(['1700000000:2,ST']);
    const [name = ''] = await readdir(join(all, 'new'));
    expect(await readFile(join(all, 'new', name), 'utf8')).toBe(plainMessage(11));
    expect((await stat(join(all, 'new', name))).mode & 0o777).toBe(0o600);
    expect((await stat(join(all, 'new'))).mode & 0o777).toBe(0o700);
    const again = await home.run(Import, [all, '--skip-duplicates', '--json']);
    expect(again.json()).toMatchObject({ imported: 0, failed: [] });
  });

  it('go to an mbox and back with their flags', async () => {
    const flags = ['Status: RO\nX-Status: AF\n', 'X-Mozilla-Status: 1008\nX-Mozilla-Status2: 00000000\n', ''];
    const parts = flags.map((fields, index) => `${fromLine}\n${fields}${plainMessage(21 + index)}\n`);
    const file = await home.file('flags.mbox', parts.join(''));
    expect(await home.run(Import, [file, '--label', 'Flags'])).toMatchObject({ code: 0 });
    const known = async (number: number, folder?: string) =>
      (await home.messages()).find(
        (one) => one.messageId === `${number}@far.example` && (folder === undefined || one.folder === folder),
      );
    expect(await known(21)).toMatchObject({ folder: 'inbox', read: true, keywords: ['$flagged', '$answered'] });
    expect(await known(22)).toMatchObject({
      folder: 'trash',
      read: false,
      keywords: ['$forwarded'],
      labels: ['Flags'],
    });
    expect(await known(23)).toMatchObject({ folder: 'inbox', read: false, keywords: [] });
    const out = join(home.folder, 'flags-out.mbox');
    expect(await home.run(Export, [out, '--label', 'Flags'])).toMatchObject({ code: 0 });
    const written = await readFile(out, 'utf8');
    expect(written).toContain(`\nStatus: RO\nX-Status: AF\nX-Mozilla-Status: 0007\n${plainMessage(21)}\n`);
    expect(written).toContain(`\nStatus: O\nX-Status: D\nX-Mozilla-Status: 1000\n${plainMessage(22)}\n`);
    expect(written).toContain(`\nStatus: O\nX-Mozilla-Status: 0000\n${plainMessage(23)}\n`);
    const again = await home.run(Import, [out, '--skip-duplicates', '--json']);
    expect(again.json()).toMatchObject({ imported: 0, skipped: 3 });
    // A folder that is named is where all of them go.
    expect((await home.run(Import, [out, '--folder', 'archive', '--json'])).json()).toMatchObject({ imported: 3 });
    expect(await known(21, 'archive')).toMatchObject({ read: true, keywords: ['$flagged', '$answered'] });
    expect(await known(22, 'archive')).toMatchObject({ read: false, keywords: ['$forwarded'] });
  });

  it('are files of their own with the octets that they have', async () => {
    const folder = join(home.folder, 'eml');
    expect(await home.run(Export, [folder, '--format', 'eml', '--folder', 'sent'])).toMatchObject({ code: 0 });
    const [name = ''] = await readdir(folder);
    expect(name).toMatch(/^2023-11-14T221320-[0-9a-f]{32}\.eml$/);
    expect(await readFile(join(folder, name), 'utf8')).toBe(plainMessage(13).replaceAll('\n', '\r\n'));
    const run = await home.run(Import, [folder, '--folder', 'archive', '--json']);
    expect(run.json()).toMatchObject({ imported: 1 });
  });

  it('are imported though one of them cannot be', async () => {
    const parts = [plainMessage(21), '', plainMessage(22)].map((message) => `${fromLine}\n${message}\n`);
    const file = await home.file('broken.mbox', parts.join(''));
    const run = await home.run(Import, [file, '--json']);
    expect(run.code).toBe(1);
    const start = parts[0]!.length + fromLine.length + 1;
    expect(run.json()).toEqual({
      imported: 2,
      skipped: 0,
      failed: [{ source: `${file}, message 2 (byte ${start})`, message: expect.stringContaining('empty') }],
    });
    const said = await home.run(Import, [file, '--skip-duplicates']);
    expect(said.stderr).toContain(`Warning: ${file}, message 2 (byte ${start}): `);
  });

  it.each([
    [409, 'EMAIL_CHANGED'],
    [500, 'INTERNAL_ERROR'],
  ])('are imported though the server answers %s to one of them', async (status, code) => {
    const numbers = [41, 42, 43].map((number) => number + status);
    const text = numbers.map((number) => `${fromLine}\n${plainMessage(number)}\n`).join('');
    const file = await home.file(`${status}.mbox`, text);
    await using client = await home.client();
    let sent = 0;
    const transport: Transport = {
      async send(request, signal) {
        if (!request.path.includes('/import')) return await client.transport.send(request, signal);
        sent += 1;
        if (sent !== 2) return await client.transport.send(request, signal);
        const body = JSON.stringify({ status: 'error', error: { code, message: 'Not this one.' } });
        return { status, headers: { 'content-type': 'application/json' }, body: Readable.from([Buffer.from(body)]) };
      },
      async [Symbol.asyncDispose]() {},
    };
    const choice = { folder: undefined, label: undefined, skipDuplicates: false, read: false };
    const teller = { report: () => undefined } as never;
    const { imported, failed } = await importMail({ ...client, transport }, [file], choice, teller);
    expect([imported, failed.map(({ source }) => source.includes('message 2'))]).toEqual([2, [true]]);
    expect((await home.messages()).map(({ messageId }) => messageId)).toEqual(
      expect.arrayContaining([numbers[0], numbers[2]].map((number) => `${number}@far.example`)),
    );
  });

  it('are refused where there is nothing to read', async () => {
    const empty = join(home.folder, 'empty');
    await mkdir(empty);
    const run = await home.run(Import, [empty, '--json']);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: {
        code: 'INPUT_INVALID',
        message: `${empty} is no Maildir, and has no files that end with .eml or .mbox.`,
      },
    });
    const missing = await home.run(Import, [join(empty, 'no.mbox'), '--json']);
    expect(JSON.parse(missing.stderr)).toMatchObject({
      error: { code: 'INPUT_UNREADABLE', message: `${join(empty, 'no.mbox')} cannot be read: it does not exist.` },
    });
  });
});
