import { muteIn } from '../../../src/cli/chat/rooms/mute.ts';

export default class Mute extends muteIn('group') {}
