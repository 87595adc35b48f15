import type { EmailMetadata, ShownMailbox } from '../../../contract/mail/fields.ts';

/** Whom the draft of an answer goes to, as the server would send it. @param own the address of the one who answers */
export function recipientsOfAnswer(
  { from, to, cc, replyTo = [] }: Pick<EmailMetadata, 'from' | 'to' | 'cc' | 'replyTo'>,
  own: string,
  replyAll: boolean,
) {
  const others = (those: readonly ShownMailbox[]) =>
    those.filter((one) => isAddress(one) && one.address !== own).map(given);
  const asked = replyTo.filter(isAddress);
  return {
    to: others(from.address === own ? to : asked.length > 0 ? asked : [from]),
    cc: replyAll ? others([...to, ...cc].filter(({ address }) => address !== from.address)) : [],
  };
}

/** What is no address in a message has only its text, and no mail can be sent to it. */
function isAddress({ localPart, domain }: ShownMailbox): boolean {
  return localPart !== '' && domain !== '';
}

export function given({ localPart, domain, displayName }: ShownMailbox) {
  return { localPart, domain, ...(displayName !== undefined && { displayName }) };
}
