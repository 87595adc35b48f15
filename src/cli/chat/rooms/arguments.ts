import { Args, Flags } from '@oclif/core';
import { Problem } from '../../../base/problem.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { expiryOf } from '../../kit/expiry.ts';

/** The argument of commands that are about one group or channel, under the name of its type; see `roomNamed`. */
export function roomArgument(type: RoomType) {
  const named = Args.string({ description: `name of the ${type}, with or without #, or its id`, required: true });
  return { [type]: named } as Record<RoomType, typeof named>;
}

/** The arguments of commands that are about a member; see `memberNamed`. */
export function roomAndMember(type: RoomType) {
  return {
    ...roomArgument(type),
    member: Args.string({ description: 'username or id of the member', required: true }),
  };
}

/** What help says of groups and channels in words of their own. */
export const wordsOf = {
  group: {
    example: '"tea party"',
    canReturn: 'can be added again',
    newMembersSee: 'is said from then on',
  },
  channel: {
    example: 'tea',
    canReturn: 'can come back',
    newMembersSee: 'is said from then on, and before if the channel shows it to new members',
  },
} as const satisfies Record<RoomType, object>;

export const reasonFlag = { reason: Flags.string({ description: 'why, for the log', helpValue: 'TEXT' }) };

/** Until when something holds; see `durationOf`. */
const lasting = { description: 'for how long (90m, 8h, 2d, 1w), or until a date', helpValue: 'TIME' };
export const forFlag = { for: Flags.string(lasting) };
export const forWithBan = { for: Flags.string({ ...lasting, dependsOn: ['ban'] }) };
export const neededForFlag = { for: Flags.string({ ...lasting, required: true }) };

/** What `--for` says, in milliseconds. @throws Problem invalid USAGE */
export function durationOf(text: string, nowMs: number): number {
  const until = expiryOf(text, nowMs, '--for');
  if (until === undefined) throw new Problem('invalid', 'USAGE', '--for must have an end: 90m, 8h, 2d, 1w.');
  return Date.parse(until) - nowMs;
}

/** The same for the input of an operation, and why. */
export function measureOf(flags: { readonly for?: string | undefined; readonly reason?: string | undefined }) {
  return {
    ...(flags.for !== undefined && { durationMs: durationOf(flags.for, Date.now()) }),
    ...(flags.reason !== undefined && { reason: flags.reason }),
  };
}
