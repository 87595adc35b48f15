import { unmuteIn } from '../../../src/cli/chat/rooms/unmute.ts';

export default class Unmute extends unmuteIn('group') {}
