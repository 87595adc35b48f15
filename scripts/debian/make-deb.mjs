import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { root } from '../bundle.mjs';
import { filesBelow, guidesOf } from '../pack.mjs';
import { inStage, openFolders, put } from '../stage.mjs';
import { copyrightOf, LICENCES, licencesOf } from './copyright.mjs';
import { manPages } from './man-pages.mjs';

const run = promisify(execFile);
const own = import.meta.dirname;
/** Of xz. Most of the time of a release goes into it. */
const level = process.env.CONCLAVE_RELEASE_DEB_LEVEL ?? '6';
const maintainer = process.env.CONCLAVE_RELEASE_MAINTAINER ?? 'Conclave contributors <contributors@conclave.invalid>';

/**
 * The Debian package: the program, its service, its manual, its completions. The same bytes each time.
 *
 * @param {string} target the file
 * @param {import('../release.mjs').Program & { file: string, here: string }} parts `file`: the program as one file; `here`: the one that runs on this
 *   machine
 * @param {import('../platforms.mjs').Platform} platform
 * @param {number} epoch seconds since 1970, of everything in it
 */
export async function makeDeb(target, parts, platform, epoch) {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch), XZ_DEFAULTS: '', XZ_OPT: '' };
  await inStage('deb', async (stage) => {
    const tree = join(stage, 'tree');
    await putProgram(tree, parts);
    await putService(tree);
    await putDocuments(tree, parts, platform, epoch);
    await putCompletions(tree, parts.here);
    await putControl(tree, parts, platform);
    await openFolders(tree);
    await run('dpkg-deb', ['--root-owner-group', '-Zxz', `-z${level}`, '--build', tree, join(stage, 'deb')], { env });
    await copyFile(join(stage, 'deb'), target);
  });
}

async function putProgram(tree, { file }) {
  await put(tree, 'usr/bin/conclave', await readFile(file), 0o755);
}

async function putService(tree) {
  const ours = async (name) => await readFile(join(own, name));
  await put(tree, 'usr/lib/systemd/system/conclave.service', await ours('conclave.service'));
  await put(tree, 'usr/lib/conclave/first-start', await ours('first-start'), 0o755);
  await put(tree, 'etc/default/conclave', await ours('conclave.default'));
  await put(tree, 'usr/share/lintian/overrides/conclave', await ours('lintian-overrides'));
}

async function putDocuments(tree, { folder, version, description, manifest, topics, packages }, { node }, epoch) {
  const documents = 'usr/share/doc/conclave';
  const date = new Date(epoch * 1000);
  const about = { version, description, date: date.toISOString().slice(0, 10) };
  const exitCodes = exitCodesIn(await readFile(join(root, 'docs/cli.md'), 'utf8'));
  for (const { name, text } of manPages(manifest, topics, about, exitCodes))
    await put(tree, `usr/share/man/man1/${name}.gz`, packed(text));
  await put(tree, `${documents}/copyright`, await copyrightOf({ root, node, packages }));
  await put(tree, LICENCES.slice(1), packed(await licencesOf({ root, node, packages })));
  await put(tree, `${documents}/changelog.gz`, packed(changelog(version, date)));
  await put(tree, `${documents}/CHANGELOG.md`, await readFile(join(root, 'CHANGELOG.md')));
  for (const { name, file } of await guidesOf(folder)) await put(tree, `${documents}/${name}`, await readFile(file));
}

/** In the form of Debian, which has the changes themselves beside it. */
function changelog(version, date) {
  const when = date.toUTCString().replace('GMT', '+0000');
  const what = 'What changed is in /usr/share/doc/conclave/CHANGELOG.md.';
  return `conclave (${version}) unstable; urgency=medium\n\n  * ${what}\n\n -- ${maintainer}  ${when}\n`;
}

/** The rows of the table below `## Exit codes`. */
function exitCodesIn(text) {
  const section = text.slice(text.indexOf('## Exit codes'));
  const rows = [...section.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)];
  if (rows.length === 0) throw new Error('docs/cli.md has no table of exit codes');
  return rows.map(([, code, meaning]) => ({ code, meaning }));
}

const completions = [
  ['bash', 'usr/share/bash-completion/completions/conclave'],
  ['zsh', 'usr/share/zsh/vendor-completions/_conclave'],
  ['fish', 'usr/share/fish/vendor_completions.d/conclave.fish'],
];

/** As the program writes them. */
async function putCompletions(tree, program) {
  for (const [shell, place] of completions) {
    const { stdout } = await run(program, ['completion', shell], {
      env: { PATH: '/usr/bin:/bin' },
      maxBuffer: 2 ** 26,
    });
    await put(tree, place, stdout);
  }
}

async function putControl(tree, { version, description }, { debian }) {
  const files = (await filesBelow(tree)).toSorted();
  let size = 0;
  const sums = [];
  for (const file of files) {
    const bytes = await readFile(file);
    size += Math.ceil(bytes.length / 1024);
    sums.push(`${createHash('md5').update(bytes).digest('hex')}  ${relative(tree, file)}\n`);
  }
  const [synopsis, ...more] = description.replace(/\.$/, '').split(': ');
  const control = [
    'Package: conclave',
    `Version: ${version}`,
    `Architecture: ${debian}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${size}`,
    'Depends: libc6 (>= 2.28), libstdc++6 (>= 12), libatomic1, adduser, init-system-helpers (>= 1.54)',
    'Section: net',
    'Priority: optional',
    `Description: ${synopsis.replace(/^A /, '').replaceAll(',', '')}`,
    ` ${more.join(': ')}, in one file:`,
    ' accounts with a recovery phrase, an encrypted file vault, password vaults,',
    ' threshold secret sharing and governance, a social network, and e-mail.',
    ' The package brings a service of systemd. It makes a store at its first start.',
    '',
  ];
  await put(tree, 'DEBIAN/control', control.join('\n'));
  await put(tree, 'DEBIAN/conffiles', '/etc/default/conclave\n');
  await put(tree, 'DEBIAN/md5sums', sums.join(''));
  for (const name of ['postinst', 'prerm', 'postrm'])
    await put(tree, `DEBIAN/${name}`, await readFile(join(own, name)), 0o755);
}

function packed(text) {
  return gzipSync(text, { level: 9 });
}
