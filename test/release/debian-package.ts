import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { has, unpack, type Unpacked } from './deb.ts';
import { isMadeHere, openPlace, project, sha256 } from './place.ts';

/** @param built where the program in one file is, beside the package */
export function describeDebianPackage(built: () => string): void {
  describe.skipIf(!isMadeHere)('the Debian package', { tags: ['needs-system', 'needs-program'] }, () => {
    let unpacked: Unpacked;
    let deb: string;
    beforeAll(async () => {
      const files = await readdir(dirname(built()));
      deb = join(dirname(built()), files.find((name) => name.endsWith('_amd64.deb')) ?? '');
      unpacked = await unpack(deb);
    });
    afterAll(async () => await unpacked[Symbol.asyncDispose]());

    it('has the program, a service of it, and what Debian asks for', async () => {
      const { root, control } = unpacked;
      expect(await sha256(join(root, 'usr/bin/conclave'))).toBe(await sha256(built()));
      const fields = await readFile(join(control, 'control'), 'utf8');
      for (const field of ['Package: conclave', 'Architecture: amd64', 'Depends: libc6', 'Installed-Size: '])
        expect(fields).toContain(field);
      expect(await readFile(join(control, 'conffiles'), 'utf8')).toBe('/etc/default/conclave\n');
      // Every file is as the package says, and every script is one.
      const { stdout } = await execa('md5sum', ['--check', '--strict', join(control, 'md5sums')], { cwd: root });
      expect(stdout).toContain('usr/bin/conclave: OK');
      for (const script of ['postinst', 'prerm', 'postrm']) await execa('sh', ['-n', join(control, script)]);
      await execa('sh', ['-n', join(root, 'usr/lib/conclave/first-start')]);
      const unit = await readFile(join(root, 'usr/lib/systemd/system/conclave.service'), 'utf8');
      for (const [, path = ''] of unit.matchAll(/^Exec\w+=(\S+)/gm))
        // The shell is on every system, and has `kill` in it.
        if (path !== '/bin/sh') expect((await stat(join(root, path))).mode & 0o111).toBe(0o111);
      const copyright = await readFile(join(root, 'usr/share/doc/conclave/copyright'), 'utf8');
      for (const text of ['License: Expat', ' Node.js 26.', ' argon2 0.44.0: MIT', ' sql.js 1.16.0: MIT'])
        expect(copyright).toContain(text);
      const licences = gunzipSync(await readFile(join(root, 'usr/share/doc/conclave/licences.gz'))).toString();
      for (const text of ['Node.js 26.', '\nargon2 0.44.0\n====', '\nh3 ', '\ndate-holidays\n'])
        expect(licences).toContain(text);
    });

    it('has a manual of every command, and completions of three shells', async () => {
      const { root } = unpacked;
      const { commands } = JSON.parse(await readFile(join(project, 'oclif.manifest.json'), 'utf8'));
      const shown = Object.keys(commands).filter((id) => commands[id].hidden !== true);
      const folder = join(root, 'usr/share/man/man1');
      const pages = new Map<string, string>();
      for (const name of await readdir(folder))
        pages.set(name, gunzipSync(await readFile(join(folder, name))).toString());
      const pageOf = (id: string): string => `conclave-${id.split(':')[0]}.1.gz`;
      expect([...pages.keys()].toSorted()).toEqual(['conclave.1.gz', ...new Set(shown.map(pageOf))].toSorted());
      for (const id of shown)
        expect(pages.get(pageOf(id))).toContain(
          `.SS conclave ${id.replaceAll(':', ' ').replaceAll('-', String.raw`\-`)}\n`,
        );
      for (const [name, text] of pages) {
        // What roff has no character for, or a line that it takes for a request.
        const strange = text.match(/[^\n -~]/g) ?? [];
        const requests = text.match(/^['.](?!(?:TH|SH|SS|TP|PP|nf|fi|RS|RE|BR|B|I|br)\b).*/gm) ?? [];
        expect({ name, strange, requests }).toEqual({ name, strange: [], requests: [] });
      }
      await using place = await openPlace(built());
      for (const [shell, path] of [
        ['bash', 'bash-completion/completions/conclave'],
        ['zsh', 'zsh/vendor-completions/_conclave'],
        ['fish', 'fish/vendor_completions.d/conclave.fish'],
      ] as const) {
        const written = await readFile(join(root, 'usr/share', path), 'utf8');
        expect(written.trim()).toBe(await place.must(['completion', shell]));
      }
    });

    it.skipIf(!has('systemd-analyze'))('has a service that systemd calls well protected', async () => {
      const unit = join(unpacked.root, 'usr/lib/systemd/system/conclave.service');
      const { stdout } = await execa('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]);
      const [, exposure] = /Overall exposure level for conclave\.service: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number.parseFloat(exposure ?? '')).toBeLessThan(2);
    });

    it.skipIf(!has('lintian'))(
      'has no errors for lintian',
      async () => {
        const { stdout } = await execa('lintian', ['--fail-on', 'none', '--no-tag-display-limit', '--allow-root', deb]);
        expect(stdout.split('\n').filter((line) => line.startsWith('E:'))).toEqual([]);
      },
      600_000,
    );
  });
}
