import { removeFrom } from '../../../src/cli/chat/rooms/remove.ts';

export default class Remove extends removeFrom('channel') {}
