import { membersOf } from '../../../src/cli/chat/rooms/members.ts';

export default class Members extends membersOf('channel') {}
