import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { unpack } from './deb.ts';
import { asArm64, isMadeHere, keepEntry, openPlace, project, versionOf } from './place.ts';

/** @param built where the program in one file is, beside those for arm64 */
export function describeArm64(built: () => string): void {
  const beside = (name: string) => join(dirname(built()), name);

  describe.skipIf(!isMadeHere)('the program in one file for arm64', { tags: ['needs-system', 'needs-program'] }, () => {
    it('is all that a node needs, and V8 takes everything that was compiled ahead', async () => {
      const version = versionOf(built());
      await using place = await openPlace(beside(`conclave-${version}-linux-arm64`), asArm64);
      const nodes = JSON.parse(await readFile(join(project, 'scripts/release-node.json'), 'utf8'));
      const node = nodes['linux-arm64'].version;
      expect(await place.must(['--version'])).toBe(`conclave/${version} linux-arm64 node-v${node}`);
      const { compiled } = JSON.parse(await place.must(['--version', '--verbose', '--json']));
      expect(compiled.parts).toBeGreaterThan(250);
      expect(compiled.refused).toBe(0);
      await place.must(['init', '--generate-password']);
      await using server = await place.serve();
      expect(await keepEntry(place)).toBe('me');
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      expect(await server.stop()).toBe(0);
      expect(await place.left()).toEqual([]);
    }, 600_000);

    it('is in a Debian package for that processor', async () => {
      const version = versionOf(built());
      await using unpacked = await unpack(beside(`conclave_${version}_arm64.deb`));
      expect(await readFile(join(unpacked.control, 'control'), 'utf8')).toContain('\nArchitecture: arm64\n');
      const file = join(unpacked.root, 'usr/bin/conclave');
      const same = await execa('cmp', [file, beside(`conclave-${version}-linux-arm64`)], { reject: false });
      expect(same.exitCode).toBe(0);
      const { stdout } = await execa('aarch64-linux-gnu-readelf', ['--file-header', file]);
      expect(stdout).toMatch(/Machine: +AArch64/);
    });
  });
}
