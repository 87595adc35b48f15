import { perform } from '../../../src/client/perform.ts';
import { checkedRoom } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { groupPairs } from '../../../src/cli/chat/rooms/views.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { details } from '../../../src/cli/kit/table.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show a group, your role in it, and what you have chosen for it';
  static override description = 'With --json, all members with their roles too.';
  static override examples = ['<%= config.bin %> chat group show "tea party"'];
  static override args = roomArgument('group');

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const { id: conversationId } = await checkedRoom(client, args.group, 'group');
    const group = await perform(client, chat.showGroup, { conversationId });
    await this.answer(group, (screen) => details(screen, groupPairs(screen, group)));
  }
}
