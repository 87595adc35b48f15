import { describe, expect, it } from 'vitest';
import { exportCsv } from '../../../../../src/services/passvault/transfer/export/bitwarden-csv.ts';
import { entriesOf, expectProblem, importText } from './expect-import.ts';
import { csvOf } from './samples.ts';

describe('separators', () => {
  const rows = [
    ['name', 'url', 'username', 'password', 'note'],
    ['A, B', 'https://a.example', 'u;v', 'p\tq', 'n'],
    ['C', 'https://c.example', 'u', ';,\t', ''],
  ];
  const written = (separator: string) => rows.map((row) => row.map((cell) => `"${cell}"`).join(separator)).join('\r\n');

  it.each([',', ';', '\t'])('are told from the header: %j', async (separator) => {
    const { format, records, errors } = await importText('auto', written(separator));
    expect([format, errors]).toEqual(['browserA_csv', []]);
    expect(records.map(({ entry }) => [entry.title, entry.username, entry.password])).toEqual([
      ['A, B', 'u;v', 'p\tq'],
      ['C', 'u', ';,\t'],
    ]);
  });

  it('are told where names have others of them, or a line says so', async () => {
    const other = '"name";"url";"username";"password";"a, b, c, d, e, f"\nA;https://a.example;u;p;x,y\n';
    const [entry] = await entriesOf('browserA_csv', other);
    expect(entry?.customFields).toEqual([{ name: 'a, b, c, d, e, f', value: 'x,y', hidden: false }]);
    const said = await importText('auto', `sep=;\r\n${written(';')}`);
    expect(said.records).toHaveLength(2);
  });
});

describe('rows', () => {
  it('with an odd address alone are entries by that address', async () => {
    const addresses = ['not an address', 'about:blank', 'file:///home/a', 'https://u:secret@', 'https://[bad'];
    const text = csvOf([
      ['name', 'url', 'username', 'password', 'note'],
      ...addresses.map((url) => ['', url, '', '', '']),
    ]);
    const { records, skipped, errors } = await importText('auto', text);
    expect([skipped, errors]).toEqual([[], []]);
    expect(records.map(({ entry }) => [entry.type, entry.title, entry.siteUrl])).toEqual(
      ['not an address', 'about:blank', 'file:///home/a', 'https://', 'https://[bad'].map((title, at) => [
        'login',
        title,
        addresses[at],
      ]),
    );
  });

  it('have the text of the address as their title where there is no host, before the user name', async () => {
    const [entry] = await entriesOf('browserB_csv', 'url,username,password\nnot an address,u,p\n');
    expect(entry?.title).toBe('not an address');
  });

  it('of blanks are none, and are counted', async () => {
    const text = 'name,url,username,password,note\n , ,\t, ,\n,,,,\nA,https://a.example,u,p,\n" ","  ",,"",\n';
    const { records, skipped, errors } = await importText('auto', text);
    expect(records.map(({ row }) => row)).toEqual([3]);
    expect(skipped.map(({ row }) => row)).toEqual([1, 2, 4]);
    expect(errors).toEqual([]);
  });

  it.each(['http://', 'https://', 'HTTP:', ' http:/ '])('have no address where it is %j', async (url) => {
    const header = ['name', 'url', 'username', 'password', 'note'];
    const { records, skipped } = await importText(
      'auto',
      csvOf([header, ['A', url, 'u', 'p', ''], ['N', url, '', '', 'text'], ['', url, '', '', '']]),
    );
    expect(records[0]?.entry).not.toHaveProperty('siteUrl');
    expect(records.map(({ entry }) => entry.type)).toEqual(['login', 'secure_note']);
    expect(skipped).toEqual([{ row: 3, reason: 'It is empty.' }]);
  });
});

describe('CSV that was exported here', () => {
  const fields = [
    ['note', 'see: this'],
    ['a: b', 'c'],
    ['lines', 'one\ntwo: three\r\n\nfour:'],
    ['', 'value'],
    ['empty', ''],
    ['end', 'x\n'],
  ] as const;
  const entry = (customFields: readonly (readonly [string, string])[]) => ({
    type: 'login' as const,
    title: 'T',
    tags: [],
    favorite: false,
    archived: false,
    username: 'u',
    customFields: customFields.map(([name, value]) => ({ name, value, hidden: false })),
  });

  it.each(fields)('comes back with the field %j: %j', async (name, value) => {
    const text = await exportCsv([entry([[name, value]])]);
    const [back] = await entriesOf('auto', text);
    expect(back?.customFields).toEqual([{ name, value, hidden: false }]);
  });

  it('comes back whole with all of them beside entries that need no more than lines', async () => {
    const text = await exportCsv([entry(fields), entry([['plain', 'p']]), entry([])]);
    const back = await entriesOf('managerC_csv', text);
    expect(back.map(({ customFields = [] }) => customFields.map((field) => [field.name, field.value]))).toEqual([
      fields,
      [['plain', 'p']],
      [],
    ]);
  });

  it('has the columns of Bitwarden and no more, where lines say it all', async () => {
    const text = await exportCsv([entry([['plain', 'p']])]);
    expect(text.split('\r\n')[0]).not.toContain('conclave');
  });

  it('takes the lines where somebody spoilt the column', async () => {
    for (const cell of ['[', '[["a"]]', '[{}]', 'x']) {
      const text = csvOf([
        ['type', 'name', 'fields', 'login_uri', 'login_password', 'conclaveFields'],
        ['login', 'A', 'a: b', '', 'p', cell],
      ]);
      const [back] = await entriesOf('managerC_csv', text);
      expect(back?.customFields).toEqual([{ name: 'a', value: 'b', hidden: false }]);
    }
  });
});

describe('a table that no known program wrote', () => {
  const text =
    'Bezeichnung;Kennung;Kennwort;Netz;Farbe;Karte\nA;u; p ;https://a.example;blau;\nK;;;;rot;4111111111111111\n';
  const columns = {
    title: 'Bezeichnung',
    username: ' kennung ',
    password: 'Kennwort',
    siteUrl: 'Netz',
    cardNumber: 'Karte',
  };

  it.each(['auto', 'csv'])('is read by the columns that are named, under %s', async (format) => {
    const result = await importText(format, text, { columns });
    expect(result.format).toBe('csv');
    expect(result.records.map(({ entry }) => entry)).toMatchObject([
      {
        type: 'login',
        title: 'A',
        username: 'u',
        password: ' p ',
        siteUrl: 'https://a.example',
        customFields: [{ name: 'Farbe', value: 'blau', hidden: false }],
      },
      { type: 'credit_card', title: 'K', cardNumber: '4111111111111111' },
    ]);
  });

  it.each(['auto', 'csv'])('asks for the columns under %s, and repeats nothing of the file', async (format) => {
    const problem = await expectProblem(importText(format, text), 'UNSUPPORTED_FORMAT');
    expect(problem.message).toContain('which column holds what');
    expect(problem.message).not.toContain('Kenn');
  });

  it.each([
    ['a column that is not there', { password: 'Geheim' }, 'columns.password'],
    ['a column twice', { password: 'Kennwort', username: 'kennwort' }, 'columns.username'],
    ['no column', {}, 'columns'],
  ])('refuses %s', async (_, wrong, path) => {
    const problem = await expectProblem(importText('csv', text, { columns: wrong }), 'VALIDATION_ERROR');
    expect(problem.fields.map((field) => field.path)).toEqual([path]);
  });

  it('refuses columns for formats that have their own', async () => {
    await expectProblem(importText('browserA_csv', text, { columns }), 'VALIDATION_ERROR');
    await expectProblem(importText('csv', '{}', { columns }), 'IMPORT_UNREADABLE');
  });
});
