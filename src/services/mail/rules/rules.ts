import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { MailRule } from '../../../contract/mail/rules.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { recordIds } from '../../../platform/store/record-id.ts';
import type { MailRuleRow } from '../../../platform/store/tables/mail.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { MessageFacts } from '../boxes/items.ts';
import { checkedMailboxes } from '../sending/recipients.ts';
import { applyRules, type RuleOutcome } from './apply.ts';

const ofMember = writtenQuery<MailRuleRow>('select * from mail_rules where member_id = $1 order by place');
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
    await tx.db.deleteFrom('mail_rules').where('member_id', '=', actor.memberId).execute();
    const rows = rules.map((rule, place) => {
      const id = nextId();
      const sealed = sealWithKey(key, utf8(JSON.stringify(rule)), context(id), tx.random);
      return { id, member_id: actor.memberId, place, sealed };
    });
    if (rows.length > 0) await tx.db.insertInto('mail_rules').values(rows).execute();
    return { rules: await readRules(tx, actor.memberId) };
  });
}

/** A rule that can't be read is left out: it must not stop the others, or the mail. */
async function readRules(ctx: Pick<Context, 'db' | 'keys' | 'log'>, memberId: string) {
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
