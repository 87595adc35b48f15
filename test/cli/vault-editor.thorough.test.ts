import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Create from '../../commands/vault/create.ts';
import Edit from '../../commands/vault/edit.ts';
import Get from '../../commands/vault/get.ts';
import Lock from '../../commands/vault/lock.ts';
import Vault from '../../commands/vault.ts';
import { openRamFolder } from '../../src/cli/passvault/run/ram-disk.ts';
import { openHome, type Home } from './home.ts';
import { keys, type Person, type Run } from './run-command.ts';
import { until } from '../support/real-time.ts';

const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };

/** Where there is no RAM disk, a disk has to do. */
const disk = await openRamFolder({ env: {}, allowDisk: false }).then(
  async (folder) => {
    await folder[Symbol.asyncDispose]();
    return [];
  },
  () => ['--allow-disk'],
);

/** Notes how the file lies that it is given, and its text, before it does its own. */
const watching = `ls -ld "$1" | cut -c1-10 > "$NOTES/mode"
ls -ld "$(dirname "$1")" | cut -c1-10 >> "$NOTES/mode"
echo "$1" > "$NOTES/path"
cp "$1" "$NOTES/text"
`;

describe('the editor of a person', () => {
  let home: Home;
  let notes: string;
  beforeAll(async () => {
    home = await openHome('socket');
    notes = join(home.folder, 'notes');
    await mkdir(notes);
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: 'a long enough secret' } });
    await home.run(Create, ['Work'], { env: master });
    const entry = ['Work/site', 'username=app', 'url=https://site.example', 'password[file]=-'];
    await home.run(Add, entry, { stdin: 'the password of before' });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  /** Runs a command with an editor that does something with the file in `$1`. */
  const edited = async (command: typeof Add | typeof Edit, argv: string[], script: string, person?: Person) => {
    const editor = join(home.folder, 'editor');
    await writeFile(editor, `#!/bin/sh\n${watching}${script}\n`);
    await chmod(editor, 0o755);
    const env = { EDITOR: editor, NOTES: notes, PATH: process.env['PATH'] };
    return await home.run(command, [...argv, ...disk], { env, ...(person !== undefined && { person }) });
  };

  /** Only its owner could read the file, and neither it nor what an editor left beside it is there any more. */
  const expectGone = async () => {
    expect(await readFile(join(notes, 'mode'), 'utf8')).toBe('-rw-------\ndrwx------\n');
    const path = (await readFile(join(notes, 'path'), 'utf8')).trim();
    await expect(readdir(dirname(path))).rejects.toMatchObject({ code: 'ENOENT' });
  };
  const shown = async (name: string): Promise<string> => (await home.run(Get, [name, '--show'])).stdout;
  const changeTitle = (title: string) => `sed -i 's/^title:.*/${title}/' "$1"`;

  it('writes a new entry', { tags: 'soak' }, async () => {
    const script = `sed -i 's/^username:.*/username: zoe/; s/^password:.*/password: typed here/' "$1"; cp "$1" "$1~"`;
    const run = await edited(Add, ['Work/written', '--editor'], script);
    expect(run).toMatchObject({ code: 0, stdout: 'Added Work/written.\n', stderr: '' });
    expect(await readFile(join(notes, 'text'), 'utf8')).toMatch(/^# A new entry of Work\n(?:#.*\n)*title: written\n/);
    expect(await shown('Work/written')).toMatch(/zoe[^]*typed here/);
    await expectGone();
  });

  it('changes an entry', async () => {
    const run = await edited(Edit, ['Work/site'], `sed -i 's/^password:.*/password: the next one/' "$1"`);
    expect(run).toMatchObject({ code: 0, stdout: 'Changed password of Work/site.\n', stderr: '' });
    expect(await readFile(join(notes, 'text'), 'utf8')).toContain('password: the password of before\n');
    expect((await home.run(Get, ['Work/site'])).stdout).toBe('the next one\n');
    await expectGone();
  });

  it('may leave everything as it is', { tags: 'soak' }, async () => {
    expect(await edited(Edit, ['Work/site'], 'true')).toMatchObject({
      code: 0,
      stdout: 'Work/site was not changed.\n',
    });
    await expectGone();
    const run = await edited(Add, ['Work/nothing', '--editor'], 'touch "$1"');
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('Nothing was added');
    await expectGone();
    expect(await home.run(Get, ['Work/nothing'])).toMatchObject({ code: 6 });
  });

  it('may fail, be killed or not be there', { tags: 'soak' }, async () => {
    const changes = `sed -i 's/^username:.*/username: lost/' "$1"`;
    for (const [script, said] of [
      [`${changes}; exit 3`, 'editor ended with 3. Nothing was saved'],
      [`${changes}; kill -9 $$`, 'Nothing was saved'],
    ] as const) {
      for (const [command, argv] of [
        [Edit, ['Work/site']],
        [Add, ['Work/nothing', '--editor']],
      ] as const) {
        const run: Run = await edited(command, [...argv], script);
        expect(run).toMatchObject({ code: 1, stdout: '' });
        expect(run.stderr).toContain(said);
        await expectGone();
      }
    }
    expect(await shown('Work/site')).not.toContain('lost');
    const env = { EDITOR: 'no-such-editor --wait', PATH: process.env['PATH'] };
    const missing = await home.run(Edit, ['Work/site', ...disk], { env });
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('The editor no-such-editor --wait is not installed');
  });

  it('is opened again with what cannot be read, as long as somebody wants it', { tags: 'soak' }, async () => {
    // The first time it breaks the text, the second time it mends it.
    const script = `if grep -q '^nonsense' "$1"; then ${changeTitle('title: mended').replace('^title:', '^nonsense')}; else ${changeTitle('nonsense')}; fi`;
    const again = await edited(Edit, ['Work/written'], script, [['Edit it again?', '']]);
    expect(again).toMatchObject({ code: 0, stdout: 'Changed title of Work/mended.\n' });
    await expectGone();
    const given = await edited(Edit, ['Work/mended'], changeTitle('nonsense'), [['Edit it again?', 'n']]);
    expect(given).toMatchObject({ code: 2, stdout: '' });
    const away = await edited(Edit, ['Work/mended'], changeTitle('nonsense'), [['Edit it again?', undefined]]);
    expect(away).toMatchObject({ code: 130, stdout: '' });
    await expectGone();
    expect(await edited(Edit, ['Work/mended'], changeTitle('nonsense'))).toMatchObject({ code: 2 });
    expect((await home.run(Get, ['Work/mended', '--field', 'username'])).stdout).toBe('zoe\n');
  });

  it(
    'is opened again with what the server refused, and replaces what others wrote only then',
    { tags: 'soak' },
    async () => {
      const release = join(home.folder, 'release');
      // The first time somebody else changes the same while the editor is open; the second time nothing is written.
      const script = `sed -i 's/^username:.*/username: mine/' "$1"; touch "${release}.open"; while [ ! -e "${release}" ]; do sleep 0.05; done`;
      const running = edited(Edit, ['Work/mended'], script, [['Edit it again?', '']]);
      await until(async () => (await stat(`${release}.open`).catch(() => undefined)) !== undefined);
      expect(await home.run(Edit, ['Work/mended', 'username=theirs'])).toMatchObject({ code: 0 });
      await writeFile(release, '');
      const run = await running;
      expect(run.stderr).toContain('Somebody else changed the same fields in the meantime. Nothing was saved.');
      expect(run).toMatchObject({ code: 0, stdout: 'Changed username of Work/mended.\n' });
      expect((await home.run(Get, ['Work/mended', '--field', 'username'])).stdout).toBe('mine\n');
      await expectGone();
    },
  );

  it('is opened from the list of entries', { tags: 'soak' }, async () => {
    const editor = join(home.folder, 'lister');
    await writeFile(editor, `#!/bin/sh\n${watching}sed -i 's/^username:.*/username: bob/' "$1"\n`);
    await chmod(editor, 0o755);
    const person = [
      ['lock and quit', ['s', 'i', 't', keys.enter]],
      ['copy password', [keys.down, keys.down, keys.down, keys.down, keys.enter]],
      // What was typed is there again.
      ['Work sit', undefined],
    ] as const;
    const env = { EDITOR: editor, NOTES: notes, PATH: process.env['PATH'] };
    if (disk.length > 0) return;
    const run = await home.run(Vault, [], { person, env });
    expect(run.stderr).toContain('Changed username.');
    expect(run.code).toBe(130);
    await expectGone();
  });
});

describe('the browser of a person', { tags: 'soak' }, () => {
  let home: Home;
  let bin: string;
  beforeAll(async () => {
    home = await openHome('socket');
    bin = join(home.folder, 'bin');
    await mkdir(bin);
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: 'a long enough secret' } });
    for (const name of ['Play', 'Work']) await home.run(Create, [name], { env: master });
    const entry = ['Work/site', 'url=https://site.example/a b', 'password[file]=-'];
    await home.run(Add, entry, { stdin: 'pass' });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const opened = async (script: string | undefined) => {
    const person = [
      ['Vault', [keys.down, keys.enter]],
      ['lock and quit', ''],
      ['copy password', [keys.down, keys.down, keys.enter]],
      ['lock and quit', [keys.escape]],
      ['Vault', [keys.escape]],
    ] as const;
    if (script !== undefined) {
      for (const name of ['xdg-open', 'open']) {
        await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
        await chmod(join(bin, name), 0o755);
      }
    }
    const PATH = script === undefined ? '/nowhere' : `${bin}:${process.env['PATH']}`;
    return await home.run(Vault, [], { person, env: { ...master, PATH } });
  };

  it('gets the address of an entry, and nothing that opens vaults', async () => {
    const run = await opened(`echo "$#:$1" > ${bin}/got; env > ${bin}/env`);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('Opened https://site.example/a%20b');
    expect(await readFile(join(bin, 'got'), 'utf8')).toBe('1:https://site.example/a%20b\n');
    expect(await readFile(join(bin, 'env'), 'utf8')).not.toContain(master.CONCLAVE_MASTER_PASSWORD);
  });

  it('is said to be missing or to have failed, and looking around goes on', async () => {
    expect((await opened(undefined)).stderr).toMatch(
      /Warning: \S+ is not installed, so it cannot open https:\/\/site\.example/,
    );
    const failed = await opened('exit 3');
    expect(failed.stderr).toMatch(/Warning: \S+ could not open https:\/\/site\.example/);
    expect(failed.code).toBe(0);
  });
});

describe('the keys of a person who looks around', { tags: 'soak' }, () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome('socket');
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: 'a long enough secret' } });
    await home.run(Create, ['Work'], { env: master });
    await home.run(Add, ['Work/site', 'username=zoe', 'password[file]=-'], { stdin: 'pass' });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());
  const person = async (...answers: Person) => await home.run(Vault, [], { person: answers });
  const add = ['lock and quit', [keys.down, keys.enter]] as const;

  it.each<[string, Person]>([
    ['the list', [['lock and quit', undefined]]],
    [
      'what can be done',
      [
        ['lock and quit', ''],
        ['copy password', undefined],
      ],
    ],
    ['a text', [add, ['Type of the entry', ''], ['Title', undefined]]],
    [
      'a secret',
      [add, ['Type of the entry', ''], ['Title', 'x'], ['Username', 'y'], ['Address', 'z'], ['Password', undefined]],
    ],
  ])('end everything with 130 by Ctrl-C at %s', async (_, answers) => {
    expect(await person(...answers)).toMatchObject({ code: 130, stdout: '' });
  });

  it('are named below every list', async () => {
    const run = await person(['lock and quit', [keys.escape]]);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toContain('↑↓ move · enter take · esc back · ctrl-c leave');
  });

  it('go back a step at a time by Escape, with what was typed', async () => {
    const run = await person(
      add,
      ['Type of the entry', ''],
      ['Title', 'new one'],
      ['Username', [keys.escape]],
      ['Title (new one)', [keys.escape]],
      ['Type of the entry', ''],
      ['Title (new one)', ''],
      ['Username', 'ada'],
      ['Address', [keys.escape]],
      ['Username (ada)', ''],
      ['Address', ''],
      ['Password', 'secret of hers'],
      ['lock and quit', [keys.escape]],
    );
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('Added Work/new one.');
    expect((await home.run(Get, ['Work/new one', '--field', 'username'])).stdout).toBe('ada\n');
  });
});

describe('a locked vault that is looked into', { tags: 'soak' }, () => {
  it('takes no empty password, and leads back to the others when nobody knows it', async () => {
    await using home = await openHome('socket');
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: 'a long enough secret' } });
    for (const name of ['Play', 'Work']) await home.run(Create, [name], { env: master });
    await home.run(Lock);
    const person = [
      ['Vault', [keys.down, keys.enter]],
      ['Master password of Work', ''],
      ['Must not be empty', [keys.escape]],
      ['Vault', ''],
      ['Master password of Play', master.CONCLAVE_MASTER_PASSWORD],
      ['lock and quit', [keys.escape]],
      ['Vault', [keys.escape]],
    ] as const;
    expect(await home.run(Vault, [], { person })).toMatchObject({ code: 0 });
    const wrong = { CONCLAVE_MASTER_PASSWORD: 'not that one' };
    const others = [
      ['Vault', [keys.down, keys.enter]],
      ['Warning', [keys.escape]],
    ] as const;
    const run = await home.run(Vault, [], { person: others, env: wrong });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toMatch(/Warning: .*password/);
  });
});
