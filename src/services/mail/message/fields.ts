import type { AttachmentInput } from '../../../contract/mail/fields.ts';
import { fieldsProblem, type FieldProblem } from '../../../base/problem.ts';
import type { NamedMailbox } from './addresses.ts';

/** What a message says in its header fields, before it is composed. */
export interface HeaderFields {
  readonly from: NamedMailbox;
  readonly replyTo?: readonly NamedMailbox[];
  readonly to: readonly NamedMailbox[];
  readonly cc: readonly NamedMailbox[];
  readonly bcc: readonly NamedMailbox[];
  readonly subject: string;
  readonly textBody?: string | undefined;
  readonly htmlBody?: string | undefined;
}

/** Octets of one unbroken line (RFC 5322, 2.1.1), with room for the name of a field and an encoding. */
const LONGEST_SUBJECT = 998;
const LONGEST_FILENAME = 255;

/** C0, DEL, C1, the separators of lines and paragraphs, and halves of characters. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const broken = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u;
// oxlint-disable-next-line no-control-regex -- as above
const brokenText = /\u0000|\p{Surrogate}/u;
/** Characters that turn the direction of text: a name can look like another one. */
const turning = /[\u202a-\u202e\u2066-\u2069]/;
/** RFC 2045, 5.1 */
const token = "[!#$%&'*+.^_`{|}~0-9A-Za-z-]+";
const contentType = new RegExp(`^(${token})/(${token})((?:\\s*;\\s*${token}=(?:${token}|"[^"\\\\\\r\\n]*"))*)$`);
/** RFC 5322, 3.6.4; without obsolete forms */
const messageId = /^[^\s<>@"(),:;\\[\]]+@[^\s<>@"(),:;\\]+$/;
const contentId = /^[^\s<>"(),:;\\[\]]{1,250}$/;

/**
 * Checks what a member writes, so that nothing of it becomes another field, another address or another part. Nothing is cleaned silently.
 * @throws Problem invalid VALIDATION_ERROR that names each field
 */
export function checkMessage(
  fields: HeaderFields,
  attachments: readonly Pick<AttachmentInput, 'filename' | 'contentType' | 'contentId'>[],
): void {
  const wrong: FieldProblem[] = [];
  const check = (path: string, message: string, isRight: boolean): void => {
    if (!isRight) wrong.push({ path, message });
  };
  check('subject', 'must be one line without control characters', !broken.test(fields.subject));
  const length = Buffer.byteLength(fields.subject);
  check('subject', `must be at most ${LONGEST_SUBJECT} bytes of UTF-8`, length <= LONGEST_SUBJECT);
  for (const name of ['from', 'replyTo', 'to', 'cc', 'bcc'] as const)
    for (const [index, { displayName = '' }] of [fields[name] ?? []].flat().entries()) {
      const path = name === 'from' ? 'from.displayName' : `${name}.${index}.displayName`;
      check(path, 'must not contain control characters', !broken.test(displayName));
    }
  for (const name of ['textBody', 'htmlBody'] as const)
    check(name, 'must be well-formed Unicode without NUL', !brokenText.test(fields[name] ?? ''));
  for (const [index, one] of attachments.entries()) checkAttachment(`attachments.${index}`, one, check);
  if (wrong.length > 0) throw fieldsProblem(wrong.slice(0, 20), Math.max(0, wrong.length - 20));
}

function checkAttachment(
  path: string,
  { filename, contentType: type, contentId: id }: Pick<AttachmentInput, 'filename' | 'contentType' | 'contentId'>,
  check: (path: string, message: string, isRight: boolean) => void,
): void {
  if (filename !== undefined) {
    const plain = !broken.test(filename) && !turning.test(filename) && !/[/\\]/.test(filename);
    check(`${path}.filename`, 'must be a file name without path separators or control characters', plain);
    check(`${path}.filename`, 'must be the name of a file', !['.', '..'].includes(filename) && filename.trim() !== '');
    const fits = Buffer.byteLength(filename) <= LONGEST_FILENAME;
    check(`${path}.filename`, `must be at most ${LONGEST_FILENAME} bytes of UTF-8`, fits);
  }
  if (type !== undefined) {
    const main = contentType.exec(type)?.[1]?.toLowerCase();
    check(`${path}.contentType`, 'must be a media type such as application/pdf', main !== undefined);
    const divided = main === 'multipart' || /^message\/(?:partial|external-body)\b/i.test(type);
    check(`${path}.contentType`, 'must not be a type that other parts belong to', !divided);
  }
  if (id !== undefined)
    check(`${path}.contentId`, 'must be an id without spaces and brackets', contentId.test(id) && !broken.test(id));
}

/** Whether a text can stand in Message-ID, In-Reply-To and References. */
export function isMessageId(text: string): boolean {
  return messageId.test(text) && text.length <= 900 && !broken.test(text);
}
