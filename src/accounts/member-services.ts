import type { members } from '../contract/members.ts';
import type { Implementation } from '../http/implementation.ts';
import { demote, endMemberSessions, promote, restore, suspend } from './administration.ts';
import { listMembers, listMemberSessions, showMember } from './members.ts';

export const memberServices: Implementation<typeof members> = {
  list: listMembers,
  createAdministrator: async (...call) => (await import('./administrator.ts')).createAdministrator(...call),
  show: showMember,
  promote,
  demote,
  suspend,
  restore,
  sessions: listMemberSessions,
  endSessions: endMemberSessions,
};
