import type { Context } from '../../../service/context.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { Problem } from '../../../base/problem.ts';
import type { Submission } from '../../../service/ports/submission.ts';
import { mailboxIn, type Mailbox } from '../message/address.ts';
import { nodeServing } from '../network/routes.ts';
import { assertOwn } from '../own-mailbox.ts';
import { submit } from './raw.ts';
import { unknownMailboxes } from './unknown-mailboxes.ts';

/** How e-mail takes what programs submit over SMTP. */
export function mailSubmission(ctx: Context): Submission {
  return {
    maxBytes: mailLimits.messageBytes,
    maxRecipients: mailLimits.recipients,
    checkSender(actor, address) {
      // RFC 5321, 4.5.5: nobody wants to hear that it failed. From of the message is checked all the same.
      if (address !== '') assertOwn(ctx, actor, checkedAddress(address));
    },
    async checkRecipient(address) {
      const mailbox = checkedAddress(address);
      const served = await nodeServing(ctx, mailbox.domain);
      if (served === undefined) throw unknown(`No node of the pool takes mail for ${mailbox.domain}.`);
      const [nobody] = await unknownMailboxes(ctx, [mailbox]);
      if (nobody !== undefined) throw unknown(`There is no mailbox ${nobody}.`);
    },
    async submit(own, actor, recipients, octets) {
      return (await submit(own, actor, octets, recipients.map(checkedAddress), { unseen: true })).messageId;
    },
  };
}

function checkedAddress(address: string): Mailbox {
  const mailbox = mailboxIn(address);
  if (mailbox === undefined) throw new Problem('invalid', 'VALIDATION_ERROR', 'The address is not valid.');
  return mailbox;
}

function unknown(message: string): Problem {
  return new Problem('missing', 'NOT_FOUND', message);
}
