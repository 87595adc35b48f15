import { requireNoAppPassword, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { MailRule } from '../../../contract/mail/rules.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { recordIds } from '../../../platform/store/record-id.ts';
import type { MailRuleRow } from '../../../platform/store/tables/mail.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { MessageFacts } from '../boxes/items.ts';
import { shownAddress } from '../message/address.ts';
import { checkedMailboxes } from '../sending/recipients.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { applyRules, type RuleOutcome } from './apply.ts';

const ofMember = writtenQuery<MailRuleRow>('select * from mail_rules where member_id = $1 order by place');
const SHOWN_ADDRESSES = 3;
const keyOf = ({ keys }: Pick<Context, 'keys'>) => deriveKey(keys.wrap, 'conclave/mail/rules/v1');
const context = (id: string) => utf8(`conclave/mail/rule/v1\0${id}`);

export async function listRules(ctx: Context, actor: Actor) {
  return { rules: await readRules(ctx, actor.memberId) };
}

export async function putRules(ctx: Context, actor: Actor, { rules }: { rules: readonly MailRule[] }) {
  for (const [index, rule] of rules.entries())
    checkedMailboxes(`rules.${index}.actions.forwardTo`, rule.actions.forwardTo ?? []);
  return await transaction(ctx, async (tx) => {
    const nextId = recordIds(tx.clock.now(), tx.random);
    const key = keyOf(tx);
    const before = await readRules(tx, actor.memberId);
    if (changesForwarding(before, rules)) requireNoAppPassword(actor, 'make or change a rule that forwards mail');
    await tx.db.deleteFrom('mail_rules').where('member_id', '=', actor.memberId).execute();
    const rows = rules.map((rule, place) => {
      const id = nextId();
      const sealed = sealWithKey(key, utf8(JSON.stringify(rule)), context(id), tx.random);
      return { id, member_id: actor.memberId, place, sealed };
    });
    if (rows.length > 0) await tx.db.insertInto('mail_rules').values(rows).execute();
    await noticeForwarding(tx, actor, before, rules);
    return { rules: await readRules(tx, actor.memberId) };
  });
}

export const isForwarding = ({ actions }: MailRule): boolean => (actions.forwardTo ?? []).length > 0;

/** As a text that is equal for equal rules, whatever the order of their fields. */
function contentOf({ name, enabled, conditions, actions, stop }: MailRule): string {
  const sorted = (fields: object) => Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, enabled, sorted(conditions), sorted(actions), stop]);
}

/**
 * Whether other mail might be forwarded than before. What a rule forwards depends on those before it, which can stop or move mail; so
 * everything up to the last rule that forwards has to be as it was. To end forwarding from the last one up changes nothing of the others.
 */
function changesForwarding(before: readonly MailRule[], after: readonly MailRule[]): boolean {
  const upTo = after.findLastIndex(isForwarding) + 1;
  return after.slice(0, upTo).some((rule, index) => {
    const earlier = before[index];
    return earlier === undefined || contentOf(earlier) !== contentOf(rule);
  });
}

/** Mail that goes elsewhere without a word is how accounts are spied on, so the member hears of each new rule. */
async function noticeForwarding(
  tx: Context,
  { memberId }: Actor,
  before: readonly MailRule[],
  after: readonly MailRule[],
): Promise<void> {
  const known = new Set(before.filter(isForwarding).map(contentOf));
  const made = after.filter((rule) => isForwarding(rule) && !known.has(contentOf(rule)));
  if (made.length === 0) return;
  const addresses = [...new Set(made.flatMap(({ actions }) => (actions.forwardTo ?? []).map(shownAddress)))];
  const shown = addresses.slice(0, SHOWN_ADDRESSES).join(', ');
  const more = addresses.length > SHOWN_ADDRESSES ? ` and ${addresses.length - SHOWN_ADDRESSES} more` : '';
  await notify(tx, {
    recipientId: memberId,
    type: 'security_alert',
    content: `A rule now forwards mail of yours to ${shown}${more}. If that was not you, change your password and remove the rule.`,
  });
}

/** A rule that can't be read is left out: it must not stop the others, or the mail. */
export async function readRules(ctx: Pick<Context, 'db' | 'keys' | 'log'>, memberId: string) {
  const { rows } = await ctx.db.executeQuery(ofMember(memberId));
  if (rows.length === 0) return [];
  const key = keyOf(ctx);
  return rows.flatMap(({ id, sealed }) => {
    try {
      const rule = JSON.parse(Buffer.from(openWithKey(key, sealed, context(id))).toString('utf8')) as MailRule;
      return [Object.assign(rule, { id })];
    } catch (error) {
      ctx.log.error('a rule for mail can not be read; it is left out', { error, memberId, ruleId: id });
      return [];
    }
  });
}

/** What the rules of a member say of a message. */
export async function rulesFor(
  ctx: Pick<Context, 'db' | 'keys' | 'log'>,
  memberId: string,
  facts: MessageFacts,
  more: { readonly automatic: boolean },
): Promise<RuleOutcome> {
  return applyRules(await readRules(ctx, memberId), facts, more);
}
