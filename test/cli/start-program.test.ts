import { describe, expect, it } from 'vitest';
import { readSources } from '../support/source-files.ts';

/** Ways to start a program; types are taken away before they are looked for. */
const starting = /['"](?:node:)?(?:child_process|cluster|execa)['"]/;

describe('other programs', () => {
  it('are started in three places alone, which pass on nothing of ours', async () => {
    const sources = await readSources(['bin', 'commands', 'src']);
    const found = sources.filter(({ text }) => starting.test(text.replaceAll(/^import type [^;]*;/gm, '')));
    expect(found.map(({ path }) => path)).toEqual([
      'src/cli/kit/start-program.ts',
      'src/platform/workers/start-process.ts',
      'src/services/filevault/scanning/scanner.ts',
    ]);
  });
});
