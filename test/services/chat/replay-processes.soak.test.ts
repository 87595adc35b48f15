import { randomBytes } from 'node:crypto';
import { describe, it } from 'vitest';
import { testRandom } from '../../support/seeded.ts';
import { rounds } from '../../support/stage.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';
import { ReplayProcess } from './replay-process.ts';
import { expectAddsUp } from './replay-scene.ts';

describe.runIf(bothEngines.includes('postgres'))('what two processes on one PostgreSQL tell of a conversation', () => {
  it('adds up to what is read at the end, for readers who go from one to the other', async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using folder = await temporaryFolder();
    const place = { dataDir: folder.path, url: database.url, secret: Uint8Array.from(randomBytes(32)) };
    await using one = await ReplayProcess.start(place);
    await using other = await ReplayProcess.start(place);
    await expectAddsUp([one, other], testRandom(), rounds(2, 10));
  });
});
