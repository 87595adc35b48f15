import { addressParser } from 'postal-mime';
import type { Actor } from '../../../service/actor.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import type { Context } from '../../../service/context.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { earlierReply } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { addressKey, mailboxIn } from '../message/address.ts';
import { addressFrom, keyOfAddress, mailboxOf, type Address, type NamedMailbox } from '../message/addresses.ts';
import { withHead } from '../message/outgoing-head.ts';
import type { ParsedMessage } from '../message/parse.ts';
import { assertOwn, type Owner } from '../own-mailbox.ts';
import { parsedContent } from '../reading/body.ts';
import { newContent } from '../storage/contents.ts';
import { takeIn } from '../storage/intake.ts';
import { factsOf, structureOf } from '../storage/structure.ts';
import { filesOf } from '../../../shared/attachments/sealed-parts.ts';
import { newMessageId } from './composing.ts';
import { everyRecipient, type Recipient } from './recipients.ts';
import { refuseUnknown } from './unknown-mailboxes.ts';
import { sendMade, type SentReply } from './send.ts';

export async function sendRaw(
  ctx: Context,
  actor: Actor,
  { recipients }: { readonly recipients?: string | undefined },
  { body }: Upload,
): Promise<SentReply> {
  const named = recipients === undefined ? undefined : readRecipients(recipients);
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as SentReply;
  if (named !== undefined) await refuseUnknown(ctx, { recipients: named });
  return await submit(ctx, actor, body, named, {
    async check(everybody) {
      const of = (kind: Recipient['kind']) =>
        everybody.filter((one) => one.kind === kind).map(({ mailbox }) => mailbox);
      if (named === undefined) await refuseUnknown(ctx, { to: of('to'), cc: of('cc'), bcc: of('bcc') });
    },
  });
}

function readRecipients(text: string): NamedMailbox[] {
  return text.split(',').map((one, index) => {
    const mailbox = mailboxIn(one.trim());
    if (mailbox === undefined) throw fieldProblem(`recipients.${index}`, 'is not a valid address');
    return mailbox;
  });
}

/**
 * Sends a message that another program wrote.
 * @param named everybody who gets it; undefined: those whom its header fields name
 * @param check may refuse them before anything is sent
 * @param unseen whoever sends it sees no answer but that it was taken
 * @throws Problem invalid EMAIL_MALFORMED, VALIDATION_ERROR, forbidden FORBIDDEN, and as `send` does
 */
export async function submit(
  ctx: Context,
  owner: Actor,
  octets: AsyncIterable<Uint8Array>,
  named: readonly NamedMailbox[] | undefined,
  { check, unseen = false }: { check?: (recipients: readonly Recipient[]) => Promise<void>; unseen?: boolean } = {},
): Promise<SentReply> {
  const now = ctx.clock.now();
  // Those in Bcc are read before the field goes.
  const blind: NamedMailbox[] = [];
  const head = {
    remove: ['bcc', 'resent-bcc', 'return-path'],
    add: {
      'Message-ID': () => `<${newMessageId(ctx)}>`,
      Date: () => new Date(now).toUTCString().replace('GMT', '+0000'),
    },
    removed: (name: string, value: string) => void (name === 'bcc' && blind.push(...mailboxesIn(value))),
  };
  const taken = await takeIn(ctx, withHead(octets, head));
  const fresh = new Set(taken.parts);
  let kept = false;
  try {
    const parsed = await parsedContent(ctx, taken);
    const from = author(ctx, owner, parsed);
    const recipients = named === undefined ? namedIn(parsed, blind) : whoGetsIt(parsed, named);
    await check?.(recipients);
    const content = newContent(ctx, recordId(now, ctx.random), { ...taken, structure: structureOf(parsed) });
    const facts = factsOf(parsed, content.size, newMessageId(ctx));
    const bcc = recipients.filter(({ kind }) => kind === 'bcc').map(({ mailbox }) => addressFrom(mailbox));
    const ownFacts = bcc.length === 0 ? facts : { ...facts, summary: { ...facts.summary, bcc } };
    const { messageId, subject, date = now } = facts;
    const made = {
      messageId,
      subject,
      date,
      from,
      to: facts.summary.to,
      shared: content,
      own: content,
      facts,
      ownFacts,
      fresh,
    };
    const done = await sendMade(ctx, owner, made, {
      recipients,
      sendAt: undefined,
      automatic: isAutomatic(parsed),
      unseen,
      // The octets may have come for minutes.
      before: async (tx) => await assertStillSignedIn(tx, owner),
    });
    kept = done.fresh;
    return done.reply;
  } finally {
    if (!kept) await withdrawBlocks(ctx, filesOf(fresh));
  }
}

/** The mailbox of the caller that the message is from. */
function author(ctx: Context, owner: Owner, { from }: ParsedMessage): Address {
  const [first, ...others] = from;
  const mailbox = first === undefined || others.length > 0 ? undefined : mailboxOf(first);
  if (mailbox === undefined) throw malformed('has no From with one valid address');
  return addressFrom({
    ...assertOwn(ctx, owner, mailbox),
    ...(mailbox.displayName !== undefined && { displayName: mailbox.displayName }),
  });
}

function namedIn({ to, cc }: ParsedMessage, bcc: readonly NamedMailbox[]): Recipient[] {
  const valid = (addresses: readonly Address[]) =>
    addresses.map((one) => {
      const mailbox = mailboxOf(one);
      if (mailbox === undefined) throw malformed('names a recipient whose address is not valid');
      return mailbox;
    });
  return everyRecipient({ to: valid(to), cc: valid(cc), bcc });
}

/** Who is not in To or Cc of the message gets a blind copy. */
function whoGetsIt({ to, cc }: ParsedMessage, named: readonly NamedMailbox[]): Recipient[] {
  const keysOf = (addresses: readonly Address[]) => new Set(addresses.map(keyOfAddress));
  const [inTo, inCc] = [keysOf(to), keysOf(cc)];
  const kindOf = (mailbox: NamedMailbox) =>
    inTo.has(addressKey(mailbox)) ? 'to' : inCc.has(addressKey(mailbox)) ? 'cc' : 'bcc';
  const those = (kind: string) => named.filter((one) => kindOf(one) === kind);
  return everyRecipient({ to: those('to'), cc: those('cc'), bcc: those('bcc') });
}

function mailboxesIn(value: string): NamedMailbox[] {
  return addressParser(value, { flatten: true }).flatMap(({ address = '' }) => mailboxIn(address) ?? []);
}

/** RFC 3834, 5: a program sent it. */
export function isAutomatic({ headers }: Pick<ParsedMessage, 'headers'>): boolean {
  return headers.some(({ name, value }) => name.toLowerCase() === 'auto-submitted' && !/^\s*no\b/i.test(value));
}

function malformed(reason: string): Problem {
  return new Problem('invalid', 'EMAIL_MALFORMED', `The message ${reason}.`);
}
