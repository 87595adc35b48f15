import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { fileFlag, textArgument } from '../../../src/cli/chat/arguments.ts';
import { namesOfConversations } from '../../../src/cli/chat/own-conversations.ts';
import { atFlag, scheduledArgument, scheduledNamed, scheduledTable, timeAt } from '../../../src/cli/chat/scheduling.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { textOf } from '../../../src/cli/kit/text-argument.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change the text or the time of a scheduled message';
  static override description = 'With --at alone the text stays. One that failed waits again with a new time.';
  static override examples = ['<%= config.bin %> chat scheduled edit 01a22b4f8d10 --at 2h'];
  static override args = { ...scheduledArgument, ...textArgument };
  static override flags = { at: Flags.string(atFlag), ...fileFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const sendAt = flags.at === undefined ? undefined : timeAt(flags.at, Date.now());
    const stays = sendAt !== undefined && args.text === undefined && flags.file === undefined;
    const content = stays ? undefined : await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const scheduledId = await scheduledNamed(client, args.message);
    const changed = await perform(client, chat.changeScheduled, { scheduledId, content, sendAt });
    const names = flags.json ? new Map<string, string>() : await namesOfConversations(client);
    await this.answer(changed, (screen) => scheduledTable(screen, [changed], names));
  }
}
