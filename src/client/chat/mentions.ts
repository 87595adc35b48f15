import { chatLimits } from '../../contract/chat/limits.ts';
import { fieldProblem } from '../../base/problem.ts';
import type { Member } from './conversation-reads.ts';

/** As the node reads it where it can: an e-mail address or a path is no mention. */
const mention = /(?<![\p{L}\p{N}_@./-])@([A-Za-z0-9_-]{3,30})(?![A-Za-z0-9_@-])/gu;
/** Stands for all members, also where one of them is called so. */
const EVERYBODY = 'all';

/**
 * The members whom a text names by `@username`, which the node is told so that it can notify them.
 * @returns ids, or `all`
 * @throws Problem invalid TOO_MANY_MENTIONS
 */
export function mentionsIn(text: string, members: readonly Member[], ownId: string): string[] {
  if (members.length === 0) return [];
  const names = new Set(Array.from(text.matchAll(mention), ([, name = '']) => name.toLowerCase()));
  const everybody = names.delete(EVERYBODY) ? [EVERYBODY] : [];
  const named = members.filter(({ memberId, username }) => memberId !== ownId && names.has(username.toLowerCase()));
  if (named.length + everybody.length > chatLimits.mentions)
    throw fieldProblem('content', `must name at most ${chatLimits.mentions} members`, { code: 'TOO_MANY_MENTIONS' });
  return [...everybody, ...named.map(({ memberId }) => memberId)];
}
