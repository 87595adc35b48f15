import MimeNode from 'nodemailer/lib/mime-node';
import { writtenMailbox, writtenText } from './header-text.ts';
import type { NamedMailbox } from './addresses.ts';

/** A recipient whom a message did not reach. */
export interface Unreached {
  readonly address: string;
  readonly code: string;
  /** a sentence for people */
  readonly reason: string;
}

export interface NoticeFields {
  /** without <> */
  readonly messageId: string;
  /** milliseconds since 1970 */
  readonly date: number;
  readonly from: NamedMailbox;
  readonly to: NamedMailbox;
  /** of the message that it is about */
  readonly original: {
    readonly messageId: string;
    readonly subject: string;
    readonly sentAt: number;
    readonly head: string;
  };
  readonly failed: readonly Unreached[];
}

/** RFC 3463; what other nodes say besides is 5.0.0. */
const statusOf: Readonly<Record<string, string>> = {
  NO_SUCH_MAILBOX: '5.1.1',
  MAILBOX_FULL: '5.2.2',
  MESSAGE_TOO_LARGE: '5.3.4',
  NO_ROUTE: '5.4.4',
  RELAY_LIMIT: '5.7.1',
  RELAY_FAILED: '4.4.7',
  EXPIRED: '4.4.7',
  BLOCKED: '5.7.1',
};

/**
 * Composes a delivery status notification (RFC 3464, for addresses beyond ASCII RFC 6533) with the head of the message that it is about.
 * It has an empty return path, so that nobody answers it with another one.
 */
export async function composeNotice(fields: NoticeFields): Promise<Buffer> {
  const { original } = fields;
  const report = new MimeNode('multipart/report; report-type=delivery-status', { newline: 'windows' });
  report.addHeader('Message-ID', `<${fields.messageId}>`);
  report.addHeader('Date', rfc5322(fields.date));
  report.addHeader('References', `<${original.messageId}>`);
  report.createChild('text/plain; charset=utf-8').setContent(textFor(fields));
  const status = statusText(fields);
  addPlain(report, isAscii(status) ? 'message/delivery-status' : 'message/global-delivery-status', status);
  addPlain(report, isAscii(original.head) ? 'text/rfc822-headers' : 'message/global-headers', original.head);
  const head = [
    ['Return-Path', '<>'],
    ['From', writtenMailbox(fields.from)],
    ['To', writtenMailbox(fields.to)],
    [
      'Subject',
      writtenText(`Not delivered: ${original.subject === '' ? 'your message' : original.subject}`.slice(0, 200)),
    ],
    ['Auto-Submitted', 'auto-replied'],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(head.join('')), await report.build()]);
}

/** Programs read these parts, so they stand as they are. */
function addPlain(report: MimeNode, type: string, content: string): void {
  const part = report.createChild(type).setContent(content);
  if (!isAscii(content)) part.addHeader('Content-Transfer-Encoding', '8bit');
}

/** What people read. */
function textFor({ original, failed }: Pick<NoticeFields, 'original' | 'failed'>): string {
  const title = original.subject === '' ? 'Your message' : `Your message "${original.subject}"`;
  return [
    `${title} of ${rfc5322(original.sentAt)} did not reach:`,
    '',
    ...failed.map(({ address, reason }) => `  ${address}\n    ${reason}`),
    '',
    'The server wrote this message. Nobody reads answers to it.',
    '',
  ].join('\n');
}

function statusText({ date, from, original, failed }: NoticeFields): string {
  const groups = [
    [`Reporting-MTA: dns; ${from.domain}`, `Arrival-Date: ${rfc5322(original.sentAt)}`],
    ...failed.map(({ address, code, reason }) => [
      `Final-Recipient: ${isAscii(address) ? 'rfc822' : 'utf-8'}; ${address}`,
      'Action: failed',
      `Status: ${statusOf[code] ?? '5.0.0'}`,
      `Diagnostic-Code: x-conclave; ${code} ${reason.replaceAll(/[\r\n]+/g, ' ').slice(0, 500)}`,
      `Last-Attempt-Date: ${rfc5322(date)}`,
    ]),
  ];
  return groups.map((lines) => lines.map((line) => `${line}\r\n`).join('')).join('\r\n');
}

function rfc5322(at: number): string {
  return new Date(at).toUTCString().replace('GMT', '+0000');
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
