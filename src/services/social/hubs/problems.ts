import type { RoomBanRow } from '../../../platform/store/tables/rooms.ts';
import { Problem } from '../../../base/problem.ts';

export function hubNotFound(): Problem {
  return new Problem('missing', 'HUB_NOT_FOUND', 'There is no such hub.');
}

export function notInHub(): Problem {
  return new Problem('missing', 'HUB_MEMBER_NOT_FOUND', 'The member is not in this hub.');
}

export function forbidden(who: string): Problem {
  return new Problem('forbidden', 'FORBIDDEN', `This is for ${who} of the hub.`);
}

export function outranked(): Problem {
  return new Problem('forbidden', 'FORBIDDEN', 'The member has an equal or higher role than you.');
}

export function ownerStays(): Problem {
  const words = 'The owner cannot leave the hub. Make another member the owner first.';
  return new Problem('forbidden', 'HUB_OWNER_STAYS', words);
}

export function banned({ ends_at: endsAt }: Pick<RoomBanRow, 'ends_at'>): Problem {
  const until = endsAt === null ? '' : ` until ${new Date(endsAt).toISOString()}`;
  return new Problem('forbidden', 'BANNED_FROM_HUB', `You are banned from this hub${until}.`);
}

export function hubFull(): Problem {
  return new Problem('invalid', 'HUB_FULL', 'The hub has as many members as is possible.');
}
