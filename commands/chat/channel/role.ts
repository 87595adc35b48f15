import { roleIn } from '../../../src/cli/chat/rooms/role.ts';

export default class Role extends roleIn('channel') {}
