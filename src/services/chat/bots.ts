import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { bots as contract, ChatBot } from '../../contract/chat/bots.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import type { BotRight } from '../../contract/scopes.ts';
import { timeFrom } from '../../base/iso-time.ts';
import { fieldProblem } from '../../base/problem.ts';
import type { BotTokenRow } from '../../platform/store/tables/bot-tokens.ts';
import { once } from '../../service/repeats.ts';
import { botsOf, conversationsOfBots, makeBot, removeBotOf, type BotScope } from '../../shared/conversations/bots.ts';
import { momentOf } from '../../shared/conversations/dto.ts';
import { audit } from '../../shared/members/audit.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { notify } from '../../shared/notifications/notify.ts';

type Contract = typeof contract;

export async function createBot(
  ctx: Context,
  actor: Actor,
  { name, scopes, expiresAt: expires }: InputOf<Contract['createBot']>,
): Promise<ReplyOf<Contract['createBot']>> {
  const expiresAt = expiryOf(ctx, expires);
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      const { token, row } = await makeBot(tx, actor, { name, scopes: scopes.map(scopeOf), expiresAt });
      const content = `A bot token was made for your account: ${JSON.stringify(name)}. If that was not you, change your password and remove it.`;
      await notify(tx, { recipientId: actor.memberId, type: 'security_alert', content });
      audit(tx, actor, 'chat.create-bot', actor.memberId, { program: row.id });
      return { token, bot: (await toBots(tx, actor.memberId, [row]))[0] as ChatBot };
    });
  });
}

function expiryOf({ clock }: Context, text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = timeFrom(text);
  if (at === undefined || at <= clock.now()) throw fieldProblem('expiresAt', 'must be in the future');
  return at;
}

/** The contract has checked its form. */
function scopeOf(scope: string): BotScope {
  const [, conversationId = '', right] = scope.split(':');
  return { conversationId, right: right as BotRight };
}

export async function bots(ctx: Context, { memberId }: Actor): Promise<ReplyOf<Contract['bots']>> {
  return { items: await toBots(ctx, memberId, await botsOf(ctx, memberId)) };
}

async function toBots(ctx: Context, memberId: string, rows: readonly BotTokenRow[]): Promise<ChatBot[]> {
  const rooms = await conversationsOfBots(
    ctx,
    memberId,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, name, created_at: createdAt, last_used_at: usedAt, expires_at: expiresAt }) => {
    const conversations = rooms.get(id) ?? [];
    return {
      botId: id,
      name,
      scopes: conversations.map(({ conversationId, right }) => `chat:${conversationId}:${right}`),
      conversations: [...conversations],
      createdAt: new Date(createdAt).toISOString(),
      lastUsedAt: momentOf(usedAt),
      expiresAt: momentOf(expiresAt),
    };
  });
}

export async function removeBot(
  ctx: Context,
  actor: Actor,
  { botId }: InputOf<Contract['removeBot']>,
): Promise<{ removed: true }> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await removeBotOf(tx, actor.memberId, botId);
    audit(tx, actor, 'chat.remove-bot', actor.memberId, { program: botId });
  });
  return { removed: true };
}
