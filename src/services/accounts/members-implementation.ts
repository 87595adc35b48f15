import type { members } from '../../contract/members.ts';
import type { Implementation } from '../../service-parts.ts';
import { demote, endMemberSessions, promote, restore, suspend } from './members/administration.ts';
import { listMembers, listMemberSessions, showMember } from './members/members.ts';

export const memberServices: Implementation<typeof members> = {
  list: listMembers,
  createAdministrator: async (...call) => (await import('./members/administrator.ts')).createAdministrator(...call),
  show: showMember,
  promote,
  demote,
  suspend,
  restore,
  sessions: listMemberSessions,
  endSessions: endMemberSessions,
};
