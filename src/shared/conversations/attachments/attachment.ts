import type { ChatAttachment } from '../../../contract/chat/message.ts';

/** A file as a message has it, sealed with its text. Whoever can open the text can open the file. */
export interface SealedAttachment {
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  /** bytes */
  readonly size: number;
  /** base64 of the 32 bytes of the key of its content; no reply and no event has it in clear */
  readonly key: string;
}

/** What its readers see of it. */
export function toAttachment({ id, filename, mimeType, size }: SealedAttachment): ChatAttachment {
  return { id, filename, mimeType, size, url: `/api/chat/attachments/${id}` };
}
