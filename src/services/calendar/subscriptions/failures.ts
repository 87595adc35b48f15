import { Problem } from '../../../base/problem.ts';
import { AnswerUnfit } from '../../../platform/outbound/get.ts';
import { OutgoingRefused } from '../../../platform/outbound/post.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';

/** Why a calendar elsewhere was not read. None of it names the address, or what was found behind it. */
const texts: Readonly<Record<string, string>> = {
  ADDRESS_REFUSED: 'The address, or one that it redirects to, is not an https address of the public internet.',
  UNREACHABLE: 'Nothing answered in time, or the connection failed.',
  ANSWER_UNFIT: `The answer is longer than ${calendarLimits.subscriptionBytes / 1024 ** 2} MiB, or is packed in another way than gzip.`,
  NOT_A_CALENDAR: 'The answer is not a whole iCalendar file.',
  STORAGE_QUOTA_EXCEEDED: 'Your storage quota is used up. Delete something, or ask the operator for a higher one.',
  EVENTS_FULL: `The calendar has more than ${calendarLimits.events} events.`,
  FAILED: 'The calendar could not be read. The log of the node says why.',
};

const statusForm = /^STATUS_(\d{3})$/;

export function failureText(code: string): string {
  const [, status] = statusForm.exec(code) ?? [];
  if (status !== undefined) return `The server answered with status ${status}.`;
  return texts[code] ?? texts['FAILED'] ?? '';
}

/** What went wrong with one reading of an address. */
export class RefreshFailed extends Error {
  readonly code: string;
  readonly retryAfterMs: number;

  constructor(code: string, { retryAfterMs = 0, ...options }: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(code, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** @returns undefined for what nobody thought of */
export function failureOf(error: unknown): RefreshFailed | undefined {
  if (error instanceof RefreshFailed) return error;
  if (error instanceof OutgoingRefused) return new RefreshFailed('ADDRESS_REFUSED', { cause: error });
  if (error instanceof AnswerUnfit) return new RefreshFailed('ANSWER_UNFIT', { cause: error });
  if (error instanceof Problem && Object.hasOwn(texts, error.code))
    return new RefreshFailed(error.code, { cause: error });
  return undefined;
}
