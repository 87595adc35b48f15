import * as v from 'valibot';
import { memberId, secretText, timestamp } from '../text.ts';
import { passwordLimits } from './limits.ts';

/** Schemas that the operations on accounts share. */

export const role = v.object({
  _id: v.string(),
  name: v.picklist(['User', 'Admin', 'System']),
  admin: v.boolean(),
  member: v.boolean(),
  child: v.boolean(),
  system: v.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
  createdBy: v.string(),
  updatedBy: v.string(),
});

const userEntries = {
  id: memberId,
  username: v.string(),
  email: v.string(),
  roles: v.array(role),
  rolePrivileges: v.object({ admin: v.boolean(), member: v.boolean(), child: v.boolean(), system: v.boolean() }),
  emailVerified: v.boolean(),
  timezone: v.string(),
  siteLanguage: v.string(),
  darkMode: v.boolean(),
  currency: v.string(),
  directChallenge: v.boolean(),
};
export const user = v.object(userEntries);
export type User = v.InferOutput<typeof user>;

export const verifiedUser = v.object({ ...userEntries, lastLogin: v.optional(timestamp) });

export const signedIn = v.object({ token: v.string(), memberId, energyBalance: v.number() });

export const password = secretText(passwordLimits.max);
export const mnemonic = secretText(512);
