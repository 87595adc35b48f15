import { randomBytes } from 'node:crypto';
import { describe, it } from 'vitest';
import { testRandom } from '../../support/seeded.ts';
import { rounds } from '../../support/stage.ts';
import { bothEngines, createPostgresDatabase, putMigratedStore, temporaryFolder } from '../../support/stores.ts';
import { ReplayProcess } from './replay-process.ts';
import { expectAddsUp } from './replay-scene.ts';

describe.each(bothEngines)('what is heard of a conversation that many change at once on %s', (engine) => {
  it('adds up to what is read at the end, also when the node was started anew in between', async () => {
    await using created = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
    await using folder = await temporaryFolder();
    if (created === undefined) await putMigratedStore(folder.path);
    const place = { dataDir: folder.path, url: created?.url, secret: Uint8Array.from(randomBytes(32)) };
    await using node = await ReplayProcess.start(place);
    await expectAddsUp([node], testRandom(), rounds(1, 10));
  });
});
