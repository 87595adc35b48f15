import type { VaultNotice, VaultSummary } from '../../../contract/passvault/entry.ts';
import type { EmergencyAccess, EmergencyChange } from '../../../contract/passvault/emergency.ts';
import { moment, type Screen, type Unmeasured } from '../../kit/screen.ts';
import { details } from '../../kit/table.ts';

export function describeEmergency(screen: Screen, vault: string, access: EmergencyAccess): string {
  const { threshold, trustees, requests, recoveries, waitSeconds } = access;
  return details(screen, [
    ['Vault', vault],
    ['Trustees', trusteesText(access)],
    ['Needed', threshold === undefined ? '-' : `${threshold} of ${trustees.length}`],
    [
      'Share read by',
      trustees.flatMap((one) => (one.readAt === undefined ? [] : [one.username])).join(', ') || 'nobody',
    ],
    [
      'To be read by',
      trustees.flatMap((one) => (one.readAt === undefined ? [one.username] : [])).join(', ') || 'nobody',
    ],
    ['Waiting period', waitSeconds === 0 ? 'none' : waitText(waitSeconds)],
    ...requests.map(
      ({ username, endsAt }) =>
        ['Asks to recover', `${username}, can be denied until ${moment(screen, endsAt)}`] as const,
    ),
    ...recoveries.map(
      ({ username, recoveredAt }) => ['Recovered', `by ${username}, ${moment(screen, recoveredAt)}`] as const,
    ),
  ]);
}

/** The trustees, and how many of them are needed, on one line. */
export function emergencyText(access: EmergencyAccess): string {
  const { configured, threshold = 0, trustees } = access;
  return configured ? `${threshold} of ${trustees.length}: ${trusteesText(access)}` : 'none';
}

function trusteesText({ trustees }: EmergencyAccess): string {
  return trustees.map(({ username, active }) => (active ? username : `${username} (suspended)`)).join(', ') || 'none';
}

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A duration in the largest unit that gives a whole number. */
function waitText(seconds: number): string {
  const [unit, size] = steps.find(([, each]) => seconds % each === 0) ?? ['second', 1];
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`;
}

/** Notices for the owner of vaults, one line each. */
export function noticeLines(screen: Unmeasured, vaults: readonly VaultSummary[]): string[] {
  return vaults.flatMap(({ name, notices = [] }) => notices.map((notice) => noticeText(screen, name, notice)));
}

function noticeText(screen: Unmeasured, vault: string, { kind, username, at, endsAt }: VaultNotice): string {
  const name = JSON.stringify(vault);
  if (kind === 'RECOVERY_REQUESTED')
    return `${username} asks to recover ${vault}. It opens for them ${moment(screen, endsAt)}, unless you deny it: conclave vault emergency deny ${name}`;
  if (kind === 'RECOVERED')
    return `${username} recovered ${vault} with shares of its trustees, ${moment(screen, at)}. Dismiss this notice with: conclave vault emergency show ${name} --dismiss`;
  return `The emergency access of ${vault} has ended, because its shares were used. Set it up again: conclave vault emergency setup`;
}

/** The message after a change that replaced the shares of trustees. */
export function changeText({ state, threshold, trustees }: EmergencyChange, vault: string): string {
  if (state === 'ended')
    return `Its emergency access has ended: it needs ${threshold} trustees, and fewer are left. Set it up again: conclave vault emergency setup ${JSON.stringify(vault)}`;
  return `Earlier shares of its trustees stop working. Each of the ${trustees.length} trustees prints a new one with: conclave vault emergency share`;
}
