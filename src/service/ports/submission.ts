import type { Actor } from '../actor.ts';
import type { Context } from '../context.ts';

/** What takes the messages that programs submit over SMTP. The service of e-mail provides it. */
export interface Submission {
  /** octets of a message at most */
  readonly maxBytes: number;
  readonly maxRecipients: number;
  /**
   * Checks the envelope sender.
   * @param address as the program wrote it, without angle brackets
   * @throws Problem forbidden FORBIDDEN for the mailbox of somebody else
   */
  checkSender(actor: Actor, address: string): void;
  /**
   * Checks one recipient, so that the program hears of a mistake at once. What another node decides is not known then.
   * @throws Problem invalid VALIDATION_ERROR, missing NO_SUCH_MAILBOX, NO_ROUTE
   */
  checkRecipient(address: string): Promise<void>;
  /**
   * Sends a message. When it returns, the message is durable.
   * @param recipients everybody who gets it
   * @returns its Message-ID
   * @throws Problem as `mail.sendRaw` does
   */
  submit(ctx: Context, actor: Actor, recipients: readonly string[], octets: AsyncIterable<Uint8Array>): Promise<string>;
}
