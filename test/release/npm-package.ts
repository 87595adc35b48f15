import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMadeHere, keepEntry, openPlaceOf, project, registry, seePicture, showPreview, versionOf } from './place.ts';

/** The one that Node 20 brings, and one that says more about what it installs. It needs a newer Node. */
const npms = { old: '10.8.2', new: '12.2.1' };

interface Installed {
  readonly prefix: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param built where the program in one file is, beside the package */
export function describeNpmPackage(built: () => string): void {
  describe.skipIf(!isMadeHere)('the npm package', { tags: ['needs-system', 'needs-program'] }, () => {
    let folder: string;
    let nodes: Record<keyof typeof npms, string>;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'conclave-npm-'));
      const { stdout } = await execa(process.execPath, [join(project, 'scripts/release-node.mjs'), 'linux-x64']);
      nodes = { old: process.execPath, new: stdout };
      await Promise.all(Object.values(npms).map(async (version) => await fetchNpm(folder, version)));
    });
    afterAll(async () => await rm(folder, { recursive: true }));

    const npm = async (which: keyof typeof npms, words: readonly string[]) => {
      const program = join(folder, npms[which], 'package/bin/npm-cli.js');
      const env = {
        HOME: folder,
        PATH: `${dirname(nodes[which])}:/usr/bin:/bin`,
        npm_config_registry: 'http://0.0.0.0',
      };
      return await execa(nodes[which], [program, ...words], { env, extendEnv: false });
    };

    const install = async (which: keyof typeof npms): Promise<Installed> => {
      const prefix = join(folder, `installed by ${which}`);
      const archive = join(dirname(built()), `conclave-${versionOf(built())}.tgz`);
      const { stdout, stderr } = await npm(which, ['install', '-g', '--prefix', prefix, archive]);
      return { prefix, stdout, stderr };
    };

    it.each(['old', 'new'] as const)(
      'is small, and npm has nothing to fetch, to run or to warn of: the %s npm',
      async (which) => {
        const { prefix, stdout, stderr } = await install(which);
        expect({ stdout: stdout.trim(), stderr }).toEqual({
          stdout: expect.stringMatching(/^(?:added|changed) 1 package in \d+\w+$/),
          stderr: '',
        });
        const listed = await npm(which, ['ls', '-g', '--all', '--parseable', '--prefix', prefix]);
        const packages = listed.stdout.split('\n').slice(1);
        expect(listed.stderr).toBe('');
        expect(packages.map((path) => path.split('/node_modules/').at(-1)).toSorted()).toEqual([
          '@phc/format',
          '@silvia-odwyer/photon-node',
          'argon2',
          'bcrypt',
          'conclave',
          'node-gyp-build',
          'sql.js',
        ]);
        const files = (await readdir(prefix, { recursive: true, withFileTypes: true })).filter((entry) =>
          entry.isFile(),
        );
        const sizes = await Promise.all(
          files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
        );
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(20 * 2 ** 20);
        for (const path of packages) {
          const names = await readdir(path);
          expect(names).toEqual(expect.arrayContaining([expect.stringMatching(/^licen[cs]e/i)]));
          // npm would run a compiler for it.
          expect(names).not.toContain('binding.gyp');
          expect(JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))).not.toHaveProperty('scripts');
        }
      },
    );

    it.each(['old', 'new'] as const)('is all that a node needs beside Node: the %s Node', async (which) => {
      const { prefix } = await install(which);
      const program = join(prefix, 'bin/conclave');
      await using place = await openPlaceOf(async () => await Promise.resolve(program), {
        node: dirname(nodes[which]),
      });
      const { stdout: node } = await execa(nodes[which], ['--version']);
      expect(await place.must(['--version'])).toBe(`conclave/${versionOf(built())} linux-x64 node-${node}`);
      const details = JSON.parse(await place.must(['--version', '--verbose', '--json']));
      expect(details).toMatchObject({ isOneFile: false, place: join(await realpath(program), '../..') });
      expect(await place.must(['vault', 'get', '--help'])).toContain('--field');
      await place.must(['init', '--generate-password']);
      await using server = await place.serve();
      expect(await keepEntry(place)).toBe('me');
      await place.must(['files', 'create', 'Box']);
      expect((await showPreview(place)).subarray(1, 4).toString()).toBe('PNG');
      expect(await seePicture(place)).toMatchObject({ kind: 'picture', width: 400, height: 300 });
      for (const name of ['mail', 'commands'])
        expect((await fetch(`${server.url}/docs/guides/${name}`)).status).toBe(200);
      expect(await server.stop()).toBe(0);
    });
  });
}

async function fetchNpm(folder: string, version: string): Promise<void> {
  const env = { HOME: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...registry() };
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, `npm@${version}`];
  await execa('npm', words, { env, extendEnv: false });
  await mkdir(join(folder, version));
  await execa('tar', ['-xzf', join(folder, `npm-${version}.tgz`), '-C', join(folder, version)]);
}
