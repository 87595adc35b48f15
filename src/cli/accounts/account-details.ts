import type { accounts } from '../../contract/accounts.ts';
import type { Profile } from '../../contract/accounts/profile.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { bytes, moment, yesNo, type Screen } from '../kit/screen.ts';
import { details } from '../kit/table.ts';
import { wholeNumber } from '../../base/whole-number.ts';

type Fact = readonly [name: string, value: string];

export function describeProfile(screen: Screen, data: Profile): string {
  return details(screen, [
    ['Username', data.username],
    ['E-mail', data.email],
    ['Id', data.memberId],
    ['Balance', `${data.energyBalance} (${data.availableBalance} available, ${data.reserved} reserved)`],
    ['Earned, spent', `${data.earned}, ${data.spent}`],
    ['Reputation', String(data.reputation)],
    ['Registered', moment(screen, data.createdAt)],
    ['Changed', moment(screen, data.lastUpdated)],
    ...storageDetails(screen, data.profile),
  ]);
}

function storageDetails(screen: Screen, profile: Profile['profile']): Fact[] {
  if (profile === undefined) return [];
  const { autoReplication, minRedundancy, preferredRegions } = profile.settings;
  return [
    ['Status', profile.status],
    [
      'Storage',
      `${bytes(wholeNumber(profile.storageUsed) ?? 0)} of ${bytes(wholeNumber(profile.storageQuota) ?? 0)} (attachments in your vaults)`,
    ],
    ['Last active', moment(screen, profile.lastActive)],
    ['Auto replication', yesNo(autoReplication)],
    ['Min. redundancy', String(minRedundancy)],
    ['Regions', preferredRegions.length === 0 ? 'any' : preferredRegions.join(', ')],
  ];
}

export function describeSettings(screen: Screen, settings: ReplyOf<(typeof accounts)['settings']>['settings']): string {
  return details(screen, [
    ['E-mail', settings.email],
    ['Time zone', settings.timezone],
    ['Language', settings.siteLanguage],
    ['Currency', settings.currency],
    ['Dark mode', yesNo(settings.darkMode)],
    ['Direct challenge', yesNo(settings.directChallenge)],
  ]);
}
