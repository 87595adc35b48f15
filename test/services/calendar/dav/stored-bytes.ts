import { bytesOf } from '../../../../src/platform/store/member-storage.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import type { CalendarScene } from '../calendar-scene.ts';

/** What counts to the storage of a member. */
export async function storedBytesOf({ house }: CalendarScene, { memberId }: HouseMember): Promise<number> {
  return await bytesOf(house.ctx.db, memberId);
}
