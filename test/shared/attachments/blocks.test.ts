import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { announceBlock, dropBlocks, keepBlocks, shareBlocks } from '../../../src/shared/attachments/blocks.ts';
import { transaction } from '../../../src/service/context.ts';
import { blockColumns } from '../../../src/platform/store/blocks/references.ts';
import { tableShapes } from '../../../src/platform/store/transfer/table-shape.ts';
import { openScene } from '../../services/passvault/scene.ts';
import { engines, openTestStore } from '../../support/stores.ts';

describe.each(engines)('references to blocks on %s', (engine) => {
  it('are all declared: a table with a block id that is forgotten would lose its blocks', async () => {
    await using store = await openTestStore(engine);
    const found = (await tableShapes({ db: store.db, engine })).flatMap(({ name, columns }) =>
      columns.filter((column) => /(?:^|_)block_?ids?$/i.test(column)).map((column) => `${name}.${column}`),
    );
    expect(found.toSorted()).toEqual(blockColumns.map(({ table, column }) => `${table}.${column}`).toSorted());
    expect(found).toContain('passvault_attachments.block_id');
  });

  it('are found by an index, since every block that goes is asked for', async () => {
    await using store = await openTestStore(engine);
    for (const { table, column } of blockColumns) {
      const { rows } =
        engine === 'sqljs'
          ? await sql`select 1 from pragma_index_list(${table}) as list, pragma_index_info(list.name) as part
              where part.seqno = 0 and part.name = ${column}`.execute(store.db)
          : await sql`select 1 from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
              where indrelid = to_regclass(${table}) and attname = ${column}`.execute(store.db);
      expect(rows, `${table}.${column}`).not.toEqual([]);
    }
  });

  it('keep a block until the last of them goes', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const entryId = await scene.login();
    const { attachment } = await scene.in('POST', `/entries/${entryId}/attachments`, {
      filename: 'a',
      content: 'YWJj',
    });
    const row = await ctx.db
      .selectFrom('passvault_attachments')
      .selectAll()
      .where('id', '=', attachment.id as string)
      .executeTakeFirstOrThrow();
    const other = 'f'.repeat(32);
    await transaction(ctx, async (tx) => {
      await shareBlocks(tx, [row.block_id]);
      await tx.db
        .insertInto('passvault_attachments')
        .values({ ...row, id: other })
        .execute();
    });
    const remove = async (id: string): Promise<void> =>
      await transaction(ctx, async (tx) => {
        await tx.db.deleteFrom('passvault_attachments').where('id', '=', id).execute();
        await dropBlocks(tx, [row.block_id]);
      });
    await remove(row.id);
    expect(await ctx.blocks.head(row.block_id)).toBeDefined();
    await remove(other);
    expect(await ctx.blocks.head(row.block_id)).toBeUndefined();
    const late = transaction(ctx, async (tx) => await shareBlocks(tx, [row.block_id]));
    await expect(late).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  });

  it('to a block that is being dropped are refused', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const { id } = await ctx.blocks.put(new Uint8Array(10), async (one) => await announceBlock(ctx, one));
    await ctx.db.updateTable('jobs').set({ attempts: 1 }).execute();
    const keep = transaction(ctx, async (tx) => await keepBlocks(tx, [id]));
    await expect(keep).rejects.toMatchObject({ code: 'OVERLOADED' });
  });
});
