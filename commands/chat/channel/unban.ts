import { unbanFrom } from '../../../src/cli/chat/rooms/unban.ts';

export default class Unban extends unbanFrom('channel') {}
