import type { ShownMailbox } from '../../../contract/mail/fields.ts';
import { addressKey, addressOf, type Mailbox } from './address.ts';

/** An address as a message has it. What is no valid address has only its text. */
export interface Address {
  readonly address: string;
  readonly localPart?: string;
  readonly domain?: string;
  readonly displayName?: string;
}

export interface NamedMailbox extends Mailbox {
  readonly displayName?: string;
}

export function addressFrom({ localPart, domain, displayName }: NamedMailbox): Address {
  const address = addressOf({ localPart, domain });
  return { address, localPart, domain, ...(displayName !== undefined && displayName !== '' && { displayName }) };
}

/** @returns undefined for what no mail can be sent to */
export function mailboxOf({ localPart, domain, displayName }: Address): NamedMailbox | undefined {
  if (localPart === undefined || domain === undefined) return undefined;
  return { localPart, domain, ...(displayName !== undefined && { displayName }) };
}

/** Equal for what is the same mailbox. */
export function keyOfAddress(address: Address): string {
  const mailbox = mailboxOf(address);
  return mailbox === undefined ? address.address.toLowerCase() : addressKey(mailbox);
}

/** As an answer shows it. What was received may have an empty name. */
export function shownMailboxOf({ address, localPart = '', domain = '', displayName = '' }: Address): ShownMailbox {
  return { address, localPart, domain, ...(displayName !== '' && { displayName }) };
}
