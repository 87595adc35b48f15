import { addTo } from '../../../src/cli/chat/rooms/add.ts';

export default class Add extends addTo('group') {}
