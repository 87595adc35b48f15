import { createHash } from 'node:crypto';
import { upload } from '../../../client/bodies.ts';
import { perform, type Caller } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import type { ReplyOf } from '../../../contract/operation.ts';
import { onePiece } from '../../../base/one-piece.ts';
import { Problem } from '../../../base/problem.ts';
import { addressList } from './address-list.ts';
import { givenMail, mailToSend, namedMailbox, recipientsIn } from './message.ts';
import type { SendmailWords } from './words.ts';

/** Reads all that is given, up to the limit for a message. @throws Problem tooLarge INPUT_TOO_LARGE */
export async function readAll(input: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of input) {
    size += piece.length;
    if (size > mailLimits.messageBytes) {
      const words = `The message is too large. At most ${mailLimits.messageBytes} bytes are allowed.`;
      throw new Problem('tooLarge', 'INPUT_TOO_LARGE', words);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Sends what another program wrote. @throws Problem invalid USAGE without recipients, EMAIL_MALFORMED, and as `mail.send-raw` does */
export async function sendGiven(
  caller: Caller,
  words: SendmailWords,
  octets: Buffer,
): Promise<ReplyOf<typeof mail.sendRaw>> {
  const given = givenMail(octets, words.dotsStay);
  const { address } = await perform(caller, mail.listMailboxes, {});
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const [sender = address] = words.sender === undefined ? [] : addressList(words.sender, domain).addresses;
  const named = words.recipients.flatMap((one) => addressList(one, domain).addresses);
  const inHeader = words.fromHeader ? recipientsIn(given, domain) : [];
  const everybody = [...new Set([...named, ...inHeader])];
  if (everybody.length === 0) {
    const missing = words.fromHeader ? 'To, Cc and Bcc name nobody.' : 'Give them as arguments, or use -t.';
    throw new Problem('invalid', 'USAGE', `The recipients are missing. ${missing}`);
  }
  const message = mailToSend(given, domain, namedMailbox(sender, words.name));
  // Without a list, the server takes those in the header, and says of them which is not valid.
  const recipients = named.length === 0 ? undefined : everybody.join(', ');
  const content = {
    type: 'message/rfc822',
    size: message.length,
    digests: { 'sha-256': createHash('sha256').update(message).digest('base64') },
    pieces: () => onePiece(message),
  };
  return await upload(caller, mail.sendRaw, { recipients }, content);
}
