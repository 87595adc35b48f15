import type { Member } from '../../contract/accounts/members.ts';
import { moment } from '../kit/screen.ts';
import type { Column } from '../kit/table.ts';

export const memberColumns: readonly Column<Member>[] = [
  { title: 'USERNAME', of: ({ username }) => username, main: true },
  { title: 'E-MAIL', of: ({ email }) => email },
  { title: 'VERIFIED', of: ({ emailVerified }) => (emailVerified ? 'yes' : 'no'), spare: true },
  { title: 'TYPE', of: ({ type }) => type, whole: true },
  { title: 'STATUS', of: ({ status }) => status, whole: true },
  { title: 'LAST SIGN-IN', of: ({ lastLogin }, screen) => moment(screen, lastLogin), whole: true },
  { title: 'ID', of: ({ id }) => id, spare: true },
];
