import { symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/stores.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = dirname(process.execPath);

/** What a shell says that knows no more than the line in README.md tells it. */
async function said(line: string, folder = root): Promise<string> {
  const env = { PATH: [node, '/usr/bin', '/bin'].join(delimiter), HOME: folder };
  return (await execa('sh', ['-c', line], { cwd: folder, env, extendEnv: false })).stdout;
}

describe('a checkout with its folder bin on the PATH', () => {
  it('is conclave for a shell, and for programs that it starts', async () => {
    const version = await said('node -- bin/run.js --version');
    expect(version).toMatch(/^conclave\/\d/);
    expect(await said('export PATH="$PWD/bin:$PATH"; conclave --version')).toBe(version);
    expect(await said(`export PATH="$PWD/bin:$PATH"; git -c 'alias.who=!conclave --version' who`)).toBe(version);
  });

  it('is conclave by its full path, without the PATH, and behind a link', async () => {
    await using folder = await temporaryFolder();
    await symlink(join(root, 'bin/conclave'), join(folder.path, 'conclave'));
    const version = await said('node -- bin/run.js --version');
    expect(await said(`${join(root, 'bin/conclave')} --version`, folder.path)).toBe(version);
    expect(await said('./conclave --version', folder.path)).toBe(version);
  });
});
