import { deleteOf } from '../../../src/cli/chat/rooms/delete.ts';

export default class Delete extends deleteOf('channel') {}
