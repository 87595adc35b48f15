import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { filesOf } from '../../../shared/attachments/sealed-parts.ts';
import type { Context } from '../../../service/context.ts';
import type { DigestRecipient, PreparedMail } from '../../../shared/notifications/digests/digest.ts';
import { mailboxOfMember, ownDomain } from '../own-mailbox.ts';
import { addContent, dropUnused } from '../storage/contents.ts';
import { wrapForMembers } from '../storage/member-keys.ts';
import { makeMessage } from './composing.ts';
import { deliver, localRecipients, prepareAll } from './local.ts';

/** No username has a point in it, so this is nobody's mailbox. */
export const SENDER = 'no.reply';

/** Makes a message of the node for the mailbox of one of its members. Nobody is notified of it. */
export async function prepareDigest(
  ctx: Context,
  { memberId, username }: DigestRecipient,
  { subject, text }: { readonly subject: string; readonly text: string },
): Promise<PreparedMail> {
  const mailbox = mailboxOfMember(ctx, username);
  const made = await makeMessage(ctx, {
    from: { localPart: SENDER, domain: ownDomain(ctx), displayName: 'Conclave' },
    to: [mailbox],
    cc: [],
    bcc: [],
    subject,
    textBody: text,
    attachments: [],
    references: [],
    generated: true,
  });
  const drop = async (): Promise<void> => await withdrawBlocks(ctx, filesOf(made.fresh));
  const recipients = await localRecipients(ctx, [mailbox]);
  const [prepared] = (await prepareAll(ctx, recipients, made.facts, { automatic: true })).values();
  return {
    drop,
    async deliver(tx) {
      const content = made.shared;
      await addContent(tx, content, [], new Set(filesOf(made.fresh)));
      const origin = `digest:${made.messageId}`;
      const failure =
        prepared === undefined ? undefined : await deliver(tx, content.id, prepared, { origin, silent: true });
      if (prepared === undefined || failure !== undefined) await dropUnused(tx, content.id);
      else await wrapForMembers(tx, content, [memberId]);
    },
  };
}
