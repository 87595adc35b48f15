import { expect, it } from 'vitest';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { entriesOf, expectProblem, importText } from './expect-import.ts';
import { utf8 } from './samples.ts';

const header = 'name,url,username,password,note';

it.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
  ['CR CR LF', '\r\r\n'],
])('reads lines that end in %s, and keeps those inside of cells', async (_, end) => {
  const text = [header, 'a,https://a.example,u,"p\r\r\nq\r\nr\rs\nt",', '', 'b,https://b.example,v,w,'].join(end);
  const entries = await entriesOf('browserA_csv', text);
  expect(entries.map(({ password }) => password)).toEqual(['p\r\r\nq\r\nr\rs\nt', 'w']);
});

it('reads lines of different ends in one file, across every border of a chunk', async () => {
  const rows = Array.from({ length: 9_000 }, (_, index) => `t${index},https://a.example,u,p${index},`);
  const text = [header, ...rows].map((row, index) => row + ['\n', '\r\n', '\r\r\n'][index % 3]!).join('');
  const entries = await entriesOf('browserA_csv', text);
  expect(entries.map(({ password }) => password)).toEqual(rows.map((_, index) => `p${index}`));
});

it('finds columns by their names in any case and order, and keeps what it does not know', async () => {
  const [entry] = await entriesOf(
    'browserA_csv',
    'PASSWORD,Shoe size,UserName,  URL ,My Secret\np,42,u,https://www.a.example/x,s\n',
  );
  expect(entry).toMatchObject({
    title: 'a.example',
    username: 'u',
    password: 'p',
    siteUrl: 'https://www.a.example/x',
    customFields: [
      { name: 'Shoe size', value: '42', hidden: false },
      { name: 'My Secret', value: 's', hidden: true },
    ],
  });
});

it('takes short lines, refuses long ones alone, skips empty ones', async () => {
  const result = await importText('browserA_csv', `${header}\na,u,n,p\nb,u,n,topsecret,x,y\n,,,,\nc,u,n,q,z\n`);
  expect(result.records.map(({ row, entry }) => [row, entry.password])).toEqual([
    [1, 'p'],
    [4, 'q'],
  ]);
  expect(result.errors).toEqual([{ row: 2, reason: 'It has more cells than there are columns.' }]);
  expect(result.skipped).toEqual([{ row: 3, reason: 'The line is empty.' }]);
});

it('takes what is in quotes for one cell also where there are more cells than columns', async () => {
  const long = 'a,b,c,d,e,f,"g\nh,""i"",\n",,,"j",k\n';
  const result = await importText('browserA_csv', `${header}\n${long}A,,u,p,\n${long.trim()},"l`);
  expect(result.records.map(({ row, entry }) => [row, entry.title])).toEqual([[2, 'A']]);
  expect(result.errors).toEqual([
    { row: 1, reason: expect.stringContaining('more cells') },
    { row: 3, reason: expect.stringContaining('not closed') },
  ]);
});

it('reports an unclosed quote as one record and keeps those before it', async () => {
  const result = await importText('browserA_csv', `${header}\na,u,n,p,\nb,u,n,"topsecret,\nc,u,n,q,\nd,u,n,r,\n`);
  expect(result.records.map(({ entry }) => entry.password)).toEqual(['p']);
  expect(result.errors).toHaveLength(1);
  expect(result.errors[0]).toMatchObject({ row: 2 });
  expect(JSON.stringify(result.errors)).not.toContain('topsecret');
});

it('reports quotes that do not fit, and takes those inside of an unquoted cell', async () => {
  const result = await importText(
    'browserA_csv',
    `${header}\na,u,n,"p"q",\nb,u,n,p"q,\nc,u,n,"""p""q",\nd,u,n,"""",\n`,
  );
  expect(result.errors.map(({ row }) => row)).toEqual([1]);
  expect(result.records.map(({ entry }) => entry.password)).toEqual(['p"q', '"p"q', '"']);
});

it('refuses two columns of one name, of which one would be lost', async () => {
  await expectProblem(importText('browserA_csv', 'url,username,password,Password\na,b,c,d\n'), 'IMPORT_UNREADABLE');
});

it('reports cells that are not UTF-8 and never fills in replacement characters', async () => {
  const latin1 = Buffer.from(`${header}\na,u,n,pä,\nb,u,n,q,\n`, 'latin1');
  const mixed = Buffer.concat([latin1, Buffer.from('c,u,n,ö,\n')]);
  const result = await parseImport('browserA_csv', mixed);
  expect(result.errors).toEqual([{ row: 1, reason: 'It is not UTF-8.' }]);
  expect(result.records.map(({ entry }) => entry.password)).toEqual(['q', 'ö']);
});

it('reports UTF-16 that is none', async () => {
  await expectProblem(parseImport('auto', Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00)), 'IMPORT_UNREADABLE');
});

it('reads columns that tabs separate', async () => {
  const [entry] = await entriesOf('browserB_csv', 'url\tusername\tpassword\nhttps://a.example\tu\tp,q\n');
  expect(entry).toMatchObject({ password: 'p,q', siteUrl: 'https://a.example' });
});

it('falls back for a title to the host, the user name, the number of the record', async () => {
  const text = `${header}\n,https://www.a.example/login,u,p,\n,,someone,p,\n,,,p,\n,,,,a note\n`;
  const entries = await entriesOf('browserA_csv', text);
  expect(entries.map(({ title, type }) => [title, type])).toEqual([
    ['a.example', 'login'],
    ['someone', 'login'],
    ['Untitled 3', 'login'],
    ['Untitled 4', 'secure_note'],
  ]);
  expect(entries[3]?.content).toBe('a note');
});

const row = 'a,b,c,d,\n';

it('takes 50,000 records', { tags: 'soak' }, async () => {
  const { records } = await importText('browserA_csv', `${header}\n${row.repeat(50_000)}`);
  expect(records).toHaveLength(50_000);
});

it('refuses more than 50,000 records, and more than 50 MB', { tags: 'soak' }, async () => {
  await expectProblem(importText('browserA_csv', `${header}\n${row.repeat(50_001)}`), 'IMPORT_UNREADABLE');
  await expectProblem(parseImport('auto', new Uint8Array(50 * 1024 ** 2 + 1)), 'IMPORT_UNREADABLE');
});

it('refuses a field of more than a megabyte alone', async () => {
  const result = await importText('browserA_csv', `${header}\na,u,n,${'x'.repeat(1024 ** 2 + 1)},\nb,u,n,p,\n`);
  expect(result.errors).toEqual([{ row: 1, reason: 'One of its fields is longer than 1 MB.' }]);
  expect(result.records).toHaveLength(1);
});

it('stops when it is told to, and lets others work meanwhile', async () => {
  const file = utf8(`${header}\n${'a,b,c,d,\n'.repeat(50_000)}`);
  await expect(parseImport('browserA_csv', file, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  );
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error('enough')));
  await expect(parseImport('browserA_csv', file, { signal: controller.signal })).rejects.toThrow('enough');
});
