import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Create from '../../commands/vault/create.ts';
import Edit from '../../commands/vault/edit.ts';
import Get from '../../commands/vault/get.ts';
import Import from '../../commands/vault/import.ts';
import { saidFor } from '../../src/cli/kit/problem-report.ts';
import { readInputFile } from '../../src/cli/passvault/transfer/input-file.ts';
import { openHome, type Home } from './home.ts';
import { keys } from './run-command.ts';

const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };

it.each([
  ['nowhere.csv', 'nowhere.csv cannot be read: it does not exist.'],
  ['.', '. cannot be read: it is a folder.'],
])('a file that cannot be read is said with its reason: %s', async (file, said) => {
  await expect(readInputFile(file, 1_000_000)).rejects.toMatchObject({ code: 'INPUT_UNREADABLE', message: said });
});

it('a column that there is not is said by its option', () => {
  const asked = { command: 'vault import', flags: ['columns', 'format'] };
  expect(saidFor('columns.siteUrl', asked)).toBe('--columns url');
  expect(saidFor('columns.title', asked)).toBe('--columns title');
  expect(saidFor('urls.0', asked)).toBe('urls.0');
});

describe('what comes into a vault', () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome('socket');
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: 'a long enough secret' } });
    await home.run(Create, ['Copy'], { env: master });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('is taken from a table that nobody knows, by the columns that are named', async () => {
    const file = await home.file('table.csv', 'Bezeichnung;Kennung;Wort\nEins;ich;geheim\n');
    const unknown = await home.run(Import, ['Copy', file, '--dry-run']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('--columns title=Name,username=Login,password=Password');
    expect(unknown.stderr).not.toContain('geheim');
    const argv = ['Copy', file, '--dry-run', '--columns', 'title=Bezeichnung,username=Kennung', '--columns'];
    const named = await home.run(Import, [...argv, 'password=Wort']);
    expect(named).toMatchObject({ code: 0, stderr: '' });
    expect(named.stdout).toContain('1 would be imported into Copy (csv)');
    const wrong = await home.run(Import, [...argv, 'password=Passwort']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('is not a column of the file');
    expect(wrong.stderr).toContain('--columns password: is not a column of the file');
    const other = await home.run(Import, ['Copy', file, '--format', 'keepass']);
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toContain('Try the format auto.');
    expect(await home.run(Import, ['Copy', file, '--format', 'managerD_xml'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('is asked for column by column at a terminal, and again until it is right', async () => {
    const file = await home.file('asked.csv', 'Alpha;Beta;Gamma\nZwei;ich;geheim\n');
    const { down, enter } = keys;
    const run = await home.run(Import, ['Copy', file], {
      person: [
        ['Title', [down, enter]],
        ['Username', [down, down, enter]],
        ['Password', [down, enter]],
        ['Password: Beta. Is that right', 'n'],
        // The question before has the words as well, and no list.
        ['enter take', [down, enter]],
        ['Username', [down, enter]],
        ['Password', [down, enter]],
        ['Title: Alpha, Username: Beta, Password: Gamma. Is that right', ''],
      ],
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('1 imported into Copy (csv)');
    expect(run.stderr).not.toContain('geheim');
    expect((await home.run(Get, ['Copy/Zwei'])).stdout).toBe('geheim\n');
    expect((await home.run(Get, ['Copy/Zwei', '--field', 'username'])).stdout).toBe('ich\n');
  });

  it('is refused where it is typed and cannot be, and kept under another name', async () => {
    await home.run(Create, ['Odd'], { env: master });
    const add = async (input: string, ...argv: string[]) => await home.run(Add, argv, { stdin: input });
    const card = ['--type', 'card', 'number[file]=-'];
    for (const number of ['4111 1111 1111 1112', '4111', 'none']) {
      const run = await add(number, 'Odd/Card', ...card);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain('card-number: Its check digit does not match');
      expect(run.stderr).not.toContain(number);
    }
    expect(await add('4111-1111-1111-1111', 'Odd/Card', ...card)).toMatchObject({ code: 0 });
    const totp = await add('not base 32!', 'Odd/Code', 'totp[file]=-');
    expect(totp).toMatchObject({ code: 2, stdout: '' });
    expect(totp.stderr).toContain('totp-secret: It is not a one-time code secret');
    expect(await add('not base 32!', 'Odd/Code', 'totp as given[hidden,file]=-')).toMatchObject({ code: 0 });
    expect(await home.run(Edit, ['Odd/Card', 'number[file]=-'], { stdin: '12345678' })).toMatchObject({ code: 2 });
    expect(await home.run(Edit, ['Odd/Card', 'notes=n'])).toMatchObject({ code: 0 });
  });
});
