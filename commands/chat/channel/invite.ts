import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { invitationText } from '../../../src/cli/chat/invitation.ts';
import { durationOf, forFlag, roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { checkedRoom } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { chat } from '../../../src/contract/chat.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';

export default class Invite extends ApiCommand {
  static override summary = 'Make an invite to a channel: whoever has it can join';
  static override description =
    'For the owner and admins. It is a secret, and printed once. Without --uses any number of members join by it, and without --for it never expires. It ends if you leave, or may not invite any more.';
  static override examples = [
    '<%= config.bin %> chat channel invite tea',
    '<%= config.bin %> chat channel invite tea --uses 1 --for 1w > invite.txt',
  ];
  static override args = roomArgument('channel');
  static override flags = {
    uses: Flags.integer({
      description: 'how many members can join by it',
      helpValue: 'N',
      min: 1,
      max: chatLimits.inviteUses,
    }),
    ...forFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Invite);
    const expiresInMs = flags.for === undefined ? undefined : durationOf(flags.for, Date.now());
    await using client = await this.connect(flags);
    const { id, title } = await checkedRoom(client, args.channel, 'channel');
    const made = await perform(client, chat.createInvite, { conversationId: id, maxUses: flags.uses, expiresInMs });
    const invitation = invitationText(made);
    await this.answer({ ...made, invitation }, () => invitation);
    // The invite may go to a file.
    const screen = await this.screen(this.terminal.stderr);
    const who =
      made.maxUses === null ? 'Whoever has it' : made.maxUses === 1 ? 'One member' : `${made.maxUses} members`;
    const until = made.expiresAt === null ? '' : ` until ${moment(screen, made.expiresAt)}`;
    this.say(`${who} can join #${title} by it${until}, with: conclave chat channel join --invite`);
  }
}
