export {
  confirmEmail,
  createAdministrator,
  demote,
  endSessions,
  promote,
  restore,
  suspend,
} from './members/administration.ts';
export { list, sessions, show } from './members/members.ts';
