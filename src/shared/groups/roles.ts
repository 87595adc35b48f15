import type { RoomRole } from '../../platform/store/tables/rooms.ts';

const ranks: Readonly<Record<RoomRole, number>> = { owner: 3, admin: 2, moderator: 1, member: 0 };

/** Whoever is no member has no rank, so every member is above them. */
function rankOf(role: RoomRole | undefined): number {
  return role === undefined ? -1 : ranks[role];
}

/** Nobody changes somebody with an equal or higher role. */
export function outranks(role: RoomRole | undefined, other: RoomRole | undefined): boolean {
  return rankOf(role) > rankOf(other);
}

/** Whether a role is this one or a higher one. */
export function isAtLeast(role: RoomRole | undefined, least: RoomRole): boolean {
  return rankOf(role) >= ranks[least];
}

/** Nobody gives a role above their own. Only an owner makes another owner. */
export function mayGive(role: RoomRole | undefined, given: RoomRole): boolean {
  return role === 'owner' || outranks(role, given);
}
