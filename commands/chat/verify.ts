import { Flags } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../src/cli/chat/arguments.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { verificationText, verifyConversation } from '../../src/cli/chat/sealed/verification.ts';

export default class Verify extends ChatCommand {
  static override summary = 'Verify who can read a conversation that only its members can read';
  static override description =
    'Shows who has the key, as members signed it, who waits for it, and the safety number. Compare the number with the others by another way: if it is the same, nobody stands between you. It changes whenever somebody comes or goes. If something does not fit, the command says what, shows the number and the members that this machine remembers beside those that the node shows now, changes nothing, and exits with 8.';
  static override examples = ['<%= config.bin %> chat verify bob', '<%= config.bin %> chat verify "tea party" --json'];
  static override args = withArgument;
  static override flags = {
    accept: Flags.boolean({
      description: 'believe what is there now, whatever this machine remembers; compare the safety number before',
    }),
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Verify);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const { verification, problem } = await verifyConversation(side, args.with, flags.accept);
    const { memberId } = await side.memory();
    await this.answer(verification, (screen) => verificationText(screen, verification, memberId));
    if (problem !== undefined) throw problem;
  }
}
