import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Files from '../../commands/files.ts';
import Create from '../../commands/files/create.ts';
import Ls from '../../commands/files/ls.ts';
import Mkdir from '../../commands/files/mkdir.ts';
import Put from '../../commands/files/put.ts';
import Login from '../../commands/login.ts';
import { encoded, pixelsOf } from '../services/filevault/pictures.ts';
import { openHome, ways, type Home } from './home.ts';
import { keys } from './run-command.ts';

const password = 'seven green bottles';
const [right, left, up] = ['\u001b[C', '\u001b[D', '\u001b[A'];
const [remove, tab, backspace] = ['\u001b[3~', '\t', '\u007f'];
const control = (letter: string): string => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 96);
const help = '^K:all keys';

describe.each(ways)('the browser of files, by the way %s', (way) => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome(way);
    await home.run(Register, ['--username', 'ada', '--email', 'ada@example.org'], {
      env: { CONCLAVE_PASSWORD: password },
    });
    await home.run(Login, ['ada'], { env: { CONCLAVE_PASSWORD: password } });
    await home.run(Create, ['Work']);
    await home.run(Mkdir, ['Work:/reports/2026', '--parents']);
    await home.run(Put, [await home.file('july.txt', 'The report of July.\n\u001b[2JHarmless.\n'), 'Work:/reports']);
    await home.run(Put, [await home.file('june.txt', 'The report of June.\n'), 'Work:/reports']);
    await home.run(Put, [await home.file('data.bin', 'a\u0000b'), 'Work:']);
    const picture = join(home.folder, 'pixels.webp');
    await writeFile(picture, encoded(pixelsOf(6, 4, () => [200, 0, 0, 255])).webp);
    await home.run(Put, [picture, 'Work:/reports/2026']);
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const names = async (path: string): Promise<string[]> => {
    const { files, subfolders } = (await home.run(Ls, [path, '--json'])).json();
    return [...subfolders, ...files].map(({ name }: { name: string }) => name);
  };

  it('lists the containers without a terminal, and knows no other words', async () => {
    expect((await home.run(Files)).stdout).toMatch(/^Work\tactive\t4\t/);
    expect((await home.run(Files, ['--json'])).json()).toMatchObject({ containers: [{ name: 'Work' }] });
    const wrong = await home.run(Files, ['lss']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no command "files lss".')]);
  });

  it('goes through folders by arrows, and shows a text without what would act on the terminal', async () => {
    const seen = await home.run(Files, [], {
      person: [
        ['Files: containers', [right]],
        ['Files: Work:/', [right]],
        ['Files: Work:/reports', [keys.down, keys.enter]],
        ['The report of July.', ['q']],
        ['Files: Work:/reports', [left]],
        ['Files: Work:/', [left, keys.escape]],
      ],
    });
    expect(seen).toMatchObject({ code: 0, stdout: '' });
    expect(seen.stderr).toContain('Harmless.');
    expect(seen.stderr).not.toContain('\u001b[2J');
    expect(seen.stderr.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });

  it('draws a picture, and goes back to the list', async () => {
    const seen = await home.run(Files, [], {
      env: { NO_COLOR: '', COLORTERM: 'truecolor' },
      person: [
        ['Files: containers', [right]],
        ['Files: Work:/', [right]],
        ['Files: Work:/reports', [right]],
        ['pixels.webp', [right]],
        ['6 x 4 pixels', ['q']],
        ['Files: Work:/reports/2026', [keys.escape]],
      ],
    });
    expect(seen).toMatchObject({ code: 0, stdout: '' });
    const line = `\u001b[48;2;200;0;0m${' '.repeat(6)}\u001b[0m\u001b[K\r\n`;
    expect(seen.stderr).toContain(`\r\n${line}${line}\u001b[K\r\n`);
  });

  it('filters by what is typed, and says of other files that they are no text', { tags: 'thorough' }, async () => {
    const seen = await home.run(Files, [], {
      person: [
        ['Files: containers', [right]],
        ['Files: Work:/', ['x', backspace, 'd', 'a', 't', keys.enter]],
        ['data.bin is no text', ['z']],
        ['Nothing here has that in its name.', [keys.escape]],
        [help, [control('k')]],
        ['Keys of the browser', ['x']],
        [help, [keys.escape]],
      ],
    });
    expect(seen).toMatchObject({ code: 0 });
  });

  it('downloads, stores, makes folders, renames and removes', { tags: 'thorough' }, async () => {
    const to = join(home.folder, `got-${way}`);
    await mkdir(to);
    const file = await home.file('august.txt', 'The report of August.\n');
    const seen = await home.run(Files, [], {
      person: [
        ['Files: containers', [right]],
        ['Files: Work:/', [right]],
        ['Files: Work:/reports', [keys.down, tab, tab, control('g')]],
        ['Download into', to],
        ['Received 2 files', [control('p')]],
        ['File or folder to store here', file],
        ['Stored 1 file', [control('n')]],
        ['Name of the new folder', 'Empty'],
        ['Created Empty.', ['e', 'm', 'p', 't', control('r')]],
        ['New name', 'Gone'],
        ['Renamed to Gone.', ['g', 'o', 'n', remove]],
        ['Move Gone to the trash?', 'y'],
        ['Moved 1 item to the trash.', [up, keys.down, control('l')]],
        ['Days until it ends', '0'],
        ['Write a number of days', '\u00157'],
        ['Enter goes back', ''],
        ['To end it: conclave files unlink', [keys.escape]],
      ],
    });
    expect(seen).toMatchObject({ code: 0 });
    expect(seen.stderr).toMatch(/http\S*\/s\/[\w-]{43}#[\w-]{43}/);
    expect(await readFile(join(to, 'june.txt'), 'utf8')).toBe('The report of June.\n');
    expect(await readFile(join(to, 'july.txt'), 'utf8')).toContain('The report of July.');
    expect(await names('Work:/reports')).toEqual(['2026', 'august.txt', 'july.txt', 'june.txt']);
  });

  it('tells what is refused, and stays', async () => {
    const taken = await home.file('nothing.txt', '');
    await writeFile(taken, '');
    const seen = await home.run(Files, [], {
      person: [
        ['Files: containers', [right]],
        ['Files: Work:/', [control('n')]],
        ['Name of the new folder', 'REPORTS'],
        ['The folder has something of this name already.', [control('p')]],
        ['File or folder to store here', join(home.folder, 'not there')],
        ['not there', [keys.interrupt]],
      ],
    });
    expect(seen.code).toBe(130);
  });
});
