import { accountRates } from './accounts/limits.ts';
import { calendarRates } from './calendar/limits.ts';
import { chatRates } from './chat/limits.ts';
import { contactsRates } from './contacts/limits.ts';
import { filevaultRates } from './filevault/limits.ts';
import { mailRates } from './mail/limits.ts';
import { passvaultRates } from './passvault/limits.ts';
import { quorumRates } from './quorum/rates.ts';
import { socialRates } from './social/limits.ts';
import { mediaRates } from './social/media/limits.ts';

/** A rate as it is written in the configuration: `300/5m`, or `off`. */
export interface DeclaredRate {
  readonly rate: string;
  /** a description of the counted actions, for the person who configures it */
  readonly text: string;
}

/** A named rate limit. The configuration has an option for each of its rates: `limits.<key>.per_account` and `.per_address`. */
export interface DeclaredLimit {
  readonly key: string;
  readonly perAccount?: DeclaredRate;
  readonly perAddress?: DeclaredRate;
}

/** The limits of operations that name none: reads for GET, writes for other methods. */
const generalRates = {
  write: {
    key: 'write',
    perAccount: { rate: '300/5m', text: 'Other writes of one member' },
    perAddress: { rate: '300/5m', text: 'Other writes of guests from one address' },
  },
  read: {
    key: 'read',
    perAccount: { rate: '3000/5m', text: 'Reads of one member' },
    perAddress: { rate: '3000/5m', text: 'Reads of guests from one address' },
  },
} as const satisfies Readonly<Record<string, DeclaredLimit>>;

/** All named limits. A service declares its own limits in its limits.ts, so that its requests do not use up the limits of others. */
export const rates = {
  ...accountRates,
  ...calendarRates,
  ...chatRates,
  ...contactsRates,
  ...filevaultRates,
  ...mailRates,
  ...passvaultRates,
  ...quorumRates,
  ...socialRates,
  ...mediaRates,
  ...generalRates,
};

export type LimitName = keyof typeof rates;

/** Whether a limit is one of those that operations without their own have. */
export function isGeneral(name: LimitName): boolean {
  return name in generalRates;
}
