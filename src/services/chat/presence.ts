import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { presence } from '../../contract/chat/presence.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { choosePresence, chosenStatus } from '../../shared/presence/choose.ts';
import { statusesSeenBy } from '../../shared/presence/statuses.ts';

type Contract = typeof presence;

export async function showPresence(
  ctx: Context,
  { memberId }: Actor,
  { memberIds = [] }: InputOf<Contract['showPresence']>,
): Promise<ReplyOf<Contract['showPresence']>> {
  const own = await chosenStatus(ctx, memberId);
  return { own, items: await statusesSeenBy(ctx, memberId, [memberIds].flat()) };
}

export async function setPresence(
  ctx: Context,
  { memberId }: Actor,
  { status }: InputOf<Contract['setPresence']>,
): Promise<ReplyOf<Contract['setPresence']>> {
  await choosePresence(ctx, memberId, status);
  return { own: status };
}
