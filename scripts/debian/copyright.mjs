import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockedAs, readLock } from '../locked.mjs';

/** Where the texts are that `licencesOf` gives. */
export const LICENCES = '/usr/share/doc/conclave/licences.gz';

/**
 * The file /usr/share/doc/conclave/copyright: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/.
 *
 * @param {{ root: string, node: { version: string }, packages: readonly string[] }} parts `packages` with their versions, such as `h3 2.0.1`
 */
export async function copyrightOf({ root, node, packages }) {
  const own = await readFile(join(root, 'LICENSE'), 'utf8');
  const lock = await readLock(root);
  const named = packages.map((name) => ` ${name}: ${lockedAs(lock, name).license ?? 'see its text'}`);
  return `${[
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: Conclave',
    'Comment:',
    ' The program is one file. It contains the Node.js runtime and the packages below, each under its own licence. The texts of all these',
    ` licences are in ${LICENCES}. Debian has those that are common in /usr/share/common-licenses.`,
    ' .',
    ` Node.js ${node.version}: MIT, and those of its parts`,
    ...named,
    ' Public holidays: CC BY-SA 3.0',
    '',
    'Files: *',
    `Copyright: ${/Copyright \(c\) (.*)/.exec(own)?.[1] ?? 'Conclave contributors'}`,
    'License: Expat',
    indented(own.slice(own.indexOf('Permission'))),
  ].join('\n')}\n`;
}

/**
 * The texts of the licences of every package of which something is in the program, of Node, and of the public holidays.
 *
 * @param {{ root: string, node?: { version: string, folder: string }, packages: readonly string[] }} parts `node`: where Node is in the
 *   program, and the folder that its package was unpacked to
 */
export async function licencesOf({ root, node, packages }) {
  const lock = await readLock(root);
  const texts = [];
  if (node !== undefined) texts.push([`Node.js ${node.version}`, await readFile(join(node.folder, 'LICENSE'), 'utf8')]);
  for (const name of packages) texts.push([name, await licenceOf(join(root, lockedAs(lock, name).path))]);
  // Its data of holidays is in the program, and nothing else of it: scripts/holidays.mjs.
  texts.push(['date-holidays', await readFile(join(root, 'src/services/calendar/holidays/LICENSE'), 'utf8')]);
  return texts.map(([name, text]) => `${name}\n${'='.repeat(name.length)}\n\n${text.trim()}\n`).join('\n\n');
}

async function licenceOf(folder) {
  const file = (await readdir(folder)).toSorted().find((each) => /^(?:licen[cs]e|copying)\b/i.test(each));
  if (file !== undefined) return await readFile(join(folder, file), 'utf8');
  const { license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const by = typeof author === 'string' ? author : author?.name;
  return `License: ${license ?? 'not stated'}${by === undefined ? '' : `\nAuthor: ${by}`}`;
}

function indented(text) {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`))
    .join('\n');
}
