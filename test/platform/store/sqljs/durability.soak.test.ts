import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, type Bundle } from '../../../support/bundle.ts';
import { hasStockSqlite, killRound, type Expected } from '../../../support/kill-rounds.ts';
import { testRandom } from '../../../support/seeded.ts';
import { temporaryFolder } from '../../../support/stores.ts';

const rounds = 10;

describe('a store whose process is killed', () => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundle('test/support/store-writer.ts');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
  });

  it(`has everything that was acknowledged, and no half of a transaction, ${rounds} times`, async () => {
    await using folder = await temporaryFolder();
    const expected: Expected = { present: new Set(), open: new Set() };
    const random = testRandom();
    let acknowledged = 0;
    for (let round = 0; round < rounds; round += 1) {
      // The second one dies on its way to an open store.
      const whenWriting = round !== 1;
      const killAfterMs = random() * (whenWriting ? 200 : 400);
      const report = await killRound(program.path, folder.path, `r${round}`, expected, { killAfterMs, whenWriting });
      expect(report.checkedBy).toEqual(hasStockSqlite ? ['store', 'sqlite3', 'sql.js'] : ['store', 'sql.js']);
      acknowledged += report.acknowledged;
    }
    expect(acknowledged).toBeGreaterThan(rounds);
  });
});
