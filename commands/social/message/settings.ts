import { Flags } from '@oclif/core';
import { markPairs } from '../../../src/cli/chat/conversation-table.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { details } from '../../../src/cli/kit/table.ts';
import { nameArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialConversationNamed } from '../../../src/cli/social/messages/find-conversation.ts';
import { storeSettings } from '../../../src/cli/social/messages/settings.ts';

export default class Settings extends ApiCommand {
  static override summary = 'Show or change what you have chosen for a conversation';
  static override description = 'Only you see it. Without options nothing is changed.';
  static override examples = [
    '<%= config.bin %> social message settings bob',
    '<%= config.bin %> social message settings bob --mute 8h --pin',
    '<%= config.bin %> social message settings "#tea party" --archive --mute permanent',
  ];
  static override args = nameArgument;
  static override flags = {
    mute: Flags.string({
      description: 'no notifications for this long (90m, 8h, 2d, 1w), until a date, or permanent',
      helpValue: 'TIME',
      exclusive: ['unmute'],
    }),
    unmute: Flags.boolean({ description: 'end the mute' }),
    pin: Flags.boolean({ description: 'keep the conversation in sight', allowNo: true }),
    archive: Flags.boolean({ description: 'put the conversation into the archive', allowNo: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Settings);
    await using client = await this.connect(flags);
    const { id } = await socialConversationNamed(client, args.name);
    const settings = await storeSettings(client, id, flags, Date.now());
    await this.answer(settings.conversation, (screen) => details(screen, markPairs(screen, settings)));
  }
}
