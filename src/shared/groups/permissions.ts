import type { RoomRole } from '../../platform/store/tables/rooms.ts';

/** What a role in a room may allow, as document 3 names it. */
export type RoomPermission =
  | 'SEND_MESSAGES'
  | 'DELETE_OWN_MESSAGES'
  | 'DELETE_ANY_MESSAGE'
  | 'MANAGE_MEMBERS'
  | 'MANAGE_ROLES'
  | 'MANAGE_CHANNEL'
  | 'CREATE_INVITES'
  | 'PIN_MESSAGES'
  | 'MUTE_MEMBERS'
  | 'KICK_MEMBERS';

const ofMembers = ['SEND_MESSAGES', 'DELETE_OWN_MESSAGES'] as const;
const ofModerators = [...ofMembers, 'DELETE_ANY_MESSAGE', 'PIN_MESSAGES', 'MUTE_MEMBERS', 'KICK_MEMBERS'] as const;
const ofAdmins = [...ofModerators, 'MANAGE_MEMBERS', 'CREATE_INVITES'] as const;
const ofOwners = [...ofAdmins, 'MANAGE_ROLES', 'MANAGE_CHANNEL'] as const;

const permissions: Readonly<Record<RoomRole, readonly RoomPermission[]>> = {
  owner: ofOwners,
  admin: ofAdmins,
  moderator: ofModerators,
  member: ofMembers,
};

/** Whether a role has a permission. Whoever is no member has none. What is done to somebody also needs a rank above theirs. */
export function permits(role: RoomRole | undefined, permission: RoomPermission): boolean {
  return role !== undefined && permissions[role].includes(permission);
}
