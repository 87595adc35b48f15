import { Flags } from '@oclif/core';
import { leavingState } from '../../src/cli/chat/leaving-state.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { perform } from '../../src/client/perform.ts';
import { chat } from '../../src/contract/chat.ts';

export default class Leave extends ApiCommand {
  static override summary = 'Leave all conversations, and erase what you have in them';
  static override description =
    'It cannot be undone. Conversations of two are deleted for both, and in groups and channels what you said is erased. Your account and conversations of the social network stay. Without --all, the command shows what is left of it.';
  static override examples = ['<%= config.bin %> chat leave --all', '<%= config.bin %> chat leave'];
  static override flags = {
    all: Flags.boolean({ description: 'leave all groups, channels and conversations of two' }),
    ...flagsOf(chat.leaveAll),
    yes: Flags.boolean({ description: 'do not ask' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Leave);
    await using client = await this.connect(flags);
    const before = await perform(client, chat.leavingState, {});
    if (!flags['all']) return await this.answer(before, () => leavingState(before));
    const question = `Leave ${before.conversations} conversations, and erase for good what you said in them?`;
    await confirmed(this.terminal, flags['yes'], question);
    const input = await this.inputFor(chat.leaveAll, flags);
    const state = await this.waitFor('Leaving', perform(client, chat.leaveAll, input));
    await this.answer(state, () => leavingState(state));
  }
}
