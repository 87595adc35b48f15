import { kickFrom } from '../../../src/cli/chat/rooms/kick.ts';

export default class Kick extends kickFrom('group') {}
