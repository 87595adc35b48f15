import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

const { keepForServers } = (await import(String(new URL('../../scripts/kept-files.mjs', import.meta.url)))) as {
  keepForServers(before: string, made: string): Promise<void>;
};

/** What a build has after one with these marks of servers. */
async function keptAfter(marks: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-kept-'));
  try {
    const [before, made] = [join(folder, 'before'), join(folder, 'made')];
    const files = ['chunk-AAAAAAAA.js', 'chunk-BBBBBBBB.js', 'main.js', 'compiled/v20/sign-in-AAAAAAAA.js.bin'];
    for (const name of [...files, ...marks.map((mark) => `running/${mark}`)]) {
      await mkdir(dirname(join(before, name)), { recursive: true });
      await writeFile(join(before, name), 'before');
    }
    await mkdir(made);
    for (const name of ['chunk-BBBBBBBB.js', 'main.js']) await writeFile(join(made, name), 'made');
    await keepForServers(before, made);
    const entries = await readdir(made, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(made.length + 1))
      .toSorted();
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('what a build keeps of the one before', () => {
  it('is all with a hash in its name while any server runs from there, and the marks of those that do', async () => {
    const child = execa('true');
    await child;
    const alive = String(process.pid);
    expect(await keptAfter([String(child.pid), alive, 'no process'])).toEqual(
      [
        'chunk-AAAAAAAA.js',
        'chunk-BBBBBBBB.js',
        'compiled/v20/sign-in-AAAAAAAA.js.bin',
        'main.js',
        `running/${alive}`,
      ].toSorted(),
    );
  });

  it('is nothing after servers that died without a word', async () => {
    const child = execa('true');
    await child;
    expect(await keptAfter([String(child.pid)])).toEqual(['chunk-BBBBBBBB.js', 'main.js']);
    expect(await keptAfter([])).toEqual(['chunk-BBBBBBBB.js', 'main.js']);
  });
});
