import { banFrom } from '../../../src/cli/chat/rooms/ban.ts';

export default class Ban extends banFrom('channel') {}
