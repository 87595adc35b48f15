import { expect } from 'vitest';
import { sql } from 'kysely';
import { tableCounts } from '../../../src/platform/store/census.ts';
import type { ApiAnswer } from '../../support/house.ts';
import { refusal } from './governing.ts';
import type { QuorumScene } from './scene.ts';

/** Everything that a refusal must not change: all rows of the quorum, the number of all others, and what blocks take. */
export async function state({ house: { ctx } }: Pick<QuorumScene, 'house'>) {
  const storage = await ctx.db.selectFrom('member_storage').selectAll().orderBy('member_id').execute();
  // Entries of the ledger get their places later.
  const tables = (await tableCounts(ctx.store)).filter(({ name }) => !name.startsWith('ledger_'));
  const rows: [table: string, rows: string[]][] = [];
  for (const { name } of tables.filter((table) => table.name.startsWith('quorum_'))) {
    const found = await sql`select * from ${sql.table(name)}`.execute(ctx.db);
    rows.push([name, found.rows.map((row) => JSON.stringify(row)).toSorted()]);
  }
  return { tables, rows, blocks: await ctx.blocks.stat(), storage };
}

/** Asks for what is refused. @returns status and code, and the message; fails if anything changed */
export async function refusedBy(
  scene: Pick<QuorumScene, 'house'>,
  ask: () => Promise<ApiAnswer>,
): Promise<[string, string]> {
  const before = await state(scene);
  const answer = await ask();
  expect(await state(scene)).toEqual(before);
  return refusal(answer);
}
