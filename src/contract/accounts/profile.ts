import * as v from 'valibot';
import { operation } from '../operation.ts';
import { line, memberId, timestamp } from '../text.ts';
import { user } from './user.ts';

export const shownProfile = v.object({
  memberId,
  username: v.string(),
  email: v.string(),
  energyBalance: v.number(),
  availableBalance: v.number(),
  earned: v.number(),
  spent: v.number(),
  reserved: v.number(),
  reputation: v.number(),
  createdAt: timestamp,
  lastUpdated: timestamp,
  profile: v.optional(
    v.object({
      status: v.string(),
      storageQuota: v.pipe(v.string(), v.description('storage quota of the member on this node, in bytes')),
      storageUsed: v.pipe(v.string(), v.description('bytes of the attachments in their password vaults')),
      lastActive: timestamp,
      dateCreated: timestamp,
      settings: v.object({
        autoReplication: v.boolean(),
        minRedundancy: v.number(),
        preferredRegions: v.array(v.string()),
      }),
    }),
  ),
});
export type Profile = v.InferOutput<typeof shownProfile>;

export const settings = v.object({
  email: v.string(),
  timezone: v.string(),
  currency: v.string(),
  siteLanguage: v.string(),
  darkMode: v.boolean(),
  directChallenge: v.boolean(),
});

/** Operations on a member's profile and display settings. */
export const profile = {
  profile: operation({
    id: 'account.profile',
    method: 'GET',
    path: '/api/user/profile',
    envelope: 'account',
    auth: 'member',
    summary: 'Show the profile and the energy account',
    description: 'Only for the member of the token.',
    input: v.object({}),
    reply: v.object({ data: shownProfile }),
    status: 200,
    message: 'Profile',
    errors: [],
  }),
  updateProfile: operation({
    id: 'account.update-profile',
    method: 'PUT',
    path: '/api/user/profile',
    envelope: 'account',
    auth: 'member',
    summary: 'Change the member-store settings; omitted fields stay',
    description: 'The settings say how the data of the member is stored, not how it is shown.',
    input: v.object({
      settings: v.object({
        autoReplication: v.optional(v.boolean()),
        minRedundancy: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
        preferredRegions: v.optional(v.pipe(v.array(line(64)), v.maxLength(32, 'must name at most 32 regions'))),
      }),
    }),
    reply: v.object({ data: shownProfile }),
    status: 200,
    message: 'Profile updated',
    errors: [],
  }),
  settings: operation({
    id: 'account.settings',
    method: 'GET',
    path: '/api/user/settings',
    envelope: 'account',
    auth: 'member',
    summary: 'Show the display settings',
    description: 'Time zone, language, currency and the like, for programs that show something to the member.',
    input: v.object({}),
    reply: v.object({ settings }),
    status: 200,
    message: 'Settings',
    errors: [],
  }),
  updateSettings: operation({
    id: 'account.update-settings',
    method: 'POST',
    path: '/api/user/settings',
    envelope: 'account',
    auth: 'member',
    summary: 'Change display settings; omitted fields stay',
    description: 'Every value is checked: a time zone that does not exist is refused.',
    input: v.object({
      timezone: v.optional(v.pipe(line(64), v.description('IANA time zone'))),
      darkMode: v.optional(v.boolean('must be true or false')),
      siteLanguage: v.optional(v.pipe(line(64), v.description('BCP 47 language tag'))),
      currency: v.optional(v.pipe(line(3), v.description('ISO 4217 currency code'))),
      directChallenge: v.optional(
        v.pipe(
          v.boolean('must be true or false'),
          v.description('allow sign-in by key: you sign a challenge instead of giving the password'),
        ),
      ),
    }),
    reply: v.object({ user }),
    status: 200,
    message: 'Settings updated',
    errors: [],
  }),
};
