import { leaveOf } from '../../../src/cli/chat/rooms/leave.ts';

export default class Leave extends leaveOf('channel') {}
