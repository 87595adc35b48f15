import { Problem } from '../base/problem.ts';
import type { BotRight } from '../contract/scopes.ts';

/** A token of a member for a program, which is limited to some of their conversations. */
export interface Bot {
  readonly id: string;
  readonly name: string;
  /** what it may do, by the ids of the conversations */
  readonly rooms: ReadonlyMap<string, BotRight>;
}

/**
 * @param right what is needed; undefined for what no bot token may do
 * @throws Problem forbidden INSUFFICIENT_SCOPE unless the token has the right in some conversation
 */
export function requireBotRight({ rooms }: Bot, right: BotRight | undefined): void {
  if (right === undefined) {
    const message =
      'A bot token cannot do this. It reads, or reads and writes, in the conversations that it was made for.';
    throw new Problem('forbidden', 'INSUFFICIENT_SCOPE', message);
  }
  if (![...rooms.values()].some((has) => includes(has, right))) throw lacking(right);
}

/**
 * @throws Problem forbidden INSUFFICIENT_SCOPE unless the token has the right in this conversation. It says nothing about whether there is
 *   such a conversation
 */
export function requireBotRoom({ rooms }: Bot, right: BotRight, conversationId: unknown): void {
  const has = typeof conversationId === 'string' ? rooms.get(conversationId) : undefined;
  if (has === undefined || !includes(has, right)) throw lacking(right);
}

function includes(has: BotRight, right: BotRight): boolean {
  return has === 'write' || right === 'read';
}

function lacking(right: BotRight): Problem {
  const message = `This bot token may not ${right} in this conversation. Make one that may.`;
  return new Problem('forbidden', 'INSUFFICIENT_SCOPE', message);
}
