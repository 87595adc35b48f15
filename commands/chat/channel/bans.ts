import { bansOf } from '../../../src/cli/chat/rooms/bans.ts';

export default class Bans extends bansOf('channel') {}
