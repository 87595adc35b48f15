import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { checkedRoom } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Rename extends ApiCommand {
  static override summary = 'Rename a group';
  static override description = 'For the owner.';
  static override examples = ['<%= config.bin %> chat group rename "tea party" "Tea at five"'];
  static override args = {
    ...roomArgument('group'),
    name: Args.string({ description: 'its new name', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Rename);
    await using client = await this.connect(flags);
    const { id: conversationId } = await checkedRoom(client, args.group, 'group');
    const group = await perform(client, chat.updateGroup, { conversationId, name: args.name });
    await this.answer(group, () => escapeForTerminal(`The group is #${group.name}.`));
  }
}
