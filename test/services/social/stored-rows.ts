import { expect } from 'vitest';
import type { House } from '../../support/house.ts';
import { allRows } from '../passvault/store-contents.ts';

/**
 * Every row of the social network and of the rooms that it uses, by tables. The others change with every request: sign-ins, and counted
 * requests.
 */
export async function socialRows({ ctx }: House): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = await allRows(ctx);
  const own = [...tables].filter(([name]) =>
    /^(?:social_|room_|notification|member_(?:blocks|mutes|storage)|jobs|events|search_)/.test(name),
  );
  expect(own.length).toBeGreaterThan(25);
  return new Map(own.map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row)).toSorted()]));
}
