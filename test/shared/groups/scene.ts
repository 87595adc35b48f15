import { transaction, type Context } from '../../../src/service/context.ts';
import { openRoom, type Room } from '../../../src/shared/groups/room.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type House } from '../../support/house.ts';

export interface RoomScene extends AsyncDisposable {
  readonly house: House;
  readonly room: Room;
  /** ids of members of the node; the first is the owner of the room, and nobody else is in it */
  readonly ids: readonly string[];
  /** as one transaction */
  change<T>(work: (tx: Context) => Promise<T>): Promise<T>;
  /** what the room counts, and how many rows it has */
  counted(of?: Room): Promise<readonly [number | undefined, number]>;
}

export async function openRoomScene(engine: EngineName, members: number): Promise<RoomScene> {
  const house = await openHouse(engine);
  const ids: string[] = [];
  for (let made = 0; made < members; made += 1) ids.push((await house.register()).memberId);
  const room = { kind: 'test', id: 'a'.repeat(32) };
  const change: RoomScene['change'] = async (work) => await transaction(house.ctx, work);
  await change(async (tx) => await openRoom(tx, { ...room, ownerId: ids[0]! }));
  return {
    house,
    room,
    ids,
    change,
    async counted({ kind, id } = room) {
      const { db } = house.ctx;
      const row = await db
        .selectFrom('rooms')
        .select('member_count')
        .where('kind', '=', kind)
        .where('id', '=', id)
        .executeTakeFirst();
      const rows = await db
        .selectFrom('room_members')
        .select('member_id')
        .where('kind', '=', kind)
        .where('room_id', '=', id)
        .execute();
      return [row?.member_count, rows.length];
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}
