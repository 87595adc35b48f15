import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startNode } from '../../support/running-node.ts';
import { temporaryFolder } from '../../support/stores.ts';

const said = (log: { lines: readonly { message?: string }[] }) =>
  log.lines.filter(({ message }) => message?.includes('can read the data directory'));

describe.skipIf(process.platform === 'win32')('a data directory', { tags: 'needs-system' }, () => {
  it.each([0o770, 0o702, 0o777, 0o1777])('that others can write is refused: %o', async (mode) => {
    await using folder = await temporaryFolder();
    await chmod(folder.path, mode);
    await expect(startNode({ dataDir: folder.path })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'DATA_DIR_UNSAFE',
      message: expect.stringContaining(`chmod 700 ${folder.path}`) as unknown,
    });
    await chmod(folder.path, 0o700);
    await using node = await startNode({ dataDir: folder.path });
    expect(said(node.log)).toEqual([]);
  });

  it('that others can read is said once', async () => {
    await using folder = await temporaryFolder();
    await chmod(folder.path, 0o755);
    await using node = await startNode({ dataDir: folder.path });
    await node.fetch('/health');
    await node.fetch('/api/user/profile');
    expect(said(node.log)).toMatchObject([{ level: 'warn', message: expect.stringContaining('chmod 700') as unknown }]);
  });
});
