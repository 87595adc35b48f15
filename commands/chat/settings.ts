import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { withArgument } from '../../src/cli/chat/arguments.ts';
import { chosenSettings } from '../../src/cli/chat/chosen-settings.ts';
import { settingPairs } from '../../src/cli/chat/conversation-table.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { details } from '../../src/cli/kit/table.ts';
import { noticeLevels } from '../../src/contract/chat/conversation.ts';

export default class Settings extends ChatCommand {
  static override summary = 'Show or change what you have chosen for a conversation';
  static override description = 'Only you see it. Without options nothing is changed.';
  static override examples = [
    '<%= config.bin %> chat settings bob',
    '<%= config.bin %> chat settings bob --mute 8h --pin',
    '<%= config.bin %> chat settings bob --archive --notify none',
  ];
  static override args = withArgument;
  static override flags = {
    notify: Flags.string({ description: 'which messages you are notified of', options: [...noticeLevels] }),
    mute: Flags.string({
      description: 'no notifications for this long (90m, 8h, 2d, 1w), or until a date',
      helpValue: 'TIME',
      exclusive: ['unmute'],
    }),
    unmute: Flags.boolean({ description: 'end the mute' }),
    pin: Flags.boolean({ description: 'keep the conversation in sight', allowNo: true }),
    archive: Flags.boolean({ description: 'put the conversation into the archive', allowNo: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Settings);
    const change = chosenSettings(flags, Date.now());
    await using client = await this.connect(flags);
    const conversation = await checkedConversation(this.side(client), args.with);
    const { id: conversationId, notifications, mutedUntil, pinned, archived } = conversation;
    const settings =
      Object.keys(change).length === 0
        ? { notifications, mutedUntil, pinned, archived }
        : await perform(client, operationsOf[conversation.type].settings, { conversationId, ...change });
    await this.answer(settings, (screen) => details(screen, settingPairs(screen, settings)));
  }
}
