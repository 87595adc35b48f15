// Makes the files of a release in a folder. It runs on the Node that becomes part of them:
// node scripts/release.mjs FOLDER NODE_FOR_ARM64
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './bundle.mjs';
import { makeDeb } from './debian/make-deb.mjs';
import { librariesOf } from './image/libraries.mjs';
import { makeImage } from './image/make-image.mjs';
import { makeProgram } from './make-program.mjs';
import { mostCalled } from './most-called.mjs';
import { makeNpmPackage } from './npm-package.mjs';
import { makeOneFile } from './one-file.mjs';
import { addons, prebuilt } from './pack.mjs';
import { platformsOf } from './platforms.mjs';
import { sbomOf } from './sbom.mjs';
import { inStage } from './stage.mjs';

const [target, nodeForArm64] = process.argv.slice(2);
const { name, version, description, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

try {
  const files = await makeAll();
  await writeSums(files);
  const signature = await sign();
  process.stdout.write(`${[...files, 'SHA256SUMS', ...signature].map((made) => join(target, made)).join('\n')}\n`);
} catch (error) {
  // esbuild has printed its own errors, with the lines that they are about.
  if (error.errors === undefined) process.stderr.write(`${error.stderr || error.stack}\n`);
  process.exitCode = 1;
}

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} version
 * @property {string} description
 * @property {string} license
 * @property {string} folder where `makeProgram` has made it
 * @property {object} manifest oclif's, with all commands
 * @property {Record<string, { description: string }>} topics
 * @property {Record<string, number[]>} called see most-called.mjs
 * @property {readonly string[]} packages of which something is in it, with their versions
 */

/** @returns {Promise<string[]>} the names of the files */
async function makeAll() {
  const epoch = await releaseEpoch();
  return await inStage('release', async (folder) => {
    await makeProgram(folder);
    const made = async (file) => JSON.parse(await readFile(join(folder, file), 'utf8'));
    const [manifest, topics] = [await made('oclif.manifest.json'), await made('dist/topics.json')];
    const { packages } = await made('dist/contents.json');
    const called = await mostCalled(folder);
    const program = { name, version, description, license, folder, manifest, topics, called, packages };
    const platforms = await platformsOf({ 'linux-x64': process.execPath, 'linux-arm64': nodeForArm64 });
    const [here] = platforms;
    const files = platforms.map((platform) => `${name}-${version}-${platform.name}`);
    const debs = platforms.map(({ debian }) => `${name}_${version}_${debian}.deb`);
    const npm = `${name}-${version}.tgz`;
    const image = `${name}-${version}-oci.tar`;
    const sbom = `${name}-${version}.cdx.json`;
    const fileHere = join(target, files[0]);
    await Promise.all(
      platforms.map(async (platform, at) => await makeOneFile(join(target, files[at]), program, platform)),
    );
    const libraries = await librariesOf([fileHere, ...addons.map((addon) => prebuilt(addon, here))]);
    const nodes = [...new Set(platforms.map(({ node }) => node.version))];
    await Promise.all([
      ...platforms.map(async (platform, at) => {
        const parts = { ...program, file: join(target, files[at]), here: fileHere };
        await makeDeb(join(target, debs[at]), parts, platform, epoch);
      }),
      makeImage(join(target, image), { ...program, file: fileHere }, here, libraries, epoch),
      makeNpmPackage(join(target, npm), program, epoch),
      writeFile(join(target, sbom), await sbomOf({ name, version, packages, nodes, libraries, epoch })),
    ]);
    return [...files, ...debs, image, npm, sbom];
  });
}

/** Seconds since 1970: https://reproducible-builds.org/specs/source-date-epoch/, or the day of the newest release in the change log. */
async function releaseEpoch() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d{1,12}$/.test(given)) return Number(given);
  const [, day = '2026-01-01'] =
    /^## \[\d.*?\] - (\d{4}-\d\d-\d\d)$/m.exec(await readFile(join(root, 'CHANGELOG.md'), 'utf8')) ?? [];
  return Date.parse(day) / 1000;
}

/** In the form that `sha256sum --check` reads. */
async function writeSums(files) {
  const lines = files.map(async (file) => {
    const sum = createHash('sha256')
      .update(await readFile(join(target, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  await writeFile(join(target, 'SHA256SUMS'), (await Promise.all(lines)).join(''));
}

/** By the SSH key that CONCLAVE_RELEASE_KEY names, if it does. `ssh-keygen -Y verify` checks it. */
async function sign() {
  const key = process.env.CONCLAVE_RELEASE_KEY;
  const file = 'SHA256SUMS.sig';
  await rm(join(target, file), { force: true });
  if (key === undefined) return [];
  await promisify(execFile)('ssh-keygen', ['-q', '-Y', 'sign', '-f', key, '-n', 'file', join(target, 'SHA256SUMS')]);
  return [file];
}
