import { logOf } from '../../../src/cli/chat/rooms/log.ts';

export default class Log extends logOf('channel') {}
